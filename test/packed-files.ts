import { pack } from '../src/library/store/pack/pack.js'
import type { PackOptions } from '../src/library/store/pack/pack-options.js'
import { memory } from '../src/source/memory.js'
import type { SkillSource } from '../src/source/source.js'

export type Files = Readonly<Record<string, Uint8Array | string>>

/** The files of a packed library, by path. */
export async function packedFiles(
  source: SkillSource,
  options?: PackOptions,
): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
  const packed: Record<string, Uint8Array<ArrayBuffer>> = {}
  for await (const { path, bytes } of pack(source, options)) packed[path] = bytes
  return packed
}

/**
 * The files of a packed library.
 * @param name Of the source that is packed.
 */
export const packFiles = (
  files: Files,
  name?: string,
  options?: PackOptions,
): Promise<Record<string, Uint8Array<ArrayBuffer>>> =>
  packedFiles(memory(files, name === undefined ? {} : { name }), options)
