import { onDemand } from '../../core/load-module.js'
import type { VectorCache } from '../../search/model/skill-model.js'

const loadVectorCache = onDemand(() => import('../../search/model/vector-cache.js'))

/** Opens a cache that never rejects: one that fails is not used again. Default: IndexedDB, where available. `false`: none. */
export async function failsafeCache(
  cache: VectorCache | false | undefined,
  name: string,
): Promise<VectorCache> {
  let working = cache === undefined ? await openDatabase(name) : cache || undefined
  const attempt = async <T>(use: (cache: VectorCache) => Promise<T>): Promise<T | undefined> => {
    try {
      return working && (await use(working))
    } catch {
      working = undefined
      return undefined
    }
  }
  return {
    get: async keys => (await attempt(cache => cache.get(keys))) ?? [],
    put: async entries => attempt(cache => cache.put(entries)),
  }
}

async function openDatabase(name: string): Promise<VectorCache | undefined> {
  if (typeof indexedDB === 'undefined') return undefined
  const { vectorCache } = await loadVectorCache()
  return vectorCache(name)
}
