import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../../../shared/models/', import.meta.url))

/** Whether the files of all-MiniLM-L6-v2 are there. */
export const hasTransformer = existsSync(join(folder, 'Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx'))

/** The files of the transformer, as they are served. */
export function transformerFiles(): Map<string, Uint8Array> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return new Map(
    paths
      .filter(path => path.startsWith('Xenova') && statSync(join(folder, path)).isFile())
      .map(path => [`models/${path.replaceAll('\\', '/')}`, new Uint8Array(readFileSync(join(folder, path)))]),
  )
}
