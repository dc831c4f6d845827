import { abortable } from '../../core/abort.js'
import { asSkillshelfError, isSkillshelfError, type SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { invokeCallback } from '../../core/progress.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import { createMatcherForStages } from '../../search/match/create-matcher.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import { problemOf } from '../../source/source-problem.js'
import { createLifetime } from '../api/lifetime.js'
import { checkOptions, type LibraryOptions } from '../api/options.js'
import { findCatalog } from '../catalog/find-catalog.js'
import { isPieced } from '../catalog/pieced-catalog.js'
import { emptyIndex, indexLocated } from '../indexing/index-source.js'
import {
  hasAddress,
  type LibraryInput,
  type NamedSource,
  nameOrigins,
  toSources,
} from '../indexing/input.js'
import type { IndexOptions, IndexPolicy } from '../indexing/source-index.js'
import type { Learning } from '../learning/learning.js'
import { createModel } from '../model/library-model.js'
import { checkEnvironment } from '../query/arguments.js'
import { reportProblems, sourceDiagnostic } from '../state/problems.js'
import { createLibraryState, type SourceState } from '../state/state.js'
import { createIndex, type LibraryIndex } from './library-index.js'

const loadLearningModule = onDemand(() => import('./learning-methods.js'))
const loadSigned = onDemand(() => import('../signed/signed.js'))

/** An index that was opened, with the learned messages. */
export interface OpenedIndex {
  index: LibraryIndex
  learning: Learning | undefined
}

/** The one source of a library, if it is in pieces and the options let it be read so. */
export interface LocatedPieces extends NamedSource {
  catalog: ReadResult
}

/** Loads the sources, the model and the learned messages. */
export async function openIndex(
  input: LibraryInput,
  options: LibraryOptions,
): Promise<OpenedIndex | LocatedPieces> {
  const { strict = false, stages = 'hybrid', signal } = options
  checkOptions(options)
  const environment = checkEnvironment(options.environment)
  const diagnostics: Diagnostic[] = []
  // The model, the sources and the statistics of words load in parallel.
  const model = createModel(options, problem => diagnostics.push(problem))
  if (!options.matcher && stages === 'hybrid') loadCorpusStatistics().catch(() => undefined)
  const opening = loadLearning(options)
  // Prevents an unhandled rejection; `await` still throws.
  opening.catch(() => undefined)

  const unread = new Map<SkillSource, SkillshelfError>()
  const named = nameOrigins(await trustedSources(input, options))
  const mayBePieced = named.length === 1 && mayReadPieces(options)
  let pieces: LocatedPieces | undefined
  const sources = await Promise.all(
    named.map(async (named): Promise<SourceState> => {
      const { source } = named
      try {
        const located = await findCatalog(source, { signal })
        if (mayBePieced && located.kind === 'packed' && isPieced(located.catalog.bytes)) {
          pieces = { ...named, ...located }
          return { ...named, loaded: emptyIndex(source) }
        }
        return {
          ...named,
          loaded: await indexLocated(located, indexOptions({ options, model }, source, signal)),
          warning: problemOf(source),
        }
      } catch (error) {
        const failure = sourceDiagnostic(source, error)
        const thrown = asSkillshelfError(
          error,
          'source-failed',
          `${source.name} could not be opened`,
        )
        if (strict || isSkillshelfError(error, 'aborted', 'untrusted')) throw thrown
        unread.set(source, thrown)
        return { ...named, loaded: emptyIndex(source), failure }
      }
    }),
  )
  if (pieces) return pieces
  const [first] = sources
  if (first && unread.size === sources.length && hasAddress(input)) throw unread.get(first.source)
  const learning = await opening
  if (learning?.diagnostic) diagnostics.push(learning.diagnostic)
  const matcher =
    options.matcher ??
    (await createMatcherForStages(
      stages,
      await abortable(model.current, signal),
      () => model.joined,
    ))
  const state = createLibraryState(sources, environment, { diagnostics })
  const index = await createIndex({ options, lifetime: createLifetime(), matcher, model, state })
  reportProblems(state, options.onDiagnostic)
  model.join(index)
  return { index, learning }
}

/** Whether a library can be read in pieces: what other options need is there only if it is read whole. */
function mayReadPieces(options: LibraryOptions): boolean {
  const { whole, matcher, learn, environment, strict, countTokens, stages = 'hybrid' } = options
  const needWhole = [whole, matcher, learn, strict, countTokens].some(Boolean)
  return !needWhole && environment === undefined && stages === 'hybrid'
}

/** The sources of a library. With `publicKeys`, they show what is signed only. */
async function trustedSources(
  input: LibraryInput,
  { publicKeys, signatureThreshold, seenRevisions, timeout }: LibraryOptions,
): Promise<SkillSource[]> {
  const sources = toSources(input, timeout)
  if (publicKeys === undefined) return sources
  const { signed } = await loadSigned()
  return sources.map(source => signed(source, { publicKeys, signatureThreshold, seenRevisions }))
}

/** Loaded on demand, because most libraries do not learn. */
async function loadLearning({ learn, signal }: LibraryOptions): Promise<Learning | undefined> {
  if (learn === undefined || learn === false) return undefined
  const { openLearning } = await loadLearningModule()
  return openLearning(learn, signal)
}

/** Options for loading or refreshing one source. */
export function indexOptions(
  { options, model }: Pick<LibraryIndex, 'options' | 'model'>,
  { name }: SkillSource,
  signal: AbortSignal | undefined,
): IndexOptions {
  const { strict = false, countTokens, onProgress } = options
  const policy: IndexPolicy = {
    strict,
    summaries: true,
    modelJoins: model.joins,
    // The bundled model embeds what it needs itself, a model of the caller does not.
    reportMissingVectors: options.embedder !== undefined,
  }
  return {
    policy,
    countTokens,
    signal,
    embedder: model.current,
    onProgress: (done, total) =>
      invokeCallback(onProgress, { phase: 'read', done, total, item: name }),
  }
}
