import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStatic, type StaticModel } from '../../src/embed/static.js'

const folder = process.env['MODEL'] ?? fileURLToPath(new URL('../../model', import.meta.url))
let model: StaticModel | undefined

/** The bundled model, or that of the folder in MODEL. */
export function readModel(): StaticModel {
  const part = (name: string): Uint8Array => new Uint8Array(readFileSync(join(folder, `${name}.bin`)))
  const rest = process.env['WHOLE'] ? { latinRest: part('latin-256'), hanRest: part('han-256') } : {}
  model ??= openStatic({ latin: part('latin-128'), han: part('han-128'), ...rest })
  return model
}
