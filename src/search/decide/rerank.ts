import { type AbortOptions, TIMED_OUT, withTimeout } from '../../core/abort.js'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { plainLine } from '../../core/sanitize.js'
import { shortenMarks } from '../../core/text/fold.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillId } from '../../skill/skill.js'
import { isKeptBecause, withRerankNote } from '../match/reason.js'
import { applyProofs } from '../match/score.js'
import type {
  KeptBecause,
  Language,
  MatchQuery,
  RankedMatch,
  RerankNote,
} from '../match/skill-match.js'

/** A match as a reranker receives it. */
export interface RerankCandidate {
  id: SkillId
  name: string
  displayName?: string
  description: string
  score: number
}

/** Ids in their new order, or why the order is kept. Missing ids follow in their previous order. */
export type RerankAnswer = readonly SkillId[] | { kept: KeptBecause }

/**
 * Reorders the best matches: a language model (`llmRerank`), a cross-encoder, or a rule of the host. If it throws, the order is kept and the
 * reason of the first match says so.
 */
export type Reranker = (
  query: MatchQuery,
  candidates: readonly RerankCandidate[],
  options: AbortOptions,
) => Promise<RerankAnswer>

/** How often a reranker is right that chooses a skill of a library that serves the message. */
const RERANK_WEIGHT = 0.9

/**
 * Applies the answer of a reranker. The skill that it names first gains, and the others lose, as with any proof; the rest of its order is
 * kept. The reason of the first match says what the reranker did.
 * @param served The probability that the library serves the message.
 */
export function applyRerank(
  matches: readonly RankedMatch[],
  answer: RerankAnswer | { failed: string },
  served: number,
  language?: Language,
): RankedMatch[] {
  const byId = new Map(matches.map(match => [match.id, match]))
  const chosen = Array.isArray(answer)
    ? [...new Set<SkillId>(answer)].flatMap(id => byId.get(id) ?? [])
    : []
  const [first] = chosen
  const note: RerankNote = first
    ? { chosen: true, among: matches.length }
    : { chosen: false, ...keptOf(answer) }
  const proven = first
    ? applyProofs(matches, [{ id: first.id, weight: RERANK_WEIGHT }], served)
    : matches
  const order = [...chosen, ...proven.filter(({ id }) => !chosen.some(one => one.id === id))]
  return order.map((match, rank) => {
    const scored = { ...match, score: proven[rank]?.score ?? 0 }
    return rank === 0 ? withRerankNote(scored, note, language) : scored
  })
}

function keptOf(answer: RerankAnswer | { failed: string }): {
  kept: KeptBecause
  message?: string
} {
  if (Array.isArray(answer)) return { kept: 'none-chosen' }
  if (isRecord(answer) && 'failed' in answer) {
    return { kept: 'failed', message: String(answer['failed']) }
  }
  if (isRecord(answer) && isKeptBecause(answer['kept'])) return { kept: answer['kept'] }
  return { kept: 'failed', message: 'the reranker did not return a list of ids' }
}

/** Sends a prompt to a language model and returns the text of its answer. */
export type AskModel = (prompt: string, options: { signal: AbortSignal }) => Promise<string>

export interface LlmRerankOptions {
  /**
   * Timeout of the model in milliseconds. When it expires, `signal` aborts and the order is kept.
   * @default 5000
   */
  timeout?: number | undefined
}

const TIMEOUT = 5_000
/** Maximum characters of a message and of a description in the prompt. */
const MAX_MESSAGE = 4_000
const MAX_DESCRIPTION = 1_024
/** Earlier messages in the prompt, as many as a search reads. */
const MAX_HISTORY = 3

const OPTIONS = { timeout: 1 } satisfies OptionNames<LlmRerankOptions>

