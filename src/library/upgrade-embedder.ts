import { TIMED_OUT, withTimeout } from '../core/abort.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { Vectors } from '../search/index/vectors.js'
import { supportsLanguages } from '../search/model/languages.js'
import type { Embedder, VectorCache } from '../search/model/types.js'
import { createSkillVectors } from './skill-vectors.js'
import { type OpenLibrary, segmentKey, type UpgradeEmbedder } from './state.js'

export interface UpgradeEmbedderOptions {
  library: Pick<OpenLibrary, 'state'>
  cache: VectorCache | undefined
  /** Milliseconds that a message waits for its vector. */
  timeout: number
  /** Called after each segment. */
  updateMatcher: () => Promise<void>
  onProgress: (done: number, total: number) => void
  /** Called once, when the embedder cannot be used any more. */
  onFailure: (error: unknown) => void
}

/** @throws SkillshelfError `model-failed` if the dimensions are not a multiple of 8 */
export function createUpgradeEmbedder(embedder: Embedder, options: UpgradeEmbedderOptions): UpgradeEmbedder {
  const { id, dimensions, unrelated, calibration } = embedder
  const { library, timeout, updateMatcher, onProgress } = options
  if (dimensions % 8 > 0)
    throw new SkillshelfError('model-failed', `${id} has ${dimensions} dimensions, not a multiple of 8`)
  const covers = supportsLanguages(embedder.languages)
  const skills = createSkillVectors(embedder, options.cache)
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
  const allSegments = () =>
    library.state.sources.flatMap(({ origin, loaded }) =>
      loaded.segments.map(segment => ({ loaded, segment, key: segmentKey(origin, segment.key) })),
    )
  const missingSegments = () => allSegments().filter(({ key }) => !vectors.has(key))

  const embedAll = async (): Promise<void> => {
    let done = 0
    for (let missing = missingSegments(); missing.length > 0; missing = missingSegments()) {
      const [{ loaded, segment, key }] = missing as [(typeof missing)[number]]
      const total = done + missing.reduce((sum, next) => sum + skills.missing(next.loaded, next.segment), 0)
      const embedded = await skills.embed(loaded, segment, {
        signal: stop.signal,
        onEmbedded: count => {
          done += count
          onProgress(done, total)
        },
      })
      throwIfAborted(stop.signal)
      vectors.set(key, embedded)
      await updateMatcher()
    }
    const keys = new Set(allSegments().map(({ key }) => key))
    for (const key of vectors.keys()) if (!keys.has(key)) vectors.delete(key)
    skills.retain(library.state)
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
      if (stop.signal.aborted || late || missingSegments().length > 0 || !covers(message)) return undefined
      const embedding = embedder.embed([message], { kind: 'query', signal })
      try {
        const numbers = await withTimeout(timeout, () => embedding)
        if (numbers !== TIMED_OUT) {
          if (numbers.length !== dimensions)
            throw new SkillshelfError(
              'model-failed',
              `${id} returned ${numbers.length} numbers for one text, not ${dimensions}`,
            )
          return {
            space: id,
            numbers,
            ...(unrelated === undefined ? {} : { unrelated }),
            ...(calibration ? { calibration } : {}),
          }
        }
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
