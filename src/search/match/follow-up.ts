import { sequenceOf } from '../../core/text/analyze.js'
import { SPACED_LANGUAGES, UNSPACED_LANGUAGES } from '../../core/text/language/matching.js'
import { isFunctional } from './function-words.js'

const spaced = Object.values(SPACED_LANGUAGES)
const unspaced = Object.values(UNSPACED_LANGUAGES)

/** Words by which a message leans on the ones before it. */
const LEANING = new Set(spaced.flatMap(({ leaning }) => leaning.words.split(' ')))
/** Conjunctions lean if they begin a message. */
const BEGINNINGS = new Set(spaced.flatMap(({ leaning }) => leaning.beginnings.split(' ')))
const LEANING_RUNS = new RegExp(
  [
    ...unspaced.map(({ leaning }) => leaning),
    ...spaced.flatMap(({ leaning }) => leaning.runs ?? []),
  ].join('|'),
  'u',
)
/** A greeting or thanks, which asks for nothing. */
const GREETING = [
  String.raw`(?<!\p{L})(?:${spaced.map(({ greetings }) => greetings).join('|')})(?!\p{L})`,
  ...unspaced.map(({ greetings }) => greetings),
].join('|')
const TALK = new RegExp(GREETING, 'iu')
/** At the start of a message, and at its end. */
const TALK_AROUND = new RegExp(
  String.raw`^[^\p{L}\p{N}]*(?:${GREETING})|(?:${GREETING})[^\p{L}\p{N}]*$`,
  'giu',
)
/** Own terms of a message that still leans. */
const MAX_OWN_TERMS = 6

/**
 * True if a message needs the ones before it: "yes, do that", "and as PDF?", but not "hello" or "what is 17 times 23?".
 * @param sequence Words and single characters of the message, in order.
 * @param ownTerms Number of its terms that are no function words.
 */
export function isFollowUp(
  message: string,
  sequence: readonly string[],
  ownTerms: number,
): boolean {
  if (ownTerms > MAX_OWN_TERMS) return false
  return ownTerms === 0 ? !TALK.test(message) : leans(message, sequence)
}

/** True if a message refers to the one before it by a word such as "yes" or "that", and is no greeting. */
export function refersBack(message: string): boolean {
  return !TALK.test(message) && leans(message, sequenceOf(message))
}

/** A message without a greeting at its start and thanks at its end. */
export function withoutGreetings(message: string): string {
  return TALK.test(message) ? message.replace(TALK_AROUND, '') : message
}

/** True if a message asks for something by words of its own: not "yes, do that", "why?" or "thanks". */
export function standsAlone(message: string): boolean {
  const sequence = sequenceOf(message)
  return !TALK.test(message) && !leans(message, sequence) && !isFunctional(sequence)
}

function leans(message: string, sequence: readonly string[]): boolean {
  return (
    sequence.some((word, at) => LEANING.has(word) || (at === 0 && BEGINNINGS.has(word))) ||
    LEANING_RUNS.test(message)
  )
}
