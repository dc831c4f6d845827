import { abortable } from '../core/abort.js'
import { createQueue, lazy } from '../core/concurrency.js'
import { asSkillshelfError, isSkillshelfError } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { invokeCallback } from '../core/progress.js'
import { loadBackground } from '../search/match/background.js'
import { createMatcherForStages } from '../search/match/stages.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillSource } from '../source/source.js'
import { checkEnvironment } from './arguments.js'
import { modelDiagnostic, sourceDiagnostic } from './diagnostics.js'
import { type LibraryInput, toSources } from './input.js'
import { modelJoins, startJoin } from './join-model.js'
import type { Learning } from './learning/learning.js'
import { loadSource, unloadedSource } from './load-source.js'
import type { SourceOptions } from './loaded-source.js'
import { checkEmbedder, checkOptions, type LibraryOptions } from './options.js'
import { reportProblems } from './problems.js'
import { createState, nameOrigins, type OpenLibrary, type SourceState, stopUpgrade, updateMatcher } from './state.js'

const loadLearningModule = onDemand(() => import('./learning/learning.js'))

/** Loads the sources and updates the matcher for the first time. */
export async function open(input: LibraryInput, options: LibraryOptions): Promise<OpenLibrary> {
  const { strict = false, stages = 'hybrid', signal } = options
  checkOptions(options)
  const environment = checkEnvironment(options.environment)
  const diagnostics: Diagnostic[] = []
  // The model, the sources and the background counts load in parallel.
  const embedder = Promise.resolve(options.embedder)
    .then(checkEmbedder)
    .catch((error): undefined => {
      if (strict || isSkillshelfError(error, 'invalid-input')) throw error
      diagnostics.push(modelDiagnostic(error, 'The bundled model'))
    })
  // Prevents an unhandled rejection; `await` still throws.
  embedder.catch(() => undefined)
  if (!options.matcher) loadBackground().catch(() => undefined)
  const opening = loadLearning(options)
  // Prevents an unhandled rejection; `await` still throws.
  opening.catch(() => undefined)

  const sources = await Promise.all(
    nameOrigins(toSources(input, options.timeout)).map(async (named): Promise<SourceState> => {
      const { source } = named
      try {
        return {
          ...named,
          loaded: await loadSource(
            source,
            sourceOptions({ options, embedder, modelJoins: modelJoins(options) }, source, signal),
          ),
        }
      } catch (error) {
        const failure = sourceDiagnostic(source, error)
        if (strict || isSkillshelfError(error, 'aborted'))
          throw asSkillshelfError(error, 'source-failed', `${source.name} could not be opened`)
        return { ...named, loaded: unloadedSource(source), failure }
      }
    }),
  )
  const learning = await opening
  if (learning?.diagnostic) diagnostics.push(learning.diagnostic)
  const library: OpenLibrary = {
    options,
    learning,
    embedder,
    matcher:
      options.matcher ??
      (await createMatcherForStages(stages, await abortable(embedder, signal), () => library.joined)),
    listeners: new Set(),
    reloads: createQueue(),
    queue: createQueue(),
    state: createState(sources, { diagnostics, environment }),
    environment,
    upgrade: undefined,
    upgradeAbort: undefined,
    messageSegments: undefined,
    enrichAbort: undefined,
    closed: false,
    closing: lazy(() => new AbortController()),
    modelJoins: modelJoins(options),
    joining: false,
    joined: undefined,
    ready: embedder.then(
      model => model !== undefined,
      () => false,
    ),
  }
  await updateMatcher(library, library.state, signal)
  reportProblems(library.state, options.onDiagnostic)
  startJoin(library)
  return library
}

/** Loaded on demand, because most libraries do not learn. */
async function loadLearning({ learn, signal }: LibraryOptions): Promise<Learning | undefined> {
  if (learn === undefined || learn === false) return undefined
  const { openLearning } = await loadLearningModule()
  return openLearning(learn, signal)
}

/** Closes the library, its matcher and its sources. Later calls do nothing. */
export async function close(library: OpenLibrary, unwatch: readonly (() => void)[]): Promise<void> {
  if (library.closed) return
  library.closed = true
  library.closing().abort()
  library.listeners.clear()
  for (const stop of unwatch) stop()
  library.enrichAbort?.abort()
  await stopUpgrade(library)
  await library.matcher.close()
  await Promise.all(library.state.sources.map(({ source }) => source.close?.()))
}

/** Options for loading or refreshing one source. */
export function sourceOptions(
  { options, embedder, modelJoins }: Pick<OpenLibrary, 'options' | 'embedder' | 'modelJoins'>,
  { name }: SkillSource,
  signal: AbortSignal | undefined,
): SourceOptions {
  const { strict, countTokens, onProgress } = options
  return {
    strict,
    countTokens,
    signal,
    embedder,
    reportMissingVectors: options.embedder !== undefined,
    modelJoins,
    onProgress: (done, total) => invokeCallback(onProgress, { phase: 'read', done, total, item: name }),
  }
}
