import { type R2BucketLike, r2 } from '../src/exports/cloudflare.js'
import type { SkillModel } from '../src/exports/model.js'
import type { ServedLibrary } from '../src/exports/server.js'
import { openEngineLibrary, qdrant } from '../src/exports/server.js'

/** Variables and secrets of a Worker whose library is in Qdrant. */
export interface EngineEnv {
  /** Address of the REST API. Default: the library is in the bucket. */
  QDRANT_URL?: string
  /** API key. A key for reads is enough. */
  QDRANT_API_KEY?: string
  /** Default: `skillshelf`. */
  QDRANT_COLLECTION?: string
  /** Name of the library. Its files are in `engine/<name>/` of the bucket. Default: `skills`. */
  QDRANT_LIBRARY?: string
  /** Milliseconds that a search may take. Default: 2000. */
  QDRANT_TIMEOUT?: string
}

/** Serves a library whose rows are in Qdrant and whose files are in the bucket; `undefined` without an address. */
export function engineLibrary(
  env: EngineEnv & { SKILLS: R2BucketLike },
  embedder: Promise<SkillModel> | undefined,
): Pick<ServedLibrary, 'library' | 'engine'> | undefined {
  const { QDRANT_URL: url, QDRANT_API_KEY: apiKey, QDRANT_COLLECTION: collection } = env
  if (!url) return undefined
  const library = env.QDRANT_LIBRARY || 'skills'
  const files = r2(env.SKILLS, { prefix: `engine/${library}/`, name: library })
  const timeout = Number(env.QDRANT_TIMEOUT) || undefined
  const engine = qdrant({ url, apiKey, collection: collection || undefined, library, timeout })
  return {
    library: openEngineLibrary({ engine, files, embedder, allowEmpty: true }),
    engine: { library, files },
  }
}
