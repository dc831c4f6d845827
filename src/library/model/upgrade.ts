import { abortable, linkedController, TIMED_OUT, withTimeout } from '../../core/abort.js'
import {
  invalidInput,
  isSkillshelfError,
  SkillshelfError,
  throwIfAborted,
} from '../../core/errors.js'
import { invokeCallback, rethrowCallbackError } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { Vectors } from '../../search/index/vectors.js'
import { areZeros, checkEmbedderTraits } from '../../search/model/check-vectors.js'
import { supportsLanguages } from '../../search/model/script-parts.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../../search/model/skill-model.js'
import { toUnitLength } from '../../search/model/unit-vectors.js'
import { type Diagnostic, modelDiagnostic } from '../../skill/diagnostics.js'
import type { LocalLibrary, UpgradeOptions } from '../api/skill-library.js'
import { addProblem, warnOf } from '../state/problems.js'
import type { LibraryState } from '../state/state.js'
import { embedTexts } from './embedded-texts.js'
import { failsafeCache } from './failsafe-cache.js'
import type { EmbedderInUse, ModelIndex } from './model.js'
import { createSkillVectors } from './skill-vectors.js'

const TIMEOUT = 2_000

/** Adds an asynchronous embedder to a library that is in use. */
export interface Upgrader {
  /** Loads an embedder and embeds every skill. Replaces the embedder of an earlier call. */
  upgrade: LocalLibrary['upgrade']
  /** Aborts the last call and closes its embedder. */
  stop(): Promise<void>
}

const OPTIONS = {
  signal: 1,
  onProgress: 1,
  onFailure: 1,
  cache: 1,
  timeout: 1,
} satisfies OptionNames<UpgradeOptions>

export function createUpgrader(index: ModelIndex): Upgrader {
  let running = new AbortController()

  const stop = async (): Promise<void> => {
    const { embedder } = index
    index.embedder = undefined
    running.abort(
      new SkillshelfError('closed', 'The embedder was replaced or the library was closed'),
    )
    await embedder?.close()
  }

  const upgrade: Upgrader['upgrade'] = async (model, options = {}) => {
    checkOptionNames(options, OPTIONS)
    const { signal, onProgress, onFailure = warnOf, cache, timeout = TIMEOUT } = options
    if (typeof model !== 'function' && typeof model?.embed !== 'function') {
      throw invalidInput(
        '"embedder" must be an embedder or a function that loads one',
        'such as transformers({ … }) or threadEmbedder({ … })',
      )
    }
    const stopped = stop()
    const abort = new AbortController()
    running = abort
    await stopped
    const { controller, unlink } = linkedController(signal, abort.signal)
    const either = controller.signal
    let embedder: EmbedderInUse | undefined
    let failed = false
    const detach = (): void => {
      if (index.embedder === embedder) index.embedder = undefined
    }
    const fail = (error: unknown): void => {
      if (failed || abort.signal.aborted || signal?.aborted) return
      failed = true
      detach()
      void embedder?.close()
      rethrowCallbackError(error)
      onFailure(modelDiagnostic(error, 'The upgrade embedder'))
    }
    try {
      embedder = embedIndex(index, await load(model, onProgress, either), {
        cache: await failsafeCache(cache, 'skillshelf-vectors'),
        timeout,
        onProgress: (done, total) => invokeCallback(onProgress, { phase: 'embed', done, total }),
        onFailure: fail,
      })
      throwIfAborted(either)
      index.embedder = embedder
      await abortable(embedder.embedNewSkills(), either)
    } catch (error) {
      detach()
      await embedder?.close()
      throwIfAborted(signal)
      // A later call, or closing the library, has replaced this embedder.
      if (abort.signal.aborted) return false
      rethrowCallbackError(error)
      fail(error)
    } finally {
      unlink()
    }
    return !failed
  }

  return { stop, upgrade }
}

async function load(
  model: Embedder | EmbedderLoader,
  onProgress: UpgradeOptions['onProgress'],
  signal: AbortSignal,
): Promise<Embedder> {
  const loading =
    typeof model === 'function'
      ? model({ signal, onProgress: progress => invokeCallback(onProgress, progress) })
      : Promise.resolve(model)
  // Releases a model that finishes loading after the abort.
  loading.then(
    embedder => {
      if (signal.aborted) embedder.close?.()
    },
    () => undefined,
  )
  return abortable(loading, signal)
}

