import { INDEXED_LANGUAGES } from './language/indexing.js'

/** A sentence. Line breaks and semicolons end one, too. */
const SENTENCE = /[^.!?;。！？；\n]*(?:[.!?](?!\s|$)[^.!?;。！？；\n]*)*(?:[.!?;。！？；\n]+|$)/g

const negations = Object.values(INDEXED_LANGUAGES).map(({ negation }) => negation)
const NEGATION = new RegExp(negations.flatMap(({ patterns }) => patterns).join('|'), 'i')
/** Negations at the end of what they exclude: "地図には使用しない". */
const FINAL_NEGATION = new RegExp(
  negations.flatMap(({ finalPatterns }) => finalPatterns ?? []).join('|'),
  'i',
)
const COMMAS = [',', '，', '、', '(', '（']
/** Phrases that look like a negation but do not exclude a use. */
const FALSE_NEGATION = new RegExp(
  negations.flatMap(({ notNegated }) => notNegated ?? []).join('|'),
  'gi',
)
/** A sentence that only points to another skill. */
const REDIRECT = new RegExp(
  String.raw`^\s*(?:${negations.flatMap(({ redirects }) => redirects ?? []).join('|')})`,
  'i',
)

/** A description, divided by what its author rules out. */
export interface DividedDescription {
  /** What the skill is for. */
  kept: string
  /** Clauses about what it is not for, one a line. `''` without any. */
  ruledOut: string
}

/**
 * Divides a description: clauses such as "Do NOT use for X" or 不要用于… say what the skill is not for.
 * A clause reaches from the negation to the end of its sentence; where the negation ends the sentence, as in Japanese, from the last comma.
 * A following sentence that only points to another skill belongs to it.
 */
export function divideDescription(text: string): DividedDescription {
  let kept = ''
  const ruledOut: string[] = []
  let afterNegation = false
  for (const [part] of text.matchAll(SENTENCE)) {
    if (part === '') continue
    const isRedirect: boolean = afterNegation && REDIRECT.test(part)
    const at: number = isRedirect ? 0 : startOfNegation(part)
    afterNegation = at >= 0
    kept += isRedirect ? '' : at >= 0 ? `${part.slice(0, at)}\n` : part
    if (at >= 0) ruledOut.push(part.slice(at).trim())
  }
  return { kept, ruledOut: ruledOut.join('\n') }
}

/** Removes clauses about what a skill is not for, so that their words do not match. */
export function removeNegatedClauses(text: string): string {
  return divideDescription(text).kept
}

/** Where the clause of a negation starts in a sentence; -1 without one. */
function startOfNegation(sentence: string): number {
  const plain = sentence.replace(FALSE_NEGATION, one => '_'.repeat(one.length))
  const at = plain.search(NEGATION)
  const end = plain.search(FINAL_NEGATION)
  if (end < 0 || (at >= 0 && at <= end)) return at
  return Math.max(...COMMAS.map(comma => plain.lastIndexOf(comma, end) + 1))
}
