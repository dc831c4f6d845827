import type { MatchSignals, SkillSummary } from 'skillshelf'
import { namedTerms, type TermSignal } from 'skillshelf/match'
import { descriptionOf } from '../names.js'
import { texts } from '../texts.js'

/** Words of the message that a sentence names. */
const WORDS = 3
/** Columns of the longest purpose, and those before the comma at which a longer one is cut. */
const MAX_PURPOSE = 90
const MIN_PURPOSE = 12
const WIDE = /[\u1100-\u{3ffff}]/gu

/** The words of the message that explain a match. A single character says nothing to the reader. */
export const saidTerms = (signals: MatchSignals): TermSignal[] =>
  namedTerms(signals).filter(({ text }) => text.length > 1)

/** Why a skill matches, in a sentence: a word that the user said and what the skill does, or a message of the skill in the same language. */
export function whyOf(signals: MatchSignals, skill: SkillSummary): string | undefined {
  const words = saidTerms(signals)
    .filter(({ text }) => /\p{L}/u.test(text))
    .slice(0, WORDS)
  const { similarMessage, learned } = signals
  if (learned) return undefined
  // An example that shares no word with the message may be in another language.
  if (
    similarMessage !== undefined &&
    words.some(({ text }) => similarMessage.toLowerCase().includes(text.toLowerCase()))
  ) {
    return texts.why.like(similarMessage)
  }
  const purpose = texts.why.purpose(purposeOf(descriptionOf(skill)))
  const said = [...new Set(words.map(({ text }) => text))]
  if (said.length === 0) {
    return signals.similarity === undefined ? undefined : texts.why.meaning(purpose)
  }
  const fields = new Set(words.flatMap(term => term.fields))
  const field =
    (['name', 'description', 'message', 'body'] as const).find(name => fields.has(name)) ?? 'body'
  return texts.why.said(
    said,
    field === 'message' || field === 'body' ? texts.why.alsoIn[field] : '',
    purpose,
  )
}

/** The beginning of a description, which says what the skill does. */
function purposeOf(description: string): string {
  const clause = /^.+?(?=[.!?;:]\s|[.。！？；：(（—]|$)/su.exec(description)?.[0].trim() ?? ''
  const columns = clause.length + (clause.match(WIDE)?.length ?? 0)
  const comma = clause.slice(MIN_PURPOSE).search(/[,，]/)
  return columns <= MAX_PURPOSE || comma < 0 ? clause : clause.slice(0, MIN_PURPOSE + comma)
}
