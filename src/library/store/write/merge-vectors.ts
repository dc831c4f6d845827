import { throwIfAborted } from '../../../core/errors.js'
import type { SegmentUse } from '../../../search/index/merge.js'
import type { PackedVectors } from '../../../search/index/packed-vectors.js'
import type { SkillSource } from '../../../source/source.js'
import type { PackedSegment } from '../../catalog/packed-catalog.js'
import { readVectorsOf, type WrittenVectors, writeVectors } from '../../catalog/vectors-file.js'

/** A segment whose live skills keep their vectors. */
interface UsedVectors extends SegmentUse, Pick<PackedSegment, 'vectors'> {}

/** The vectors of the live skills of some segments, in order: those of the embedder that the last ones have. */
export async function mergeVectors(
  library: Pick<SkillSource, 'name' | 'read'>,
  segments: readonly UsedVectors[],
  signal: AbortSignal | undefined,
): Promise<WrittenVectors | undefined> {
  const space = segments.findLast(({ vectors }) => vectors)?.vectors?.space
  if (space === undefined) return undefined
  const skills: PackedVectors['skills'][number][] = []
  let like: PackedVectors | undefined
  for (const { vectors, skills: count, dead } of segments) {
    // Vectors that cannot be read are left out: a page embeds these skills.
    const packed =
      vectors?.space === space
        ? await readVectorsOf(library, { vectors }, signal).catch(
            () => throwIfAborted(signal) as undefined,
          )
        : undefined
    like ??= packed
    const usable = packed?.dimensions === like?.dimensions ? packed : undefined
    for (let number = 0; number < count; number++) {
      if (!dead.has(number)) skills.push(usable?.skills[number])
    }
  }
  return like && writeVectors({ ...like, skills })
}
