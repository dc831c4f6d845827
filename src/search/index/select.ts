import { sortTerms, type TermEntry } from './lexicon.js'
import type { Segment } from './open.js'
import { eachPosting } from './postings.js'
import type { Vectors } from './vectors.js'
import type { SegmentParts } from './write.js'

/** A skill of a segment. */
export interface SegmentSkill {
  segment: Segment
  /** Its number in the segment. */
  skill: number
}

/** A term with the skills that have it, and the weight of each. */
export interface SelectedTerm {
  term: string
  skills: number[]
  weights: number[]
}

/** What segments have of some skills, in the order of these, without terms. It needs no texts. */
export function partsOf(skills: readonly SegmentSkill[]): Omit<SegmentParts, 'terms'> {
  return {
    names: skills.map(({ segment, skill }) => segment.names.get(skill)),
    sequences: skills.map(({ segment, skill }) => segment.sequenceOf(skill)),
    heads: skills.map(({ segment, skill }) => segment.headOf(skill)),
    messages: skills.map(({ segment, skill }) => segment.messagesOf(skill).join('\n')),
    ruledOut: skills.map(({ segment, skill }) => segment.ruledOutOf(skill)?.text ?? ''),
    vectors: vectorsOf(skills),
  }
}

/** The vectors of skills; `undefined` if a segment has none, or those of another model. */
export function vectorsOf(skills: readonly SegmentSkill[]): Vectors | undefined {
  const first = skills[0]?.segment.vectors
  if (!first) return undefined
  const { space, dimensions } = first
  const bytes = new Int8Array(skills.length * dimensions)
  const scales = new Float32Array(skills.length)
  for (const [number, { segment, skill }] of skills.entries()) {
    const { vectors } = segment
    if (vectors?.space !== space || vectors.dimensions !== dimensions) return undefined
    const from = skill * dimensions
    bytes.set(vectors.bytes.subarray(from, from + dimensions), number * dimensions)
    scales[number] = vectors.scales[skill] as number
  }
  return { space, dimensions, bytes, scales, ...ruledOutVectorsOf(skills, dimensions) }
}

/** The vectors of what skills rule out. */
function ruledOutVectorsOf(
  skills: readonly SegmentSkill[],
  dimensions: number,
): Pick<Vectors, 'ruledOut'> {
  const found = skills.flatMap(({ segment, skill }, number) => {
    const vector = segment.ruledOutOf(skill)?.vector
    return vector ? [{ number, vector }] : []
  })
  if (found.length === 0) return {}
  const bytes = new Int8Array(found.length * dimensions)
  for (const [row, { vector }] of found.entries()) bytes.set(vector.bytes, row * dimensions)
  const numbers = Uint32Array.from(found, ({ number }) => number)
  const scales = Float32Array.from(found, ({ vector }) => vector.scale)
  return { ruledOut: { skills: numbers, bytes, scales } }
}

/**
 * The terms of segments in code point order, with the skills that have a number.
 * @param numbers For each segment, the new number of each of its skills; -1: left out.
 */
export function* termsOf(
  segments: readonly Segment[],
  numbers: readonly Int32Array[],
): Generator<SelectedTerm> {
  const entries = new Map<string, { part: number; entry: TermEntry }[]>()
  for (const [part, segment] of segments.entries()) {
    for (const entry of segment.lexicon.entries()) {
      const same = entries.get(entry.term)
      // Only a damaged segment has a term twice. Postings have to ascend.
      if (same?.at(-1)?.part === part) continue
      if (same) same.push({ part, entry })
      else entries.set(entry.term, [{ part, entry }])
    }
  }
  for (const term of sortTerms([...entries.keys()])) {
    const skills: number[] = []
    const weights: number[] = []
    for (const { part, entry } of entries.get(term) ?? []) {
      eachPosting(segments[part] as Segment, entry, (skill, weight) => {
        const number = numbers[part]?.[skill] ?? -1
        if (number < 0) return
        skills.push(number)
        weights.push(weight)
      })
    }
    if (skills.length > 0) yield { term, skills, weights }
  }
}
