/** Writes model/rows: the parts of the bundled model in pieces, of which a message needs a few. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PARTS } from '../src/search/model/script-parts.js'
import { divideModel } from '../training/model/rows.js'
import { root } from './exports.js'

const to = join(root, 'model/rows')
mkdirSync(to, { recursive: true })
const old = new Set(readdirSync(to))
for (const part of PARTS) {
  const { start, pieces } = divideModel(readFileSync(join(root, 'model', `${part}.bin`)))
  write(`${part}.bin`, start)
  for (const [digest, bytes] of pieces) write(`${part}-${digest}.bin`, bytes)
}
for (const name of old) rmSync(join(to, name))

/** Pieces are named by their content, so those that are there stay. */
function write(name: string, bytes: Uint8Array): void {
  const isThere = old.delete(name) && name.includes('-')
  if (!isThere) writeFileSync(join(to, name), bytes)
}
