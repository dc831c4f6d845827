import { throwIfAborted } from '../../core/errors.js'
import type { Vectors } from '../../search/index/vectors.js'
import { supportsLanguages } from '../../search/model/script-parts.js'
import type { Embedder } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { addProblem } from '../state/problems.js'
import type { LibraryState } from '../state/state.js'
import { createMessageEmbedder } from './message-embedder.js'
import type { EmbedderInUse, ModelIndex } from './model.js'
import { createSkillVectors } from './skill-vectors.js'
import { createUpgrader, type Upgrader, type UseOptions } from './upgrader.js'

/** Upgrades a library of which every skill is in this process: embeds those without packed vectors. */
export function createIndexUpgrader(index: ModelIndex): Upgrader {
  return createUpgrader(index, (embedder, options) => embedIndex(index, embedder, options))
}

/** @throws SkillshelfError `model-failed` if the embedder has properties that scores cannot be made of */
function embedIndex(index: ModelIndex, embedder: Embedder, options: UseOptions): EmbedderInUse {
  const { timeout, onProgress } = options
  const stop = new AbortController()
  let running: Promise<void> | undefined

  const fail = (error: unknown): void => {
    if (stop.signal.aborted) return
    stop.abort()
    options.onFailure(error)
  }
  const messages = createMessageEmbedder(embedder, {
    timeout,
    checkWitness: signal => skills.checkWitness(signal),
    onFailure: fail,
  })
  const covers = supportsLanguages(embedder.languages)
  const skills = createSkillVectors(embedder, options.cache, covers)
  const vectors = new Map<string, Vectors>()
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
      if (stop.signal.aborted || missingSegments().length > 0) return undefined
      return messages.embed(message, signal)
    },
    async close() {
      stop.abort()
      await embedder.close?.().catch(() => undefined)
    },
  }
}
