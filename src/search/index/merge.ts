import { openSegment, type Segment } from './open.js'
import { partsOf, type SegmentSkill, termsOf } from './select.js'
import { writeSegment } from './write.js'

/** Segments are merged if there are more than this. */
const MAX_SEGMENTS = 8
/** A segment is rewritten if more than this share of its skills is dead. */
const MAX_DEAD = 0.25

/** A segment, and the skills to leave out. */
export interface MergePart {
  segment: Segment
  dead: ReadonlySet<number>
}

/** Merges the live skills of several segments into one, in order. It needs no texts, and the result ranks exactly as the parts did. */
export function mergeSegments(parts: readonly MergePart[]): Uint8Array<ArrayBuffer> {
  const skills: SegmentSkill[] = []
  const numbers = parts.map(({ segment, dead }) => {
    const map = new Int32Array(segment.length).fill(-1)
    for (let skill = 0; skill < segment.length; skill++) {
      if (dead.has(skill)) continue
      map[skill] = skills.length
      skills.push({ segment, skill })
    }
    return map
  })
  const segments = parts.map(({ segment }) => segment)
  return writeSegment({ ...partsOf(skills), terms: termsOf(segments, numbers) })
}

export interface SegmentUse {
  /** Skills in the segment, dead ones included. */
  skills: number
  dead: ReadonlySet<number>
}

/**
 * Merges segments with many dead skills, and if there are too many all but the largest. Those of another format stay.
 * @returns `kept`: segments that stay as they are. `merged`: one segment with the live skills of `from`, in their order.
 */
export async function compactSegments<T extends SegmentUse>(
  segments: readonly T[],
  read: (segment: T) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
): Promise<{
  kept: readonly T[]
  merged?: { bytes: Uint8Array<ArrayBuffer>; from: readonly T[] }
}> {
  const live = ({ skills, dead }: T): number => skills - dead.size
  const total = segments.reduce((sum, segment) => sum + live(segment), 0)
  const candidates = segments.filter(
    segment =>
      segment.dead.size > segment.skills * MAX_DEAD ||
      (segments.length > MAX_SEGMENTS && live(segment) * 2 <= total),
  )
  const opened: { use: T; segment: Segment }[] = []
  for (const use of candidates) {
    const segment = openSegment(await read(use))
    if (segment) opened.push({ use, segment })
  }
  if (opened.length === 0) return { kept: segments }
  const from = opened.map(({ use }) => use)
  const bytes = mergeSegments(opened.map(({ use, segment }) => ({ segment, dead: use.dead })))
  return { kept: segments.filter(segment => !from.includes(segment)), merged: { bytes, from } }
}