interface EmbedOptions {
  cache: VectorCache
  /** Milliseconds that a message waits for its vector. */
  timeout: number
  onProgress: (done: number, total: number) => void
  /** Called once, when the embedder cannot be used any more. */
  onFailure: (error: unknown) => void
}

/** @throws SkillshelfError `model-failed` if the embedder has properties that scores cannot be made of */
function embedIndex(index: ModelIndex, embedder: Embedder, options: EmbedOptions): EmbedderInUse {
  const { id, unrelated, calibration } = embedder
  const { timeout, onProgress } = options
  const traits = {
    ...(unrelated === undefined ? {} : { unrelated }),
    ...(calibration ? { calibration } : {}),
  }
  checkEmbedderTraits(embedder)
  const covers = supportsLanguages(embedder.languages)
  const skills = createSkillVectors(embedder, options.cache, covers)
  const vectors = new Map<string, Vectors>()
  const stop = new AbortController()
  let running: Promise<void> | undefined
  /** A message that is still embedded after its timeout. */
  let late: Promise<unknown> | undefined

  const fail = (error: unknown): void => {
    if (stop.signal.aborted) return
    stop.abort()
    options.onFailure(error)
  }
  const withProblem = (state: LibraryState, problem: Diagnostic): LibraryState =>
    state.diagnostics.some(({ message }) => message === problem.message)
      ? state
      : addProblem(state, problem, index.options.onDiagnostic)
  const missingSegments = () => index.segments.filter(({ key }) => !vectors.has(key))

  const embedAll = async (): Promise<void> => {
    let done = 0
    for (;;) {
      const missing = missingSegments()
      const [first] = missing
      if (!first) break
      const { source, segment, key } = first
      const total =
        done +
        missing.reduce((sum, next) => sum + skills.missing(next.source.loaded, next.segment), 0)
      const embedded = await skills.embed(source.loaded, segment, {
        signal: stop.signal,
        onEmbedded: count => {
          done += count
          onProgress(done, total)
        },
        onIgnored: problem => index.update(state => withProblem(state, problem)),
      })
      throwIfAborted(stop.signal)
      // S14: an embedder joins only with vectors that say something. Until all segments have theirs, it does not rank.
      if (missing.length === 1) skills.checkMeaning()
      vectors.set(key, embedded)
      await index.update(state => state)
    }
    const keys = new Set(index.segments.map(({ key }) => key))
    for (const key of vectors.keys()) {
      if (!keys.has(key)) vectors.delete(key)
    }
    skills.retain(index.state)
  }

  /** The vector of a message, of unit length. `undefined` if the message has no meaning for the embedder. */
  const embedMessage = async (
    message: string,
    signal: AbortSignal | undefined,
  ): Promise<Float32Array | undefined> => {
    const numbers = await embedTexts(embedder, [message], { kind: 'query', signal })
    if (!areZeros(numbers)) return toUnitLength(numbers)
    await skills.checkWitness(signal)
    return undefined
  }

  return {
    vectorsOf: key => vectors.get(key),
    async embedNewSkills() {
      running ??= embedAll()
        .catch(fail)
        .finally(() => {
          running = undefined
        })
      return running
    },
    async embed(message, signal) {
      if (stop.signal.aborted || late || missingSegments().length > 0 || !covers(message)) {
        return undefined
      }
      const embedding = embedMessage(message, signal)
      try {
        const numbers = await withTimeout(timeout, () => embedding)
        if (numbers !== TIMED_OUT) return numbers && { space: id, numbers, ...traits }
        // Other messages do not wait while the embedder is behind.
        late = embedding
          .catch(error => isSkillshelfError(error, 'aborted') || fail(error))
          .finally(() => {
            late = undefined
          })
      } catch (error) {
        if (isSkillshelfError(error, 'aborted')) throwIfAborted(signal)
        fail(error)
      }
      return undefined
    },
    async close() {
      stop.abort()
      await embedder.close?.().catch(() => undefined)
    },
  }
}
