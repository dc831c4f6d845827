import { edgeCached, type R2BucketLike, r2 } from '../src/exports/cloudflare.js'
import { openEngineLibrary, qdrant } from '../src/exports/engine.js'
import { openLibrary } from '../src/exports/index.js'
import type { SkillModel } from '../src/exports/model.js'
import type { ServedLibrary } from '../src/exports/server.js'
import { skillStore } from '../src/exports/store.js'

/** Bindings of `wrangler.toml`, and secrets set with `wrangler secret put`. */
export interface Env {
  /** Bucket with the output of `skillshelf pack` or `publish`. Plain folders of skills work too, for a few skills. */
  SKILLS: R2BucketLike
  /** Bearer token required for writes. Default: the Worker is read-only. */
  SKILLSHELF_TOKEN?: string
  /** Bearer token required for reads. Default: reads are public. */
  SKILLSHELF_READ_TOKEN?: string
  /** Secret part of a private link, `/s/<token>/`. Default: there is none. */
  SKILLSHELF_LINK_TOKEN?: string
  RATE_LIMIT?: NonNullable<ServedLibrary['rateLimit']>
  /** Address of the REST API of Qdrant, for a library in Qdrant. Default: the library is in the bucket. */
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

/** Options for `createHandler` that serve an R2 bucket, or R2 and Qdrant if there is an address of Qdrant. */
export function servedLibrary(env: Env, model?: () => Promise<SkillModel>): ServedLibrary {
  const embedder = model?.()
  return {
    ...(env.QDRANT_URL
      ? engineLibrary(env, env.QDRANT_URL, embedder)
      : bucketLibrary(env, embedder)),
    token: env.SKILLSHELF_TOKEN,
    readToken: env.SKILLSHELF_READ_TOKEN,
    linkToken: env.SKILLSHELF_LINK_TOKEN,
    rateLimit: env.RATE_LIMIT,
  }
}

function bucketLibrary(env: Env, embedder: Promise<SkillModel> | undefined): ServedLibrary {
  const source = edgeCached(r2(env.SKILLS, { name: 'skills' }))
  return {
    library: openLibrary(source, { embedder: embedder ?? false }),
    files: source,
    store: skillStore(source, { embedder }),
  }
}

/** A library whose rows are in Qdrant and whose files are in the bucket. */
function engineLibrary(
  env: Env,
  url: string,
  embedder: Promise<SkillModel> | undefined,
): ServedLibrary {
  const { QDRANT_API_KEY: apiKey, QDRANT_COLLECTION: collection } = env
  const library = env.QDRANT_LIBRARY || 'skills'
  const files = r2(env.SKILLS, { prefix: `engine/${library}/`, name: library })
  const timeout = Number(env.QDRANT_TIMEOUT) || undefined
  const engine = qdrant({ url, apiKey, collection: collection || undefined, library, timeout })
  return {
    library: openEngineLibrary({ engine, files, embedder, allowEmpty: true }),
    engine: { library, files },
  }
}
