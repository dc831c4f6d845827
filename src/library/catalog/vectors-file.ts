import { digestOf, shortDigest } from '../../core/digest.js'
import {
  type PackedVectors,
  readPackedVectors,
  type VectorsFile,
  writePackedVectors,
} from '../../search/index/packed-vectors.js'
import type { SkillSource } from '../../source/source.js'
import type { PackedSegment } from './packed-catalog.js'
import { digestIn, readPackedFile } from './packed-files.js'

/** A file of vectors that nothing is written of yet. */
export interface WrittenVectors {
  name: VectorsFile
  bytes: Uint8Array<ArrayBuffer>
}

/** Writes the vectors of a segment. @returns `undefined` if no skill has one */
export function writeVectors(vectors: PackedVectors): WrittenVectors | undefined {
  if (vectors.skills.every(skill => skill === undefined)) return undefined
  const bytes = writePackedVectors(vectors)
  return { name: { file: `${shortDigest(digestOf(bytes))}.vec`, space: vectors.space }, bytes }
}

/** The vectors of a segment; `undefined` if it has none, or they are damaged. @throws SkillshelfError as `readPackedFile` */
export async function readVectorsOf(
  source: SkillSource,
  { vectors }: Pick<PackedSegment, 'vectors'>,
  signal: AbortSignal | undefined,
): Promise<PackedVectors | undefined> {
  if (!vectors) return undefined
  const { file, space } = vectors
  const bytes = await readPackedFile(source, file, digestIn(file), signal)
  const packed = readPackedVectors(bytes)
  return packed?.space === space ? packed : undefined
}
