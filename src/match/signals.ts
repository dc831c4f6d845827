import { GAP, indexOfPair, sequenceCode } from '../segment/fingerprint.js'
import type { Segment } from '../segment/open.js'
import type { RuleHit } from './evidence.js'
import type { AnalyzedQuery, Candidate, Weighted } from './rank.js'
import type { FieldName, MatchSignals, TermSignal } from './types.js'

/** The last unit before the scripts that are read in n-grams. */
const LAST_SPACED = 0x0e00

/** What of a message one skill has, and where. `weights` has the saturated frequency of each of `weighted`. */
export function signalsOf(
  query: AnalyzedQuery,
  weighted: readonly Weighted[],
  weights: readonly number[],
  candidate: Candidate & { hits: readonly RuleHit[]; similarity?: number | undefined },
  segment: Segment,
): MatchSignals {
  const relevance = candidate.lexical + candidate.bonus
  const worth = new Map<string, number>()
  for (const [index, { term, idf, weight }] of weighted.entries())
    if ((weights[index] as number) > 0) worth.set(term, idf * weight * (weights[index] as number))
  const sequence = segment.sequenceOf(candidate.skill)
  const head = sequence.subarray(0, segment.headOf(candidate.skill))
  const [name = '', displayName = ''] = segment.names.get(candidate.skill).split('\n', 2)
  const nameEnd = endOfTexts(head, displayName === '' || displayName === name ? 1 : 2)
  const names = head.subarray(0, nameEnd)
  const description = head.subarray(nameEnd)

  const terms = phrases(query, worth)
    .map(({ text, parts, worth: value }): TermSignal => {
      const codes = parts.map(sequenceCode)
      const fields: FieldName[] = []
      if (hasRun(names, codes)) fields.push('name')
      if (hasRun(description, codes)) fields.push('description')
      if (fields.length === 0) fields.push('body')
      return {
        term: text,
        text: query.written(text),
        fields,
        share: relevance > 0 ? Math.min(1, value / relevance) : 0,
      }
    })
    .sort((a, b) => b.share - a.share)
  const rules = [
    ...candidate.hits.map(({ rule, text }) => ({ rule, text })),
    ...candidate.pairs.map(({ pair }) => ({ rule: 'pair' as const, text: query.pairs[pair]?.text ?? '' })),
  ]
  const missing = [...new Set(query.sequence)].filter(term => !worth.has(term))
  const { similarity } = candidate
  return { terms, rules, missing, relevance, ...(similarity === undefined ? {} : { similarity }) }
}

/** The message's words that the skill has; overlapping runs of ideographs as one. */
function phrases(
  query: AnalyzedQuery,
  worth: ReadonlyMap<string, number>,
): { text: string; parts: string[]; worth: number }[] {
  const found = new Map<string, { text: string; parts: string[]; worth: number }>()
  const { sequence } = query
  // A term's worth goes to the first run that has it.
  const counted = new Set<string>()
  let at = 0
  while (at < sequence.length) {
    const word = sequence[at] as string
    // The longest run from here of which every 2-gram is in the skill.
    let end = at + 1
    if (isGram(word))
      while (
        end < sequence.length &&
        isGram(sequence[end] as string) &&
        worth.has((sequence[end - 1] as string) + (sequence[end] as string))
      )
        end++
    const parts = sequence.slice(at, end)
    let value = 0
    for (const gram of gramsOf(parts)) {
      if (!counted.has(gram)) value += worth.get(gram) ?? 0
      counted.add(gram)
    }
    const text = parts.join('')
    if (value > 0) found.set(text, { text, parts, worth: value })
    at = end
  }
  // A part of a camelCase word counts with the whole, or stands for it where the skill has not the whole.
  for (const [term, value] of worth) {
    if (counted.has(term) || query.terms.get(term) !== 1 || term.charCodeAt(0) > LAST_SPACED) continue
    const whole = [...found.values()].find(({ text }) => text.includes(term))
    if (whole) whole.worth += value
    else found.set(term, { text: term, parts: [term], worth: value })
  }
  // A lone ideograph says little beside a longer run.
  const all = [...found.values()]
  return all.some(({ parts }) => parts.length > 1)
    ? all.filter(({ text, parts }) => parts.length > 1 || !isGram(text))
    : all
}

function gramsOf(parts: readonly string[]): string[] {
  if (parts.length === 1) return [...parts]
  return [1, 2, 3].flatMap(length =>
    parts.slice(0, parts.length - length + 1).map((_, at) => parts.slice(at, at + length).join('')),
  )
}

/** One character of a script that is read in n-grams. */
function isGram(text: string): boolean {
  return text.length === 1 && text.charCodeAt(0) > LAST_SPACED
}

/** Where the first so many texts of a sequence end. */
function endOfTexts(sequence: Uint16Array, texts: number): number {
  let at = -1
  for (let text = 0; text < texts; text++) {
    at = sequence.indexOf(GAP, at + 1)
    if (at < 0) return sequence.length
  }
  return at
}

/** True where a text has the word, or each two neighbours of a run. */
function hasRun(text: Uint16Array, codes: readonly number[]): boolean {
  if (codes.length === 1) return text.includes(codes[0] as number)
  return codes.every((code, index) => index === 0 || indexOfPair(text, codes[index - 1] as number, code) >= 0)
}
