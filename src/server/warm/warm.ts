import { openLibrary } from '../../library/library.js'
import type { LibraryOptions } from '../../library/options.js'
import type { SkillModel } from '../../search/model/types.js'
import { parseInput, parseQuery } from '../http/endpoint.js'
import { matchQuery } from '../http/schemas.js'
import { MESSAGES, madeUpLibrary } from './made-up-skills.js'

/** More openings and messages cost start-up time, and the first request gained nothing from them in `npm run bench:edge`. */
const OPENINGS = 8

/** Options of `warm`. */
export interface WarmOptions {
  /**
   * The model that the library will use. It is loaded too.
   * @default undefined Matching by words is warmed.
   */
  embedder?: SkillModel | Promise<SkillModel> | undefined
}

/**
 * Matches messages against a small library of made-up skills, so that the engine has compiled the code before the first request. Await it
 * at module scope of a Worker: start-up has a CPU budget of its own. It uses nothing that Workers forbid there, and later answers do
 * not depend on it.
 *
 * It never rejects: a Worker that is not warm still answers.
 *
 * @returns `false` if the code could not run, such as for a model that cannot be loaded.
 * @example
 * ```ts
 * import { createHandler, warm } from 'skillshelf/server'
 * import { openLibrary } from 'skillshelf'
 * import { type R2BucketLike, r2 } from 'skillshelf/cloudflare'
 *
 * await warm()
 * export default createHandler((env: { SKILLS: R2BucketLike }) => ({ library: openLibrary(r2(env.SKILLS)) }))
 * ```
 */
export async function warm({ embedder }: WarmOptions = {}): Promise<boolean> {
  try {
    const model = await embedder
    const files = await madeUpLibrary(model)
    // A finite timeout needs a timer, which Workers forbid at module scope.
    const options: LibraryOptions = { embedder: model ?? false, timeout: Number.POSITIVE_INFINITY, strict: true }
    let library = await openLibrary(files, options)
    for (let times = 1; times < OPENINGS; times++) library = await openLibrary(files, options)
    for (const message of MESSAGES) {
      const { searchParams } = new URL(`http://localhost/v1/match?message=${encodeURIComponent(message)}&limit=3`)
      const query = parseInput(matchQuery, parseQuery(matchQuery, searchParams), 'query')
      JSON.stringify(await library.match(query['message'] as string, { limit: query['limit'] as number }))
    }
    return true
  } catch {
    // The first request reports the problem.
    return false
  }
}
