import { abortable, linkedController } from '../../core/abort.js'
import { mapParallel } from '../../core/concurrency.js'
import { errorMessage, invalidInput, throwIfAborted } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { estimateTokens } from '../../core/tokens.js'
import { withoutEqual } from '../../search/index/message-key.js'
import type { VectorCache } from '../../search/model/skill-model.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { AskForMessages } from '../api/message-writing.js'
import type { EnrichOptions, EnrichResult } from '../api/skill-library.js'
import type { LibraryIndex } from '../local/library-index.js'
import { failsafeCache } from '../model/failsafe-cache.js'
import { checkLimit } from '../query/arguments.js'
import { warnOf } from '../state/problems.js'
import { sourceOf } from '../state/state.js'
import { askMessages } from './ask-messages.js'
import { checkMessages } from './check.js'
import { type MessageCounts, type MessagesByLanguage, messageCounts } from './languages.js'
import {
  createMessageSegments,
  type MessageSegments,
  type SkillWithMessages,
} from './message-segments.js'
import { type EnrichedSkill, seenDigest } from './prompt.js'

const CONCURRENCY = 2
/** Skills that are indexed at a time. */
const BATCH = 16
/** Failures of `ask` in a row that end the run: the model is gone. */
const MAX_FAILURES = 3

/** Writes messages for the skills of a library that is in use. */
export interface Enricher {
  /** Asks for messages of the skills without any, and indexes them in the background. Ends an earlier call. */
  enrich(ask: AskForMessages, options?: EnrichOptions): Promise<EnrichResult>
  /** Ends the last call. */
  stop(): void
}

const OPTIONS = {
  languages: 1,
  count: 1,
  concurrency: 1,
  cache: 1,
  onProgress: 1,
  onFailure: 1,
  signal: 1,
} satisfies OptionNames<EnrichOptions>

/** One call of `enrich`. */
interface EnrichState {
  readonly index: LibraryIndex
  /** Where written messages are indexed. All calls share it. */
  readonly segments: MessageSegments
  /** The caller's model. Counts its tokens. */
  readonly ask: AskForMessages
  readonly counts: MessageCounts
  /** The languages and numbers as text: a skill is asked for again if they differ. */
  readonly wanted: string
  readonly cache: MessageCache
  /** Ends this call. The signal of the caller, a later call and closing the library do so too, until `unlink`. */
  readonly stop: AbortController
  unlink(): void
  readonly onFailure: NonNullable<EnrichOptions['onFailure']>
  readonly result: EnrichResult
  /** Failures of `ask` since its last answer. */
  failures: number
  /** Skills with messages that are not indexed yet. */
  batch: (SkillWithMessages & { origin: string })[]
}

export function createEnricher(index: LibraryIndex): Enricher {
  const segments = createMessageSegments()
  index.withMessages = segments.segmentsOf
  let running = new AbortController()
  return {
    async enrich(ask, options = {}) {
      checkOptionNames(options, OPTIONS)
      const replace = (): AbortSignal => {
        running.abort()
        running = new AbortController()
        return running.signal
      }
      const state = await startRun(index, { segments, ask, replace }, options)
      return enrich(state, options)
    },
    stop: () => running.abort(),
  }
}

interface RunParts extends Pick<EnrichState, 'segments' | 'ask'> {
  /** Ends the call before, and returns the signal that the next one fires. */
  replace(): AbortSignal
}

/** Checks the arguments of a call, ends the one before, and opens the cache. */
async function startRun(
  index: LibraryIndex,
  { segments, ask, replace }: RunParts,
  options: EnrichOptions,
): Promise<EnrichState> {
  const {
    languages = ['en'],
    concurrency = CONCURRENCY,
    onFailure = warnOf,
    count,
    cache,
    signal,
  } = options
  if (typeof ask !== 'function') {
    throw invalidInput('"ask" must be a function', 'pass (prompt, { signal }) => Promise<string>')
  }
  const counts = messageCounts(languages, count)
  checkLimit(concurrency, 'concurrency')
  const { controller: stop, unlink } = linkedController(replace(), signal)
  const result = { asked: 0, kept: 0, failed: 0, tokens: { input: 0, output: 0 } }
  return {
    index,
    segments,
    ask: recordTokens(ask, result),
    counts,
    wanted: [...counts].join(' '),
    cache: createMessageCache(await failsafeCache(cache, 'skillshelf-messages'), counts),
    stop,
    unlink,
    onFailure,
    result,
    failures: 0,
    batch: [],
  }
}

/** A model that adds the tokens of its prompts and answers to a result. */
function recordTokens(ask: AskForMessages, { tokens }: EnrichResult): AskForMessages {
  return async (prompt, options) => {
    tokens.input += estimateTokens(prompt.system) + estimateTokens(prompt.user)
    // An `ask` that ignores its signal must not hold up the run.
    const answer = await abortable(Promise.resolve(ask(prompt, options)), options.signal)
    if (typeof answer === 'string') tokens.output += estimateTokens(answer)
    return answer
  }
}

