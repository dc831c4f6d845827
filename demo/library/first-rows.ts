import { readFileSync } from 'node:fs'
import { createBundled } from '../../src/search/model/bundled/bundled.js'

const MODEL = new URL('../../model/', import.meta.url)

/** The files of the bundled model that a message needs, by their paths. */
export async function rowsOf(message: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const read = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(readFileSync(new URL(path, MODEL)))
    files.set(path, bytes)
    return bytes
  }
  const model = await createBundled({
    readPart: part => read(`${part}.bin`),
    readRows: name => read(`rows/${name}`),
  })()
  await model.prepare?.(message)
  return files
}
