import { digestOf, shortDigest } from '../../core/digest.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { LibraryOptions } from '../../library/api/options.js'
import type { CatalogEntry } from '../../library/catalog/catalog-entry.js'
import { writeCatalog } from '../../library/catalog/packed-catalog.js'
import { openLibrary } from '../../library/open-library.js'
import { createSegmentBuilder, embeddedSkill } from '../../search/index/build.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { parseInput, parseQuery } from './endpoint.js'
import { matchQuery } from './schemas.js'

/** More openings and messages cost start-up time, and the first request gained nothing from them in `npm run bench:edge`. */
const OPENINGS = 8
const TASKS = [
  'convert',
  'review',
  'summarize',
  'translate',
  'plan',
  'compare',
  'draft',
  'publish',
] as const
const THINGS = [
  'spreadsheets',
  'invoices',
  'slides',
  'photos',
  'contracts',
  'recipes',
  'databases',
  '会议记录',
] as const
/** Messages of one word and of many, in two scripts. */
const MESSAGES: readonly string[] = THINGS.flatMap((thing, index) => [
  `I have two old ${thing} and don't know how to ${TASKS[(index + 3) % TASKS.length]} them before Friday, can you help?`,
  `${thing}帮我整理一下`,
])

/** Options of `warm`. */
export interface WarmOptions {
  /** The model that the library will use. It is loaded too. @default undefined Matching by words is warmed. */
  embedder?: SkillModel | Promise<SkillModel> | undefined
}

const OPTIONS = { embedder: 1 } satisfies OptionNames<WarmOptions>

/**
 * Matches messages against a small library of made-up skills, so that the engine has compiled the code before the first request. Await it
 * at module scope of a Worker: start-up has a CPU budget of its own. It uses nothing that Workers forbid there, and later answers do
 * not depend on it.
 *
 * It never rejects: a Worker that is not warm still answers.
 * @returns `false` if the code could not run, such as for a model that cannot be loaded.
 * @example
 * ```ts
 * import { createHandler, warm } from 'skillshelf/server'
 * import { type R2BucketLike, r2 } from 'skillshelf/cloudflare'
 *
 * await warm()
 * export default createHandler({ source: (env: { SKILLS: R2BucketLike }) => r2(env.SKILLS) })
 * ```
 */
export async function warm(options: WarmOptions = {}): Promise<boolean> {
  checkOptionNames(options, OPTIONS)
  try {
    const model = await options.embedder
    const files = await madeUpLibrary(model)
    // A finite timeout needs a timer, which Workers forbid at module scope.
    const timeout = Number.POSITIVE_INFINITY
    const opening: LibraryOptions = {
      embedder: model ?? false,
      timeout,
      modelTimeout: timeout,
      strict: true,
    }
    let library = await openLibrary(files, opening)
    for (let times = 1; times < OPENINGS; times++) library = await openLibrary(files, opening)
    for (const text of MESSAGES) {
      const { searchParams } = new URL(
        `http://localhost/v1/match?message=${encodeURIComponent(text)}&limit=3`,
      )
      const { message, limit } = parseInput(
        matchQuery,
        parseQuery(matchQuery, searchParams),
        'query',
      )
      JSON.stringify(await library.match(message, { limit }))
    }
    return true
  } catch {
    // The first request reports the problem.
    return false
  }
}

/** A packed library of sixty-four made-up skills: every task with every thing. */
async function madeUpLibrary(embedder: SkillModel | undefined) {
  const builder = createSegmentBuilder({ embedder })
  const skills: CatalogEntry[] = []
  for (const [task, thing] of TASKS.flatMap(task => THINGS.map(thing => [task, thing] as const))) {
    const name = `${task}-${thing}`
    const description = `Helps to ${task} ${thing}. Use when the user wants to ${task} ${thing} or asks about them.`
    const tags = [thing]
    const document = {
      name,
      description,
      tags,
      messages: [`${task} these ${thing} for me`, `帮我处理${thing}`],
      body: `Read the ${thing} first. Then ${task} them, and report what changed.`,
    }
    // A part that cannot be loaded at module scope, such as a static asset.
    await embedder?.prepare?.([embeddedSkill(document)]).catch(() => undefined)
    builder.add(document)
    const digest = digestOf(name)
    const tokens = { metadata: 30, instructions: 20 }
    skills.push({ path: name, name, description, tags, digest, details: digest, tokens })
  }
  const segment = builder.finish()
  const file = `${shortDigest(digestOf(segment))}.seg`
  const segments = [{ file, skills: skills.length, dead: [] }]
  const catalog = await writeCatalog({
    format: 'skillshelf/1',
    name: 'made-up',
    skills,
    segments,
    diagnostics: [],
  })
  return { [CATALOG_FILE]: catalog, [file]: segment }
}
