import { type R2BucketLike, r2 } from '../src/exports/cloudflare.js'
import { openLibrary, skillStore } from '../src/exports/index.js'
import type { SkillModel } from '../src/exports/model.js'
import type { ServedLibrary } from '../src/exports/server.js'
import { type EngineEnv, engineLibrary } from './engine.js'

/** Bindings of `wrangler.toml`, and secrets set with `wrangler secret put`. */
export interface Env extends EngineEnv {
  /** Bucket with the output of `skillshelf pack` or `publish`. Plain folders of skills work too, for a few skills. */
  SKILLS: R2BucketLike
  /** Bearer token required for writes. Default: the Worker is read-only. */
  SKILLSHELF_TOKEN?: string
  /** Bearer token required for reads. Default: reads are public. */
  SKILLSHELF_READ_TOKEN?: string
  /** Secret part of a private link, `/s/<token>/`. Default: there is none. */
  SKILLSHELF_LINK_TOKEN?: string
  RATE_LIMIT?: NonNullable<ServedLibrary['rateLimit']>
}

/** Options for `createHandler` that serve an R2 bucket, or R2 and Qdrant if there is an address of Qdrant. */
export function servedLibrary(env: Env, model?: () => Promise<SkillModel>): ServedLibrary {
  const embedder = model?.()
  return {
    ...(engineLibrary(env, embedder) ?? bucketLibrary(env, embedder)),
    token: env.SKILLSHELF_TOKEN,
    readToken: env.SKILLSHELF_READ_TOKEN,
    linkToken: env.SKILLSHELF_LINK_TOKEN,
    rateLimit: env.RATE_LIMIT,
  }
}

function bucketLibrary(env: Env, embedder: Promise<SkillModel> | undefined): ServedLibrary {
  const source = r2(env.SKILLS, { name: 'skills' })
  return { library: openLibrary(source, { embedder }), files: source, store: skillStore(source, { embedder }) }
}
