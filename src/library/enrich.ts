import { abortable } from '../core/abort.js'
import { mapParallel } from '../core/concurrency.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { joinPath } from '../core/paths.js'
import { invokeCallback, rethrowCallbackError } from '../core/progress.js'
import { estimateTokens } from '../core/tokens.js'
import type { VectorCache } from '../search/model/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { checkLimit } from './arguments.js'
import { askMessages } from './enrich/ask-messages.js'
import { checkMessages } from './enrich/check.js'
import { messageCounts } from './enrich/languages.js'
import { seenDigest } from './enrich/prompt.js'
import type { AskForMessages, EnrichedSkill, MessageCounts, MessagesByLanguage } from './enrich/types.js'
import { createMessageSegments } from './message-segments.js'
import { type OpenLibrary, type SkillWithMessages, sourceOf, updateMatcher } from './state.js'
import type { EnrichOptions, EnrichResult } from './types.js'

const loadVectorCache = onDemand(() => import('../search/model/vector-cache.js'))

const CONCURRENCY = 2
/** Skills that are indexed at a time. */
const BATCH = 16
/** Failures of `ask` in a row that end the run: the model is gone. */
const MAX_FAILURES = 3

/** Asks for messages of the skills without any, and indexes them in the background. Ends an earlier call. */
export async function enrich(
  library: OpenLibrary,
  ask: AskForMessages,
  {
    languages = ['en'],
    count,
    concurrency = CONCURRENCY,
    cache,
    signal,
    onProgress,
    onFailure = warn,
  }: EnrichOptions = {},
): Promise<EnrichResult> {
  if (typeof ask !== 'function')
    throw new SkillshelfError('invalid-input', '"ask" must be a function', {
      hint: 'pass (prompt, { signal }) => Promise<string>',
    })
  const counts = messageCounts(languages, count)
  checkLimit(concurrency, 'concurrency')
  library.enrichAbort?.abort()
  const replaced = new AbortController()
  library.enrichAbort = replaced
  const stop = new AbortController()
  const either = AbortSignal.any([replaced.signal, stop.signal, ...(signal ? [signal] : [])])
  const segments = library.messageSegments ?? createMessageSegments()
  library.messageSegments = segments
  const wanted = [...counts].join(' ')
  const kept = createMessageCache(await cacheFor(cache), counts)
  const tokens = { input: 0, output: 0 }
  const result = { asked: 0, kept: 0, failed: 0, tokens }
  const skills = library.state.snapshot.skills.filter(skill => {
    const { source, entry } = sourceOf(library.state, skill)
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
    invokeCallback(onFailure, {
      code: 'messages-not-written',
      severity: 'warning',
      message: `No messages were written for ${path}: ${reason}`,
      path,
      hint: 'the skill is found by its other words',
    })
  }
  const indexBatch = (): Promise<void> => {
    const added = batch
    batch = []
    return library.queue(async () => {
      if (library.closed || added.length === 0) return
      const embedder = await library.embedder
      for (const origin of new Set(added.map(one => one.origin)))
        await segments.add(
          origin,
          added.filter(one => one.origin === origin),
          embedder,
        )
      await applySegments(library)
    })
  }
  const enrichSkill = async (skill: (typeof skills)[number]): Promise<void> => {
    const { source, entry } = sourceOf(library.state, skill)
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
    await abortable(library.ready, either)
    await mapParallel(skills, concurrency, async skill => {
      throwIfAborted(either)
      await enrichSkill(skill)
      invokeCallback(onProgress, { phase: 'enrich', done: ++done, total: skills.length })
    })
  } catch (error) {
    stop.abort()
    throwIfAborted(signal)
    rethrowCallbackError(error)
    // A later call, closing the library, or a model that is gone ends the run. What is written stays.
    if (!either.aborted) throw error
  } finally {
    await indexBatch()
    if (library.enrichAbort === replaced) library.enrichAbort = undefined
  }
  await library.queue(async () => {
    await segments.compact()
    if (!library.closed) await applySegments(library)
  })
  return result
}

/** Shows the matcher the written messages. Runs in the queue of the library. */
async function applySegments(library: OpenLibrary): Promise<void> {
  const state = library.messageSegments?.apply(library.state) ?? library.state
  if (state === library.state) return
  await updateMatcher(library, state)
  library.state = state
  void library.upgrade?.embedNewSkills()
}

interface MessageCache {
  get(skill: EnrichedSkill): Promise<MessagesByLanguage | undefined>
  put(skill: EnrichedSkill, messages: MessagesByLanguage): Promise<void>
}

/** Messages by what the model saw, and by languages and numbers. A cache that fails is not used again. */
function createMessageCache(cache: VectorCache | undefined, counts: MessageCounts): MessageCache {
  let working = cache
  const keyOf = (skill: EnrichedSkill): string => `messages/1 ${seenDigest(skill)} ${[...counts].join(' ')}`
  return {
    async get(skill) {
      try {
        const [bytes] = (await working?.get([keyOf(skill)])) ?? []
        if (!(bytes instanceof Uint8Array)) return undefined
        // Other code of the origin can write to the cache, so it is checked like an answer.
        const { messages } = checkMessages(
          skill,
          counts,
          JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>,
        )
        return [...messages.values()].some(list => list.length > 0) ? messages : undefined
      } catch {
        working = undefined
        return undefined
      }
    },
    async put(skill, messages) {
      try {
        await working?.put([[keyOf(skill), new TextEncoder().encode(JSON.stringify(Object.fromEntries(messages)))]])
      } catch {
        working = undefined
      }
    },
  }
}

async function cacheFor(cache: VectorCache | false | undefined): Promise<VectorCache | undefined> {
  if (cache !== undefined) return cache || undefined
  if (typeof indexedDB === 'undefined') return undefined
  const { vectorCache } = await loadVectorCache()
  return vectorCache('skillshelf-messages')
}

function warn({ message, hint }: Diagnostic): void {
  console.warn(`skillshelf: ${message} (${hint})`)
}
