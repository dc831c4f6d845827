import { abortable } from '../core/abort.js'
import { SkillshelfError } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { checkOptionNames, ONLY_SIGNAL } from '../core/text/option-names.js'
import type { SkillSource } from '../source/source.js'
import type { Lifetime } from './api/lifetime.js'
import { isUpgrade, type LibraryOptions } from './api/options.js'
import type { LocalLibrary, SkillLibrary } from './api/skill-library.js'
import { createLibrary } from './create-library.js'
import type { Enricher } from './enrich/enricher.js'
import type { LibraryInput } from './indexing/input.js'
import { createLocalBackend } from './local/local-backend.js'
import { openIndex } from './local/open-index.js'
import { createRefresher } from './local/refresh.js'
import type { Upgrader } from './model/upgrader.js'

const loadUpgrade = onDemand(() => import('./model/upgrade.js'))
const loadLearningMethods = onDemand(() => import('./local/learning-methods.js'))
const loadPieces = onDemand(() => import('./open-pieced-library.js'))
const loadEnrich = onDemand(() => import('./enrich/enricher.js'))

/**
 * Opens a library of skills.
 *
 * A skill or source that cannot be read does not stop the library from opening: see `snapshot.diagnostics`. An address where nothing can
 * be read does, unless another layer can be read.
 * @param input A URL, a source, files by path, or an array of these as layers, the first on top.
 * @returns The library. Close it with `close()` or `await using`.
 * @throws SkillshelfError `invalid-input`, `aborted`; for an address, and for any source with `strict`, `source-not-found`, `source-failed`
 * and `format`; with `publicKeys` also `untrusted` and `unsupported`; with `strict` also `model-failed`
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 *
 * const library = await openLibrary('https://example.com/skills/')
 * const { matches } = await library.match('Summarize this PDF')
 * for (const { id } of matches) console.log((await library.get(id)).instructions)
 * ```
 * @example Layers, where a skill hides those of the same name below it
 * ```ts
 * const mine = { 'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.' }
 * const library = await openLibrary([mine, 'https://example.com/skills/'])
 * ```
 */
export async function openLibrary(
  input: LibraryInput,
  options: LibraryOptions = {},
): Promise<LocalLibrary> {
  const { embedder } = options
  if (isUpgrade(embedder)) {
    const library = await openLibrary(input, { ...options, embedder: undefined })
    const { signal, onProgress, onDiagnostic } = options
    library
      .upgrade(embedder, { signal, onProgress, onFailure: onDiagnostic })
      .catch(() => undefined)
    return library
  }
  const opened = await openIndex(input, options)
  if (!('index' in opened)) {
    const { openPieces } = await loadPieces()
    // The source checks signatures itself.
    const openWhole = (source: SkillSource, signal: AbortSignal | undefined) =>
      openLibrary(source, { ...options, publicKeys: undefined, whole: true, signal })
    return openPieces(opened, { options, openWhole, withoutLearning })
  }
  const { index, learning } = opened
  // Loaded on demand, because most libraries do not learn.
  const learningMethods = learning
    ? (await loadLearningMethods()).learningMethods(index, learning)
    : withoutLearning(index.lifetime)
  const { lifetime, matcher } = index
  const refresher = createRefresher(index)
  const unwatch = [...refresher.watch(), ...(learning?.watch() ?? [])]
  let upgrader: Upgrader | undefined
  let enricher: Enricher | undefined
  const backend = createLocalBackend(index, learning, {
    refresh: refresher.refresh,
    async close() {
      for (const stop of unwatch) stop()
      enricher?.stop()
      await upgrader?.stop()
      await matcher.close()
      await Promise.all(index.state.sources.map(({ source }) => source.close?.()))
    },
  })
  return createLibrary(backend, lifetime, {
    async use(environment, options) {
      lifetime.check(options)
      checkOptionNames(options, ONLY_SIGNAL)
      return refresher.use(environment, options?.signal)
    },
    async upgrade(embedder, options) {
      lifetime.check(options)
      // Loaded on demand, because most libraries are not upgraded.
      const { createIndexUpgrader } = await loadUpgrade()
      lifetime.check(options)
      upgrader ??= createIndexUpgrader(index)
      return upgrader.upgrade(embedder, options)
    },
    async enrich(ask, options) {
      lifetime.check(options)
      const { createEnricher } = await loadEnrich()
      lifetime.check(options)
      enricher ??= createEnricher(index)
      return enricher.enrich(ask, options)
    },
    async ready(options) {
      checkOptionNames(options, ONLY_SIGNAL)
      return abortable(index.model.ready, options?.signal)
    },
    ...learningMethods,
  } satisfies LocalMethods)
}

/** The members that only a library in this process has, or that others may lack. */
type LocalMethods = Omit<LocalLibrary, Exclude<keyof SkillLibrary, 'ready' | 'learns'>>

/** The methods of learning in a library without it. */
function withoutLearning(lifetime: Lifetime) {
  const refuse = async (): Promise<never> => {
    lifetime.check()
    throw new SkillshelfError('unsupported', 'This library does not learn', {
      hint: 'open it with openLibrary(…, { learn: true })',
    })
  }
  return {
    learns: false,
    learn: refuse,
    noteUnused: refuse,
    report: refuse,
    forget: refuse,
    learned: refuse,
    importLearned: refuse,
  }
}