/**
 * Creates a reranker that asks a language model which skill fits best, by number from a list of them.
 *
 * The skill it names comes first. If it names none (no number, several, or one out of range) or times out, the order is kept.
 *
 * @param ask Sends the prompt to a model of yours.
 * @param options `timeout` in milliseconds. Default 5,000.
 * @returns A reranker for the `rerank` option of `openLibrary`.
 * @throws SkillshelfError `invalid-input` if `ask` is not a function, or `timeout` is not above 0
 * @example
 * const library = await openLibrary('/skills/', {
 *   rerank: llmRerank(async (prompt, { signal }) => {
 *     const { text } = await generateText({ model, prompt, abortSignal: signal })
 *     return text
 *   }),
 * })
 */
export function llmRerank(ask: AskModel, options: LlmRerankOptions = {}): Reranker {
  checkOptionNames(options, OPTIONS)
  const { timeout = TIMEOUT } = options
  if (typeof ask !== 'function') {
    throw invalidInput(
      'The first argument of llmRerank must be a function',
      'pass (prompt, { signal }) => Promise<string>',
    )
  }
  if (!(timeout > 0)) {
    throw invalidInput(`"timeout" must be a number of milliseconds above 0, got ${timeout}`)
  }
  return async (query, candidates, { signal } = {}) => {
    const prompt = rerankPrompt(query, candidates)
    const answer = await withTimeout(
      timeout,
      timeoutSignal => ask(prompt, { signal: timeoutSignal }),
      signal,
    )
    if (answer === TIMED_OUT) return { kept: 'late' }
    if (typeof answer !== 'string') {
      throw new SkillshelfError('model-failed', 'The answer of the model is not a string')
    }
    const number = parseChoice(answer, candidates.length)
    return typeof number === 'number'
      ? [(candidates[number - 1] as RerankCandidate).id]
      : { kept: number }
  }
}

/** Lists the skills by number. Each takes one line, whatever its description contains. */
export function rerankPrompt(
  { message, history = [], pasted = message }: MatchQuery,
  candidates: readonly RerankCandidate[],
): string {
  const lines = candidates.map(
    ({ name, displayName, description }, index) =>
      `${index + 1}. ${shown(displayName ?? name)}: ${shown(description)}`,
  )
  return [
    ...history.slice(-MAX_HISTORY).map(earlier => `Said before: ${quoted(earlier)}`),
    ...(pasted === message ? [] : [`Pasted text: ${quoted(pasted)}`]),
    `User message: ${quoted(message)}`,
    '',
    'Available skills:',
    ...lines,
    '',
    `Which skill is most relevant? Respond with just the number (1-${candidates.length}).`,
  ].join('\n')
}

/** Returns the one number in an answer, or why there is no valid one. Accepts full-width digits and skips a `<think>` block. */
export function parseChoice(answer: string, count: number): number | KeptBecause {
  const visible = shortenMarks(answer.slice(answer.lastIndexOf('</think>') + 1)).normalize('NFKC')
  const numbers = new Set(
    [...visible.matchAll(NUMBER)].map(([digits]) => Number(digits.replace('−', '-'))),
  )
  const [number] = numbers
  if (number === undefined) return 'no-number'
  if (numbers.size > 1) return 'several-numbers'
  return Number.isInteger(number) && number >= 1 && number <= count ? number : 'out-of-range'
}

/** A number that is not part of a word (gpt4, 3d) or of a version (1.2.3). A hyphen after a word is not a minus sign. */
const NUMBER = /(?<![a-z\d]|\d\.)(?:(?<![\p{L}\d])[-−])?\d+(?:\.\d+)?(?![a-z\d])/giu

/** Whitespace, control characters, and characters that reorder or hide text. */
const BREAKS = /[\s\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]+/gu

/** A name or description of a skill. */
function shown(text: string): string {
  return plainLine(oneLine(text, MAX_DESCRIPTION))
}

function oneLine(text: string, maxLength: number): string {
  // Cut before the replacement, so that a text of megabytes costs nothing. Drop half of a surrogate pair at the cut.
  return text
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(BREAKS, ' ')
    .trim()
}

/** The quoted message of the document, with quotes inside it escaped so that they cannot end it. */
function quoted(message: string): string {
  return `"${oneLine(message, MAX_MESSAGE).replace(/["\\]/g, '\\$&')}"`
}
