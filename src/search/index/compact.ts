import { mergeSegments } from './merge.js'
import { openSegment, type Segment } from './open.js'

/** Segments are merged if there are more than this. */
const MAX_SEGMENTS = 8
/** A segment is rewritten if more than this share of its skills is dead. */
const MAX_DEAD = 0.25

export interface SegmentUse {
  /** Skills in the segment, dead ones included. */
  skills: number
  dead: ReadonlySet<number>
}

export interface Compaction<T> {
  /** Segments that stay as they are. */
  kept: readonly T[]
  /** One segment with the live skills of `from`, in their order. */
  merged?: { bytes: Uint8Array<ArrayBuffer>; from: readonly T[] }
}

/**
 * Merges segments that hold many dead skills. If there are too many segments, merges all except one that holds most skills.
 * Segments of another format version stay as they are.
 */
export async function compactSegments<T extends SegmentUse>(
  segments: readonly T[],
  read: (segment: T) => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>,
): Promise<Compaction<T>> {
  const live = ({ skills, dead }: T): number => skills - dead.size
  const total = segments.reduce((sum, segment) => sum + live(segment), 0)
  const candidates = segments.filter(
    segment =>
      segment.dead.size > segment.skills * MAX_DEAD || (segments.length > MAX_SEGMENTS && live(segment) * 2 <= total),
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
