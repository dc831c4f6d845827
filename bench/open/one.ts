/** Opens a packed library of real skills from memory and prints the times as JSON. Run by main.ts with --expose-gc. */
import { memory, openLibrary, type SkillSource } from '../../src/exports/index.js'
import { pack } from '../../src/exports/store.js'
import { quantile } from '../rank/measure.js'
import { readSkillFiles } from '../speed/documents.js'

/** Times in ms, sizes in bytes. */
export interface Opening {
  skills: number
  /** Size of the catalog and the segments, which opening reads. */
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
  // Collects garbage of the previous round outside of the measurement.
  gc?.()
  const start = performance.now()
  const library = await openLibrary(source, { embedder: false })
  times.push(performance.now() - start)
  skills = library.snapshot.skills.length
  await library.close()
}
const row: Opening = {
  skills,
  bytes,
  packMs,
  firstMs: times[0] as number,
  openMs: quantile(times, 0.5),
}
console.log(JSON.stringify(row))

async function packed(
  count: number,
): Promise<{ source: SkillSource; bytes: number; packMs: number }> {
  const start = performance.now()
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  for await (const { path, bytes: own } of pack(
    memory(readSkillFiles(count), { name: 'skills' }),
  )) {
    if (!path.startsWith('files/')) files.set(path, own)
  }
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
