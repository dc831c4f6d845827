import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStaticModel, type StaticModel } from '../../src/embed/static-model.js'

/** The folder of the bundled model. */
export const MODEL = fileURLToPath(new URL('../../model/', import.meta.url))

let model: StaticModel | undefined

/** The bundled model as it ships; Environment: MODEL names another folder, WHOLE uses all dimensions. */
export function readModel(): StaticModel {
  model ??= openModel(process.env['MODEL'] ?? MODEL, !process.env['WHOLE'])
  return model
}

/** The model of a folder: its first dimensions, or all. */
export function openModel(folder: string, prefix: boolean): StaticModel {
  const read = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, `${name}.bin`)))
  return openStaticModel({
    latin: read('latin-128'),
    han: read('han-128'),
    ...(prefix ? {} : { latinRest: read('latin-256'), hanRest: read('han-256') }),
  })
}
