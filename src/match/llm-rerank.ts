import { SkillshelfError } from '../core/errors.js'
import { stripHidden } from '../core/sanitize.js'
import { TIMED_OUT, withTimeout } from '../core/timeout.js'
import type { RerankCandidate, Reranker } from './rerank.js'
import type { KeptBecause, MatchQuery } from './types.js'

/** Sends a prompt to a language model and gives the text of its answer. */
export type AskModel = (prompt: string, options: { signal: AbortSignal }) => Promise<string>

export interface LlmRerankOptions {
  /** Milliseconds that the model has: a later answer is not waited for, and `signal` fires. Default 5,000. */
  timeout?: number | undefined
}

const TIMEOUT = 5_000
/** Characters of a message and of a description in a prompt. */
const MAX_MESSAGE = 4_000
const MAX_DESCRIPTION = 1_024
/** Earlier messages in a prompt, as many as a search reads. */
const HISTORY = 3

/**
 * A reranker that asks a language model which skill fits best, in the words of the TokenDance document. The one it names comes
 * first; where it names none (no number, several, one out of range) or is late, the order stays.
 * @throws SkillshelfError `invalid-input`
 */
export function llmRerank(ask: AskModel, { timeout = TIMEOUT }: LlmRerankOptions = {}): Reranker {
  if (typeof ask !== 'function')
    throw new SkillshelfError('invalid-input', 'llmRerank takes a function that asks a model', {
      hint: 'give (prompt, { signal }) => Promise<string>',
    })
  if (!(timeout > 0))
    throw new SkillshelfError('invalid-input', `"timeout" must be a number of milliseconds above 0, got ${timeout}`)
  return async (query, candidates, { signal } = {}) => {
    const prompt = rerankPrompt(query, candidates)
    const answer = await withTimeout(timeout, at => ask(prompt, { signal: at }), signal)
    if (answer === TIMED_OUT) return { kept: 'late' }
    if (typeof answer !== 'string') throw new SkillshelfError('model-failed', 'The answer of the model is not text')
    const number = numberIn(answer, candidates.length)
    return typeof number === 'number' ? [(candidates[number - 1] as RerankCandidate).id] : { kept: number }
  }
}

/** The prompt of the TokenDance document: the message, a numbered line for each skill, the question. A skill has one line, whatever it says. */
export function rerankPrompt({ message, history = [] }: MatchQuery, candidates: readonly RerankCandidate[]): string {
  const lines = candidates.map(
    ({ name, displayName, description }, index) =>
      `${index + 1}. ${oneLine(displayName ?? name, MAX_DESCRIPTION)}: ${oneLine(description, MAX_DESCRIPTION)}`,
  )
  return [
    ...history.slice(-HISTORY).map(said => `Said before: ${quoted(said)}`),
    `User message: ${quoted(message)}`,
    '',
    'Available skills:',
    ...lines,
    '',
    `Which skill is most relevant? Respond with just the number (1-${candidates.length}).`,
  ].join('\n')
}

/** The one number that an answer names, or why it names none. Digits of any width; what a model thinks aloud first is passed over. */
export function numberIn(answer: string, most: number): number | KeptBecause {
  const said = answer.slice(answer.lastIndexOf('</think>') + 1).normalize('NFKC')
  const numbers = new Set([...said.matchAll(digits)].map(([one]) => Number(one.replace('−', '-'))))
  const [number] = numbers
  if (number === undefined) return 'no-number'
  if (numbers.size > 1) return 'several-numbers'
  return Number.isInteger(number) && number >= 1 && number <= most ? number : 'out-of-range'
}

/** Not as part of a word (gpt4, 3d) or of 1.2.3. A hyphen after a word is no minus. */
const digits = /(?<![a-z\d]|\d\.)(?:(?<![\p{L}\d])[-−])?\d+(?:\.\d+)?(?![a-z\d])/giu

function oneLine(text: string, most: number): string {
  // Cut first: a text of megabytes is not worth reading. A cut through a character leaves no half of it.
  const start = text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
  return stripHidden(start, ' ').replace(/\s+/g, ' ').trim()
}

/** As the document has it, but that quotes inside it cannot end it. */
function quoted(message: string): string {
  return `"${oneLine(message, MAX_MESSAGE).replace(/["\\]/g, '\\$&')}"`
}
