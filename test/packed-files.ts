import { pack } from '../src/library/store/pack/pack.js'
import { memory } from '../src/source/memory.js'

export type Files = Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>

/**
 * The files of a packed library.
 * @param name Of the source that is packed.
 */
export async function packFiles(
  files: Readonly<Record<string, Uint8Array | string>>,
  name?: string,
  options: Parameters<typeof pack>[1] = {},
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const packed: Record<string, Uint8Array<ArrayBuffer>> = {}
  const source = memory(files, name === undefined ? {} : { name })
  for await (const { path, bytes } of pack(source, options)) packed[path] = bytes
  return packed
}
