/** Opens a packed library of real skills, bytes at hand, and prints how long that takes, as JSON. Run by main.ts with --expose-gc. */
import { memory, openLibrary, pack, type SkillSource } from '../../src/exports/index.js'
import { quantile } from '../rank/measure.js'
import { readSkillFiles } from '../speed/documents.js'

/** Times in ms, sizes in bytes. */
export interface Opening {
  skills: number
  /** What opening reads: the catalog and the segments. */
  bytes: number
  packMs: number
  firstMs: number
  openMs: number
}

const ROUNDS = 15

const { source, bytes, packMs } = await packed(Number(process.argv[2]))
const { gc } = globalThis as { gc?: () => void }
const times: number[] = []
let skills = 0
for (let round = 0; round < ROUNDS; round++) {
  // Each opening pays for its own rubbish, not for that of the one before.
  gc?.()
  const start = performance.now()
  const library = await openLibrary(source)
  times.push(performance.now() - start)
  skills = library.snapshot.skills.length
  await library.close()
}
const row: Opening = { skills, bytes, packMs, firstMs: times[0] as number, openMs: quantile(times, 0.5) }
console.log(JSON.stringify(row))

async function packed(count: number): Promise<{ source: SkillSource; bytes: number; packMs: number }> {
  const start = performance.now()
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for await (const { path, bytes: own } of pack(memory(readSkillFiles(count), { name: 'skills' })))
    if (!path.startsWith('files/')) files.set(path, own)
  return {
    packMs: performance.now() - start,
    bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0),
    source: {
      name: 'skills',
      async read(path) {
        const own = files.get(path)
        return own && { bytes: own }
      },
    },
  }
}
