import { abortable } from '../core/abort.js'
import { onDemand } from '../core/load-module.js'
import { listen } from './events.js'
import type { LibraryInput } from './input.js'
import { forget, importLearned, learn, learned } from './learn.js'
import { close, open } from './open.js'
import type { LibraryOptions } from './options.js'
import { explain, get, list, match, read, search } from './query.js'
import { createRefresh, useEnvironment, watchSources } from './refresh.js'
import { checkOpen } from './state.js'
import type { LocalLibrary } from './types.js'

const loadUpgrade = onDemand(() => import('./upgrade.js'))
const loadEnrich = onDemand(() => import('./enrich.js'))

/**
 * Opens a library of skills.
 *
 * A skill or source that cannot be read does not stop the library from opening: see `snapshot.diagnostics`.
 *
 * @param input A URL, a source, files by path, or an array of these as layers, the first on top.
 * @returns The library. Close it with `close()` or `await using`.
 * @throws SkillshelfError `invalid-input`, `aborted`; with `strict` also `source-not-found`, `source-failed` and `model-failed`
 *
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 *
 * const library = await openLibrary('https://example.com/skills/')
 * const { matches } = await library.match('Summarize this PDF')
 * for (const { id } of matches) console.log((await library.get(id)).instructions)
 * ```
 *
 * @example Layers, where a skill hides those of the same name below it
 * ```ts
 * const mine = { 'greet/SKILL.md': '---\nname: greet\ndescription: Greets people.\n---\nSay hello.' }
 * const library = await openLibrary([mine, 'https://example.com/skills/'])
 * ```
 */
export async function openLibrary(input: LibraryInput, options: LibraryOptions = {}): Promise<LocalLibrary> {
  const internals = await open(input, options)
  const refresh = createRefresh(internals)
  const unwatch = [...watchSources(internals, refresh), ...(internals.learning?.watch() ?? [])]
  const library: LocalLibrary = {
    get snapshot() {
      return internals.state.snapshot
    },
    list: filter => list(internals, filter),
    get: (skill, options) => get(internals, skill, options),
    read: (skill, path, options) => read(internals, skill, path, options),
    match: (query, options) => match(internals, query, options),
    search: (query, options) => search(internals, query, options),
    explain: (query, skill, options) => explain(internals, query, skill, options),
    async refresh(options) {
      checkOpen(internals, options)
      return refresh(options?.signal)
    },
    use: (environment, options) => useEnvironment(internals, refresh, environment, options),
    async upgrade(embedder, options) {
      checkOpen(internals, options)
      // Loaded on demand, because most libraries are not upgraded.
      const { upgrade } = await loadUpgrade()
      checkOpen(internals, options)
      return upgrade(internals, embedder, options)
    },
    ready: ({ signal } = {}) => abortable(internals.ready, signal),
    learns: internals.learning !== undefined,
    learn: (message, skill, options) => learn(internals, message, skill, options),
    forget: selection => forget(internals, selection),
    learned: () => learned(internals),
    importLearned: messages => importLearned(internals, messages),
    async enrich(ask, options) {
      checkOpen(internals, options)
      const { enrich } = await loadEnrich()
      checkOpen(internals, options)
      return enrich(internals, ask, options)
    },
    on: (event, listener) => listen(internals.listeners, event, listener),
    close: () => close(internals, unwatch),
    [Symbol.asyncDispose]: () => library.close(),
  }
  return library
}
