import { INDEXED_LANGUAGES } from './language/indexing.js'

/** A sentence. Line breaks and semicolons end one, too. */
const SENTENCE = /[^.!?;。！？；\n]*(?:[.!?](?!\s|$)[^.!?;。！？；\n]*)*(?:[.!?;。！？；\n]+|$)/g

const negations = Object.values(INDEXED_LANGUAGES).map(({ negation }) => negation)
const NEGATION = new RegExp(negations.flatMap(({ patterns }) => patterns).join('|'), 'i')
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

/**
 * Removes clauses about what a skill is not for, such as "Do NOT use for X" or 不要用于…, so that their words do not match.
 * A clause reaches from the negation to the end of its sentence. A following sentence that only points to another skill is removed, too.
 */
export function removeNegatedClauses(text: string): string {
  let kept = ''
  let afterNegation = false
  for (const [part] of text.matchAll(SENTENCE)) {
    if (part === '') continue
    if (afterNegation && REDIRECT.test(part)) continue
    const at = part.replace(FALSE_NEGATION, one => '_'.repeat(one.length)).search(NEGATION)
    afterNegation = at >= 0
    kept += at >= 0 ? `${part.slice(0, at)}\n` : part
  }
  return kept
}
