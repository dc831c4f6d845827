/*
 * Sentences in quotation marks: “Translate "I would like to book a flight"” asks for a translation. A short quote is a name or a word that
 * the message is about, and a message that is hardly more than a quote asks for what it quotes.
 */

import { removeRuledOut } from './message-negation.js'

/** A message without the sentences that it quotes. */
export interface WithoutQuotes {
  message: string
  quotes: readonly string[]
}

/** Words of a quote that is a sentence, and of what is asked beside it. */
const MIN_QUOTED = 4
const MIN_ASKED = 1
/** Characters of a word in scripts without spaces. */
const WORD_LENGTH = 2

/** A quote has no mark of its own kind inside, so the time is linear. An apostrophe stands after a letter. */
const QUOTE =
  /"[^"\n]+"|“[^“”\n]+”|„[^„“”\n]+[“”]|«[^«»\n]+»|「[^「」\n]+」|『[^『』\n]+』|(?<![\p{L}\p{N}])(?:'[^'\n]+'|‘[^‘’\n]+’)(?![\p{L}\p{N}])/gu
const HAS_MARK = /["'“„«「『‘]/
const SPACED = /[\p{L}\p{N}]+/gu
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/gu

/** Takes the sentences out of a message that stand in quotation marks. The marks stay. */
export function withoutQuotes(message: string): WithoutQuotes {
  if (!HAS_MARK.test(message)) return { message, quotes: [] }
  const quotes: string[] = []
  const asked = message.replace(QUOTE, quote => {
    const inner = quote.slice(1, -1)
    if (wordsIn(inner) < MIN_QUOTED) return quote
    quotes.push(inner)
    return `${quote.charAt(0)}${quote.at(-1)}`
  })
  return quotes.length > 0 && wordsIn(asked) >= MIN_ASKED
    ? { message: asked, quotes }
    : { message, quotes: [] }
}

/** What a message asks for: without the sentences that it quotes and without what it rules out. */
export function askedIn(message: string): string {
  return removeRuledOut(withoutQuotes(message).message)
}

function wordsIn(text: string): number {
  const unspaced = text.match(UNSPACED)?.length ?? 0
  const spaced = text.replace(UNSPACED, ' ').match(SPACED)?.length ?? 0
  return spaced + unspaced / WORD_LENGTH
}
