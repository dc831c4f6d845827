import { SPACED_LANGUAGES, UNSPACED_LANGUAGES } from './language/matching.js'

const spaced = Object.values(SPACED_LANGUAGES).map(({ ruledOut }) => ruledOut)
const unspaced = Object.values(UNSPACED_LANGUAGES).map(({ ruledOut }) => ruledOut)

// Words of all languages, because messages mix languages.
const clauseStarts = spaced.map(({ clauseStarts }) => clauseStarts).join('|')
const turns = spaced.map(({ turns }) => turns).join('|')
/** Where a clause starts. */
const START = String.raw`(?<=^|[.,;:!?()\n—–]\s{0,2}|\b(?:${clauseStarts})\s{1,2})`
/** A clause up to its end, or to a word that turns to what is wanted. Bounded, so that the time is linear. */
const REST = String.raw`[^.,;:!?()\n—–]{0,120}?(?=[.,;:!?()\n—–]|$|\s(?:${turns})\s)`

/** The word for a skill, behind or before its name. */
const SKILL = `(?:agent[- ])?(?:${spaced.map(({ skillWord }) => skillWord).join('|')})`
const WORD = String.raw`[\p{L}\p{N}][\p{L}\p{N}_./-]{0,60}`
const HYPHENATED = String.raw`[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+`
/** A name with the word for a skill. The word belongs to the name behind it, if that has a hyphen. */
const CALLED = String.raw`(?:${SKILL}\s+${WORD}|${WORD}(?:\s+${WORD}){0,2}?[\s-]+${SKILL}(?!\p{L}|\s+${HYPHENATED}))`
const SKILL_NAME = String.raw`(?<![\p{L}\p{N}])(?:${CALLED}|${HYPHENATED})`
/** One to three words at the end of a clause. */
const NAME = String.raw`(?:${SKILL_NAME}|${WORD}(?:\s+${WORD}){0,2}?(?=\s*(?:[.,;:!?()\n—–]|$)|\s+(?:${clauseStarts}|${turns})\s))`

const PARTS = { start: START, rest: REST, name: NAME, skill: SKILL_NAME, called: CALLED }

/** What messages rule out in one language. */
interface RuledOut {
  /** Every pattern needs one of these. */
  cue: RegExp
  negatedTwice: readonly string[]
  patterns: readonly string[]
}

const SPACED = spaced.map(
  ({ cues, negatedTwice, patterns }): RuledOut => ({
    cue: new RegExp(cues, 'iu'),
    negatedTwice: negatedTwice(PARTS),
    patterns: patterns(PARTS),
  }),
)
/**
 * Expressions of languages that messages had cues of, by these languages. One has all of them, because messages mix languages, and no other
 * one, because each is tried at every character. Compiling one takes milliseconds, which a message without a cue does not pay.
 */
const compiled = new Map<string, RegExp>()

const CUE_UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/
const RULED_OUT_UNSPACED = createPattern(
  unspaced.flatMap(({ negatedTwice }) => negatedTwice),
  unspaced.flatMap(({ patterns }) => patterns),
  'gu',
)

/**
 * Removes what a message rules out, so that it does not count for a skill: "do not make slides, tell me a story" asks for no slides.
 * It knows orders and "instead of" in every language of the analysis; a fact such as "it does not open" stays.
 */
export function removeRuledOut(message: string): string {
  const pattern = spacedPattern(message)
  const spaced = pattern ? message.replace(pattern, keepNegatedTwice) : message
  return CUE_UNSPACED.test(spaced) ? spaced.replace(RULED_OUT_UNSPACED, keepNegatedTwice) : spaced
}

/** The expression of the languages that a message has cues of; `undefined` for none. */
function spacedPattern(message: string): RegExp | undefined {
  const cued = SPACED.filter(({ cue }) => cue.test(message))
  if (cued.length === 0) return undefined
  const key = cued.map(one => SPACED.indexOf(one)).join()
  const known = compiled.get(key)
  if (known) return known
  const pattern = createPattern(
    cued.flatMap(({ negatedTwice }) => negatedTwice),
    cued.flatMap(({ patterns }) => patterns),
    'giu',
  )
  compiled.set(key, pattern)
  return pattern
}

/** What is negated twice is the group, and comes first: "don't skip" would be read as "don't", and as "skip". */
function createPattern(
  negatedTwice: readonly string[],
  ruledOut: readonly string[],
  flags: string,
): RegExp {
  return new RegExp(`(${negatedTwice.join('|')})|${ruledOut.join('|')}`, flags)
}

function keepNegatedTwice(_: string, negatedTwice: string | undefined): string {
  return negatedTwice ?? ' '
}
