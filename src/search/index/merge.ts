import { sortTerms, type TermEntry } from './lexicon.js'
import type { Segment } from './open.js'
import { eachPosting } from './postings.js'
import type { Vectors } from './vectors.js'
import { writeSegment } from './write.js'

/** A segment, and the skills to leave out. */
export interface MergePart {
  segment: Segment
  dead: ReadonlySet<number>
}

/** Merges the live skills of several segments into one, in order. It needs no texts, and the result ranks exactly as the parts did. */
export function mergeSegments(parts: readonly MergePart[]): Uint8Array<ArrayBuffer> {
  const names: string[] = []
  const starts = [0]
  const heads: number[] = []
  const messages: string[] = []
  const sequences: Uint16Array[] = []
  const numbers = parts.map(({ segment, dead }) => {
    const map = new Int32Array(segment.length).fill(-1)
    for (let skill = 0; skill < segment.length; skill++) {
      if (dead.has(skill)) continue
      map[skill] = names.length
      const sequence = segment.sequenceOf(skill)
      names.push(segment.names.get(skill))
      heads.push(segment.headOf(skill))
      messages.push(segment.messagesOf(skill).join('\n'))
      sequences.push(sequence)
      starts.push((starts.at(-1) as number) + sequence.length)
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

  const terms = function* (): Generator<{
    term: string
    skills: number[]
    weights: number[]
    from: number
    to: number
  }> {
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
      if (skills.length > 0) yield { term, skills, weights, from: 0, to: skills.length }
    }
  }

  const joined = new Uint16Array(starts.at(-1) as number)
  for (const [index, sequence] of sequences.entries()) joined.set(sequence, starts[index])
  return writeSegment({
    names,
    starts,
    sequences: joined,
    heads,
    messages,
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
  let merged = 0
  for (const { segment, dead } of parts) {
    const { vectors } = segment
    if (vectors?.space !== space || vectors.dimensions !== dimensions) return undefined
    for (let skill = 0; skill < segment.length; skill++) {
      if (dead.has(skill)) continue
      bytes.set(vectors.bytes.subarray(skill * dimensions, (skill + 1) * dimensions), merged * dimensions)
      scales[merged++] = vectors.scales[skill] as number
    }
  }
  return { space, dimensions, bytes, scales }
}
