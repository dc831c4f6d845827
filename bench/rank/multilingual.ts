import { existsSync, readFileSync } from 'node:fs'
import { multilingual } from '../../src/exports/model.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import { remembering } from './transformer.js'

/** Made by: npx tsx src/tools/cli/main.ts model multilingual --out node_modules/.training */
const FILE = new URL('../../node_modules/.training/multilingual.bin', import.meta.url)

/** True if the file of the multilingual model is present. */
export const hasMultilingual = existsSync(FILE)

let model: Promise<Embedder> | undefined

/** The multilingual model, with a cache as in transformer.ts. */
export function openMultilingual(): Promise<Embedder> {
  model ??= multilingual({ file: new Uint8Array(readFileSync(FILE)) })().then(remembering)
  return model
}
