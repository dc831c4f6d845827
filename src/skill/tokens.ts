/** Counts the tokens a text costs in a model's context. Hosts hand in a real tokenizer's; `estimateTokens` is the default. */
export type TokenCounter = (text: string) => number

/** Above this a skill's name and description draw a warning, in tokens. */
export const METADATA_TOKENS = 100
/** Above this a skill's instructions draw a warning, in tokens. */
export const INSTRUCTIONS_TOKENS = 5_000

const piece =
  /([A-Za-z]+)|(\p{N}+)|([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+)|(\p{L}[\p{L}\p{M}]*)|(\n+)|([^\S\n]+)|([^\s\p{L}\p{N}]+)/gu

/**
 * Estimates tokens without a tokenizer: a word costs one token and one more per six letters beyond the first seven,
 * three digits one, an ideograph about .8, other letters one per 2.5, a line break one, punctuation one per two marks.
 */
export const estimateTokens: TokenCounter = text => {
  let tokens = 0
  for (const [run, word, digits, east, letters, breaks, blanks] of text.matchAll(piece)) {
    if (word) tokens += 1 + Math.max(0, run.length - 7) / 6
    else if (digits) tokens += Math.ceil(run.length / 3)
    else if (east) tokens += run.length * 0.8
    else if (letters) tokens += Math.max(1, run.length / 2.5)
    else if (breaks) tokens += 1
    else if (blanks) tokens += run.length > 1 ? 1 : 0
    else tokens += Math.max(1, run.length / 2)
  }
  return Math.ceil(tokens)
}
