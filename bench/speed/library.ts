/** Opens a packed library of real skills, bytes at hand, and prints how long that takes, as JSON. Run by main.ts. */
import { memory, openLibrary, pack, type SkillSource } from '../../src/index.js'
import { quantile } from '../rank/measure.js'
import { readSkillFiles } from './documents.js'

/** Times in ms, sizes in bytes. */
export interface LibraryRow {
  skills: number
  /** What opening reads: the catalog and the segments. */
  bytes: number
  packMs: number
  firstMs: number
  openMs: number
}

const ROUNDS = 15

const files = readSkillFiles(Number(process.argv[2]))
let start = performance.now()
const packed: Record<string, Uint8Array<ArrayBuffer>> = {}
for await (const { path, bytes } of pack(memory(files, { name: 'skills' })))
  if (!path.startsWith('files/')) packed[path] = bytes
const packMs = performance.now() - start

const source: SkillSource = {
  name: 'skills',
  async read(path) {
    const bytes = packed[path]
    return bytes && { bytes }
  },
}
const times: number[] = []
let skills = 0
for (let round = 0; round < ROUNDS; round++) {
  start = performance.now()
  const library = await openLibrary(source)
  times.push(performance.now() - start)
  skills = library.snapshot.skills.length
  await library.close()
}
const row: LibraryRow = {
  skills,
  bytes: Object.values(packed).reduce((sum, bytes) => sum + bytes.length, 0),
  packMs,
  firstMs: times[0] as number,
  openMs: quantile(times, 0.5),
}
console.log(JSON.stringify(row))
