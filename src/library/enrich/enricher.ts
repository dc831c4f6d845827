import { abortable } from '../../core/abort.js'
import { mapParallel } from '../../core/concurrency.js'
import { errorMessage, invalidInput, throwIfAborted } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import { estimateTokens } from '../../core/tokens.js'
import type { VectorCache } from '../../search/model/skill-model.js'
import type { LibraryIndex } from '../local/library-index.js'
import { warnOf } from '../local/problems.js'
import { sourceOf } from '../local/state.js'
import { failsafeCache } from '../model/failsafe-cache.js'
import { checkLimit } from '../query/arguments.js'
import type { EnrichOptions, EnrichResult } from '../skill-library.js'
import { askMessages } from './ask-messages.js'
import { checkMessages } from './check.js'
import { type MessageCounts, type MessagesByLanguage, messageCounts } from './languages.js'
import { createMessageSegments, type MessageSegments, type SkillWithMessages } from './message-segments.js'
import { type AskForMessages, type EnrichedSkill, seenDigest } from './prompt.js'

const CONCURRENCY = 2
/** Skills that are indexed at a time. */
const BATCH = 16
/** Failures of `ask` in a row that end the run: the model is gone. */
const MAX_FAILURES = 3

export type Enricher = ReturnType<typeof createEnricher>

export function createEnricher(index: LibraryIndex) {
  const segments = createMessageSegments()
  index.withMessages = segments.segmentsOf
  let running = new AbortController()
  return {
    /** Asks for messages of the skills without any, and indexes them in the background. Ends an earlier call. */
    enrich(ask: AskForMessages, options?: EnrichOptions): Promise<EnrichResult> {
      return enrich(index, segments, ask, options, () => {
        running.abort()
        running = new AbortController()
        return running.signal
      })
    },
    stop: () => running.abort(),
  }
}

async function enrich(
  index: LibraryIndex,
  segments: MessageSegments,
  ask: AskForMessages,
  options: EnrichOptions = {},
  /** Ends the call before, and returns the signal that the next one fires. */
  replace: () => AbortSignal,
): Promise<EnrichResult> {
  const { languages = ['en'], concurrency = CONCURRENCY, onFailure = warnOf } = options
  const { count, cache, signal, onProgress } = options
  if (typeof ask !== 'function')
    throw invalidInput('"ask" must be a function', 'pass (prompt, { signal }) => Promise<string>')
  const counts = messageCounts(languages, count)
  checkLimit(concurrency, 'concurrency')
  const stop = new AbortController()
  const either = AbortSignal.any([replace(), stop.signal, ...(signal ? [signal] : [])])
  const wanted = [...counts].join(' ')
  const kept = createMessageCache(await failsafeCache(cache, 'skillshelf-messages'), counts)
  const tokens = { input: 0, output: 0 }
  const result = { asked: 0, kept: 0, failed: 0, tokens }
  const skills = index.state.snapshot.skills.filter(skill => {
    const { source, entry } = sourceOf(index.state, skill)
    return !segments.has(source.origin, entry, wanted)
  })
  let done = 0
  let failures = 0
  let batch: (SkillWithMessages & { origin: string })[] = []

  const countedAsk: AskForMessages = async (prompt, options) => {
    tokens.input += estimateTokens(prompt.system) + estimateTokens(prompt.user)
    // An `ask` that ignores its signal must not hold up the run.
    const answer = await abortable(Promise.resolve(ask(prompt, options)), options.signal)
    if (typeof answer === 'string') tokens.output += estimateTokens(answer)
    return answer
  }
  const fail = (path: string, reason: string): void => {
    result.failed++
    const message = `No messages were written for ${path}: ${reason}`
    const hint = 'the skill is found by its other words'
    invokeCallback(onFailure, { code: 'messages-not-written', severity: 'warning', message, path, hint })
  }
  const indexBatch = (): Promise<void> => {
    const added = batch
    batch = []
    if (added.length === 0) return Promise.resolve()
    return index.update(async state => {
      const model = await index.model.current
      for (const origin of new Set(added.map(one => one.origin))) {
        const skills = added.filter(one => one.origin === origin)
        await segments.add(origin, skills, model)
      }
      return state
    })
  }
  const enrichSkill = async (skill: (typeof skills)[number]): Promise<void> => {
    const { source, entry } = sourceOf(index.state, skill)
    const path = joinPath(source.origin, entry.path)
    try {
      const { details, body } = await source.loaded.open(entry, either)
      if (details.messages?.length) return
      const { name, description, whenToUse } = details.metadata
      const texts: EnrichedSkill = { name, description, whenToUse, body }
      let messages = await kept.get(texts)
      if (!messages) {
        result.asked++
        const answer = await askMessages(countedAsk, texts, counts, either)
        failures = 0
        if (!answer.messages) return fail(path, answer.problems.slice(-languages.length).join('; '))
        messages = answer.messages
        await kept.put(texts, messages)
      }
      result.kept++
      batch.push({ origin: source.origin, entry, texts, messages: [...messages.values()].flat(), wanted })
      if (batch.length >= BATCH) await indexBatch()
    } catch (error) {
      if (either.aborted) throw error
      rethrowCallbackError(error)
      fail(path, errorMessage(error))
      if (++failures >= MAX_FAILURES) stop.abort()
    }
  }
  try {
    // Segments that are built before the model joins have no vectors.
    await abortable(index.model.ready, either)
    await mapParallel(skills, concurrency, async skill => {
      throwIfAborted(either)
      await enrichSkill(skill)
      invokeCallback(onProgress, { phase: 'enrich', done: ++done, total: skills.length })
    })
  } catch (error) {
    stop.abort()
    throwIfAborted(signal)
    rethrowCallbackError(error)
    // A later call, closing the library, or a model that is gone ends the run. Written messages stay.
    if (!either.aborted) throw error
  } finally {
    await indexBatch()
  }
  await index.update(async state => {
    await segments.compact()
    return state
  })
  return result
}

/** Messages by what the model saw, and by languages and numbers. */
function createMessageCache(cache: VectorCache, counts: MessageCounts) {
  const keyOf = (skill: EnrichedSkill): string => `messages/1 ${seenDigest(skill)} ${[...counts].join(' ')}`
  return {
    async get(skill: EnrichedSkill): Promise<MessagesByLanguage | undefined> {
      const [bytes] = await cache.get([keyOf(skill)])
      if (!(bytes instanceof Uint8Array)) return undefined
      // Other code of the origin can write to the cache, so it is checked like an answer.
      const data = parseJson(bytes)
      const { messages } = checkMessages(skill, counts, isRecord(data) ? data : {})
      return [...messages.values()].some(list => list.length > 0) ? messages : undefined
    },
    put: (skill: EnrichedSkill, messages: MessagesByLanguage) =>
      cache.put([[keyOf(skill), new TextEncoder().encode(JSON.stringify(Object.fromEntries(messages)))]]),
  }
}
