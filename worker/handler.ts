import { type R2BucketLike, r2 } from '../src/exports/cloudflare.js'
import { openLibrary, type SkillModel, skillStore } from '../src/exports/index.js'
import type { ServedLibrary } from '../src/exports/server.js'

/** What `wrangler.toml` binds, and what is set with `wrangler secret put`. */
export interface Env {
  /** What `skillshelf pack` or `publish` wrote; a bucket with plain folders of skills will do for a few. */
  SKILLS: R2BucketLike
  /** Who writes shows it. Default: nobody writes. */
  SKILLSHELF_TOKEN?: string
  /** Who reads shows it. Default: anybody reads. */
  SKILLSHELF_READ_TOKEN?: string
  RATE_LIMIT?: NonNullable<ServedLibrary['rateLimit']>
}

/** The shelf of a Worker: an R2 bucket, read by all, written by who has the token. */
export function servedLibrary(env: Env, model?: () => Promise<SkillModel>): ServedLibrary {
  const embedder = model?.()
  const source = r2(env.SKILLS, { name: 'skills' })
  return {
    library: openLibrary(source, embedder ? { embedder } : {}),
    files: source,
    // Isolates that have not looked again yet still read by the old catalog.
    store: skillStore(source, { keepOld: true, ...(embedder ? { embedder } : {}) }),
    token: env.SKILLSHELF_TOKEN,
    readToken: env.SKILLSHELF_READ_TOKEN,
    rateLimit: env.RATE_LIMIT,
  }
}
