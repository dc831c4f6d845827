import { type MatchSignals, namedTerms } from 'skillshelf'
import { texts } from '../texts.js'

/** Why a skill matches, in a sentence: a word that the user wrote, or a message of the skill in the same language. */
export function whyOf(signals: MatchSignals): string | undefined {
  const words = namedTerms(signals).filter(({ text }) => text.length > 1 && /\p{L}/u.test(text))
  const { similarMessage, learned } = signals
  if (learned) return undefined
  // An example that shares no word with the message may be in another language.
  if (
    similarMessage !== undefined &&
    words.some(({ text }) => similarMessage.toLowerCase().includes(text.toLowerCase()))
  )
    return texts.why.like(similarMessage)
  const said = [...new Set(words.map(({ text }) => text))].slice(0, 3)
  if (said.length === 0) return signals.similarity === undefined ? undefined : texts.why.meaning
  const fields = new Set(words.slice(0, 3).flatMap(term => term.fields))
  const field = (['name', 'description', 'message', 'body'] as const).find(name => fields.has(name)) ?? 'body'
  return texts.why.said(said, texts.why.fields[field])
}
