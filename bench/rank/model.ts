import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import { openStaticModel, type StaticModel } from '../../src/search/model/static-model.js'

/** The folder of the bundled model. */
export const MODEL = fileURLToPath(new URL('../../model/', import.meta.url))

let model: StaticModel | undefined

/** The bundled model as it ships. Environment: MODEL names another folder. */
export function readModel(): StaticModel {
  model ??= openModel(process.env['MODEL'] ?? MODEL)
  return model
}

/** The model of a folder, with all parts. */
export function openModel(folder: string): StaticModel {
  const files = PARTS.map(
    part => [part, new Uint8Array(readFileSync(join(folder, `${part}.bin`)))] as const,
  )
  return openStaticModel(Object.fromEntries(files) as Record<Part, Uint8Array>)
}
