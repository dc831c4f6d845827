import { sequenceCode } from '../segment/fingerprint.js'
import type { Segment } from '../segment/open.js'
import type { RuleHit } from './evidence.js'
import type { AnalyzedQuery, Candidate, Weighted } from './rank.js'
import type { FieldName, MatchSignals, TermSignal } from './types.js'

/** Terms named in a signal or a reason, at most. */
const SHOWN = 6

/** What of a message one skill has, and where. `weights` has the saturated frequency of each of `weighted`. */
export function signalsOf(
  query: AnalyzedQuery,
  weighted: readonly Weighted[],
  weights: readonly number[],
  candidate: Candidate & { hits: readonly RuleHit[] },
  segment: Segment,
): MatchSignals {
  const relevance = candidate.lexical + candidate.bonus
  const worth = new Map<string, number>()
  for (const [index, { term, idf, weight }] of weighted.entries())
    if ((weights[index] as number) > 0) worth.set(term, idf * weight * (weights[index] as number))
  const sequence = segment.sequenceOf(candidate.skill)
  const head = sequence.subarray(0, segment.headOf(candidate.skill))
  const names = new Set(head.subarray(0, nameLength(head)))
  const description = new Set(head.subarray(nameLength(head)))

  const terms = phrases(query, worth)
    .map(({ text, parts, worth: value }): TermSignal => {
      const codes = parts.map(sequenceCode)
      const fields: FieldName[] = []
      if (codes.every(code => names.has(code))) fields.push('name')
      if (codes.every(code => description.has(code))) fields.push('description')
      if (fields.length === 0) fields.push('body')
      return { term: text, fields, share: value / relevance }
    })
    .sort((a, b) => b.share - a.share)
  const rules = [
    ...candidate.hits.map(({ rule, text }) => ({ rule, text })),
    ...candidate.pairs.map(({ pair }) => ({ rule: 'pair' as const, text: query.pairs[pair]?.text ?? '' })),
  ]
  const missing = [...new Set(query.sequence)].filter(term => !worth.has(term))
  return { terms, rules, missing, relevance }
}

/** The message's words that the skill has; overlapping runs of ideographs as one. */
function phrases(
  query: AnalyzedQuery,
  worth: ReadonlyMap<string, number>,
): { text: string; parts: string[]; worth: number }[] {
  const found = new Map<string, { text: string; parts: string[]; worth: number }>()
  const { sequence } = query
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
    const value = gramsOf(parts).reduce((sum, gram) => sum + (worth.get(gram) ?? 0), 0)
    const text = parts.join('')
    if (value > 0 && !found.has(text)) found.set(text, { text, parts, worth: value })
    at = end
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
  return text.length === 1 && text.charCodeAt(0) > 0x0e00
}

/** Codes before the first gap: the name. */
function nameLength(head: Uint16Array): number {
  const gap = head.indexOf(0)
  return gap < 0 ? head.length : gap
}

/** A sentence for people. */
export function reasonOf({ terms, rules }: MatchSignals): string {
  const parts: string[] = []
  const name = rules.find(({ rule }) => rule === 'name' || rule === 'display-name')
  if (name) parts.push(`its name, ${quoted(name.text)}, is in the message`)
  const named = terms.slice(0, SHOWN)
  const inHead = named.filter(({ fields }) => !fields.includes('body')).map(({ term }) => quoted(term))
  const inBody = named.filter(({ fields }) => fields.includes('body')).map(({ term }) => quoted(term))
  if (inHead.length > 0) parts.push(`matches ${inHead.join(', ')} in its ${name ? 'description' : headFields(named)}`)
  if (inBody.length > 0) parts.push(`${inHead.length > 0 ? '' : 'matches '}${inBody.join(', ')} in its instructions`)
  return parts.join('; ') || 'no word in common'
}

function headFields(terms: MatchSignals['terms']): string {
  const fields = new Set(terms.flatMap(term => term.fields))
  return [fields.has('name') ? 'name' : '', fields.has('description') ? 'description' : '']
    .filter(Boolean)
    .join(' and ')
}

function quoted(text: string): string {
  return `“${text}”`
}
