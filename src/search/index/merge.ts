import { sortTerms, type TermEntry } from './lexicon.js'
import { openSegment, type Segment } from './open.js'
import { eachPosting } from './postings.js'
import type { RuledOut } from './ruled-out.js'
import type { Vectors } from './vectors.js'
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
  const names: string[] = []
  const heads: number[] = []
  const messages: string[] = []
  const ruledOut: string[] = []
  const sequences: Uint16Array[] = []
  const numbers = parts.map(({ segment, dead }) => {
    const map = new Int32Array(segment.length).fill(-1)
    for (let skill = 0; skill < segment.length; skill++) {
      if (dead.has(skill)) continue
      map[skill] = names.length
      names.push(segment.names.get(skill))
      heads.push(segment.headOf(skill))
      messages.push(segment.messagesOf(skill).join('\n'))
      ruledOut.push(segment.ruledOutOf(skill)?.text ?? '')
      sequences.push(segment.sequenceOf(skill))
    }
    return map
  })

  const entries = new Map<string, { part: number; entry: TermEntry }[]>()
  for (const [part, { segment }] of parts.entries()) {
    for (const entry of segment.lexicon.entries()) {
      const same = entries.get(entry.term)
      // Only a damaged segment has a term twice. Postings have to ascend.
      if (same?.at(-1)?.part === part) continue
      if (same) same.push({ part, entry })
      else entries.set(entry.term, [{ part, entry }])
    }
  }

  const terms = function* () {
    for (const term of sortTerms([...entries.keys()])) {
      const skills: number[] = []
      const weights: number[] = []
      for (const { part, entry } of entries.get(term) ?? []) {
        eachPosting((parts[part] as MergePart).segment, entry, (skill, weight) => {
          const number = numbers[part]?.[skill] ?? -1
          if (number < 0) return
          skills.push(number)
          weights.push(weight)
        })
      }
      if (skills.length > 0) yield { term, skills, weights }
    }
  }

  return writeSegment({
    names,
    sequences,
    heads,
    messages,
    ruledOut,
    terms: terms(),
    vectors: mergeVectors(parts, names.length),
  })
}

/** The vectors of the live skills; `undefined` if a part has none, or those of another model. */
function mergeVectors(parts: readonly MergePart[], skills: number): Vectors | undefined {
  const [first] = parts.map(({ segment }) => segment.vectors)
  if (!first) return undefined
  const { space, dimensions } = first
  const bytes = new Int8Array(skills * dimensions)
  const scales = new Float32Array(skills)
  const ruledOut: { skill: number; vector: NonNullable<RuledOut['vector']> }[] = []
  let merged = 0
  for (const { segment, dead } of parts) {
    const { vectors } = segment
    if (vectors?.space !== space || vectors.dimensions !== dimensions) return undefined
    for (let skill = 0; skill < segment.length; skill++) {
      if (dead.has(skill)) continue
      bytes.set(
        vectors.bytes.subarray(skill * dimensions, (skill + 1) * dimensions),
        merged * dimensions,
      )
      const against = segment.ruledOutOf(skill)?.vector
      if (against) ruledOut.push({ skill: merged, vector: against })
      scales[merged++] = vectors.scales[skill] as number
    }
  }
  if (ruledOut.length === 0) return { space, dimensions, bytes, scales }
  const rows = new Int8Array(ruledOut.length * dimensions)
  for (const [row, { vector }] of ruledOut.entries()) rows.set(vector.bytes, row * dimensions)
  return {
    space,
    dimensions,
    bytes,
    scales,
    ruledOut: {
      skills: Uint32Array.from(ruledOut, one => one.skill),
      bytes: rows,
      scales: Float32Array.from(ruledOut, ({ vector }) => vector.scale),
    },
  }
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
