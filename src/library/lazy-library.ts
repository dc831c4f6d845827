import { type AbortOptions, abortable } from '../core/abort.js'
import { ASYNC_DISPOSE } from '../core/async-dispose.js'
import { createLifetime } from './api/lifetime.js'
import type { SkillLibrary } from './api/skill-library.js'
import type { LibrarySnapshot } from './catalog/catalog-entry.js'

const NO_SKILLS: LibrarySnapshot = Object.freeze({
  revision: '',
  skills: [],
  total: 0,
  diagnostics: [],
})

/** A library that opens in the background. */
export interface LazyLibrary extends SkillLibrary {
  opened(options?: AbortOptions): Promise<void>
  ready(options?: AbortOptions): Promise<boolean>
}

/**
 * Makes a library that is there at once and opens in the background. Its calls wait until it is open, and fail with what opening throws;
 * the next call then opens it again. Until it is open, `snapshot` has no skills: `opened` waits for them.
 *
 * This module is small: a page that opens a library by `import()` loads the rest of skillshelf after its first render.
 * @example
 * ```ts
 * import { lazyLibrary } from 'skillshelf/lazy'
 *
 * const library = lazyLibrary(async () => (await import('skillshelf')).openLibrary('/skills/'))
 * const { matches } = await library.match('make slides about our launch')
 * ```
 */
export function lazyLibrary(open: () => Promise<SkillLibrary>): LazyLibrary {
  const lifetime = createLifetime()
  let opening: Promise<SkillLibrary> | undefined
  let current: SkillLibrary | undefined
  const start = async (): Promise<SkillLibrary> => {
    const library = await open()
    if (lifetime.isClosed) {
      await library.close()
      return library
    }
    current = library
    library.on('change', lifetime.emit)
    return library
  }
  const opened = ({ signal }: AbortOptions = {}): Promise<SkillLibrary> => {
    lifetime.check({ signal })
    if (!opening) {
      const started = start()
      opening = started
      // Each call that waits throws it.
      started.catch(() => {
        opening = undefined
      })
    }
    return abortable(opening, signal)
  }
  // After the code that imports it. A failure is thrown by the calls that need the library.
  Promise.resolve()
    .then(() => opened())
    .catch(() => undefined)
  const library: LazyLibrary = {
    get snapshot() {
      return current?.snapshot ?? NO_SKILLS
    },
    list: async options => (await opened(options)).list(options),
    get: async (skill, options) => (await opened(options)).get(skill, options),
    read: async (skill, path, options) => (await opened(options)).read(skill, path, options),
    match: async (query, options) => (await opened(options)).match(query, options),
    search: async (query, options) => (await opened(options)).search(query, options),
    explain: async (query, skill, options) =>
      (await opened(options)).explain(query, skill, options),
    refresh: async options => (await opened(options)).refresh(options),
    ready: async options => (await (await opened(options)).ready?.(options)) ?? false,
    async opened(options) {
      await opened(options)
    },
    on: lifetime.on,
    async close() {
      if (lifetime.close()) await current?.close()
    },
    [ASYNC_DISPOSE]: () => library.close(),
  }
  return library
}
