import type { ReadResult, SkillSource } from './source.js'

/** The part of the Cache API of Workers that `edgeCached` uses. `caches.default` has it. */
export interface EdgeCacheLike {
  match(request: string): Promise<Response | undefined>
  put(request: string, response: Response): Promise<unknown>
}

/** Files of a packed library that never change: they are named by their digest. */
const NEVER_CHANGES = /^files\/[0-9a-f]{16}\.[a-z0-9]{1,8}$/
const ADDRESS = 'https://skillshelf.invalid/'
const FOREVER = { 'Cache-Control': 'public, max-age=31536000, immutable' }

/**
 * Reads the files of a packed library through the cache of the data centre, for a Worker over R2: a large library in pieces costs some reads a
 * message. What the library names by digest never changes; everything else is read from the source. Readers check the digests, also of what is
 * cached. Outside of Workers, and where the cache fails, the source is read.
 * @param source A source whose name differs from that of every other one in this account, such as `r2(env.SKILLS)`.
 * @param cache Default: `caches.default` of the Worker.
 * @example
 * ```ts
 * import { createHandler } from 'skillshelf/server'
 * import { edgeCached, type R2BucketLike, r2 } from 'skillshelf/cloudflare'
 *
 * export default createHandler((env: { SKILLS: R2BucketLike }) => ({ source: edgeCached(r2(env.SKILLS)) }))
 * ```
 */
export function edgeCached<Source extends SkillSource>(
  source: Source,
  cache?: EdgeCacheLike,
): Source {
  const findCache = (): EdgeCacheLike | undefined =>
    cache ?? (globalThis as { caches?: { default?: EdgeCacheLike } }).caches?.default
  const readCached = async (address: string): Promise<ReadResult | undefined> => {
    const found = await findCache()
      ?.match(address)
      .catch(() => undefined)
    return found?.ok ? { bytes: new Uint8Array(await found.arrayBuffer()) } : undefined
  }
  return {
    ...source,
    async read(path, options = {}) {
      if (!NEVER_CHANGES.test(path) || options.range) return source.read(path, options)
      const address = `${ADDRESS}${encodeURIComponent(source.name)}/${path}`
      const known = await readCached(address)
      if (known) return known
      const found = await source.read(path, options)
      if (typeof found === 'object') {
        const response = new Response(found.bytes, { headers: FOREVER })
        // A full or missing cache costs the next reader time, nothing else.
        await findCache()
          ?.put(address, response)
          .catch(() => undefined)
      }
      return found
    },
  }
}