/** Writes messages for every skill that has none, and indexes them in batches. */
async function enrich(state: EnrichState, options: EnrichOptions): Promise<EnrichResult> {
  const { index, segments, wanted, stop, unlink, result } = state
  const either = stop.signal
  const { concurrency = CONCURRENCY, onProgress, signal } = options
  const skills = index.state.snapshot.skills.filter(skill => {
    const { source, entry } = sourceOf(index.state, skill)
    return !segments.has(source.origin, entry, wanted)
  })
  let done = 0
  try {
    // Segments that are built before the model joins have no vectors.
    await abortable(index.model.ready, either)
    await mapParallel(skills, concurrency, async skill => {
      throwIfAborted(either)
      await enrichSkill(state, skill)
      done++
      invokeCallback(onProgress, { phase: 'enrich', done, total: skills.length })
    })
  } catch (error) {
    stop.abort()
    throwIfAborted(signal)
    rethrowCallbackError(error)
    // A later call, closing the library, or a model that is gone ends the run. Written messages stay.
    if (!either.aborted) throw error
  } finally {
    unlink()
    await indexBatch(state)
  }
  await index.update(async current => {
    await segments.compact()
    return current
  })
  return result
}

/** Adds the messages of one skill to the batch, from the cache or from the model. A failure concerns this skill only. */
async function enrichSkill(state: EnrichState, skill: SkillSummary): Promise<void> {
  const { index, counts, wanted, cache, stop, result } = state
  const { signal } = stop
  const { source, entry } = sourceOf(index.state, skill)
  const path = joinPath(source.origin, entry.path)
  try {
    const { details, body } = await source.loaded.open(entry, signal)
    if (details.messages?.length) return
    const { name, description, whenToUse } = details.metadata
    const texts: EnrichedSkill = { name, description, whenToUse, body }
    let messages = await cache.get(texts)
    if (!messages) {
      result.asked++
      const answer = await askMessages(state.ask, texts, counts, signal)
      state.failures = 0
      if (!answer.messages) {
        fail(state, path, answer.problems.slice(-counts.size).join('; '))
        return
      }
      messages = answer.messages
      await cache.put(texts, messages)
    }
    result.kept++
    state.batch.push({
      origin: source.origin,
      entry,
      texts,
      messages: withoutEqual([...messages.values()].flat(), details.notMessages ?? []),
      notMessages: details.notMessages,
      wanted,
    })
    if (state.batch.length >= BATCH) await indexBatch(state)
  } catch (error) {
    if (signal.aborted) throw error
    rethrowCallbackError(error)
    fail(state, path, errorMessage(error))
    state.failures++
    if (state.failures >= MAX_FAILURES) stop.abort()
  }
}

/** Reports a skill that gets no messages. */
function fail({ result, onFailure }: EnrichState, path: string, reason: string): void {
  result.failed++
  const message = `No messages were written for ${path}: ${reason}`
  const hint = 'the skill is found by its other words'
  invokeCallback(onFailure, {
    code: 'messages-not-written',
    severity: 'warning',
    message,
    path,
    hint,
  })
}

async function indexBatch(state: EnrichState): Promise<void> {
  const { index, segments, batch } = state
  state.batch = []
  if (batch.length === 0) return
  await index.update(async current => {
    const model = await index.model.current
    for (const origin of new Set(batch.map(one => one.origin))) {
      const skills = batch.filter(one => one.origin === origin)
      await segments.add(origin, skills, model)
    }
    return current
  })
}

/** Written messages, by the texts that the model saw and by languages and numbers. */
interface MessageCache {
  /** `undefined` if nothing usable is stored. */
  get(skill: EnrichedSkill): Promise<MessagesByLanguage | undefined>
  put(skill: EnrichedSkill, messages: MessagesByLanguage): Promise<unknown>
}

function createMessageCache(cache: VectorCache, counts: MessageCounts): MessageCache {
  const keyOf = (skill: EnrichedSkill): string =>
    `messages/1 ${seenDigest(skill)} ${[...counts].join(' ')}`
  return {
    async get(skill) {
      const [bytes] = await cache.get([keyOf(skill)])
      if (!(bytes instanceof Uint8Array)) return undefined
      // Other code of the origin can write to the cache, so it is checked like an answer.
      const data = parseJson(bytes)
      const { messages } = checkMessages(skill, counts, isRecord(data) ? data : {})
      return [...messages.values()].some(list => list.length > 0) ? messages : undefined
    },
    put: (skill, messages) =>
      cache.put([
        [keyOf(skill), new TextEncoder().encode(JSON.stringify(Object.fromEntries(messages)))],
      ]),
  }
}
