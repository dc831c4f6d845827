import { randomFrom } from '../random.js'
import { markdownTable } from '../report/table.js'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from './data.js'
import type { Id, Ranker } from './measure.js'
import { findMatcher, type Run, runMatcher } from './run.js'
import { answerTable, rankingTable, recallTable } from './tables.js'

// Trigger tests that authors keep beside their skills: messages that must find the skill, and near misses, which must not. Nobody tunes a
// ranking on them unasked, so they are what users of other people's skills can expect.

/** Skills of many authors, with their messages: one library, and whole collections. */
export interface AuthorTests {
  library: { skills: PoolSkill[]; queries: TriggerQuery[] }
  collections: { skills: PoolSkill[]; queries: TriggerQuery[] }
}

/** How often skills fire on their own messages. */
export interface OwnFires {
  /** Share of messages that their own skill serves. */
  right: number
  /** Share of near misses. */
  wrong: number
  /** Messages that the skill serves, and near misses. */
  n: readonly [right: number, wrong: number]
}

/** The results of one matcher. The last is absent for matchers that decide nothing. */
export interface AuthorRun {
  library: Run
  collections: Run
  /** By language, in the whole library and among 19 other skills. */
  ownFires?: { library: Record<string, OwnFires>; few: Record<string, OwnFires> }
}

/** A collection has at least these skills. */
const MIN_COLLECTION = 3
/** Skills of other authors beside each skill in a small library. */
const OTHERS = 19

/** @param folder With the files of `triggers-authors`. */
export function readAuthorTests(folder: URL): AuthorTests {
  const read = <T>(name: string): T[] =>
    readRows<T>(new URL(`triggers-authors-${name}.jsonl.gz`, folder))
  return {
    library: { skills: read('pools'), queries: read('queries') },
    collections: { skills: read('routing-pools'), queries: read('routing-queries') },
  }
}

export async function runAuthors(
  name: string,
  { library, collections }: AuthorTests,
): Promise<AuthorRun> {
  const { open } = findMatcher(name)
  const run: AuthorRun = {
    library: await runMatcher(name, library.queries, library.skills),
    collections: await runMatcher(name, collections.queries, collections.skills, {
      minLibrary: MIN_COLLECTION,
    }),
  }
  const whole = await open(library.skills)
  if (!whole.match) return run
  const few: { query: TriggerQuery; fires: boolean }[] = []
  const all: typeof few = []
  const random = randomFrom(1)
  for (const [, queries] of groupBy(library.queries, one => String(one.skill_id))) {
    const ranker = await open(amongOthers((queries[0] as TriggerQuery).skill_id, library, random))
    for (const query of queries) {
      few.push({ query, fires: await fires(ranker, query) })
      all.push({ query, fires: await fires(whole, query) })
    }
  }
  return { ...run, ownFires: { library: countFires(all), few: countFires(few) } }
}

/** A skill and some others, drawn among those of other authors. */
export function amongOthers(
  id: Id,
  { skills }: AuthorTests['library'],
  random: () => number,
): PoolSkill[] {
  const own = skills.find(skill => skill.id === id) as PoolSkill
  const others = skills.filter(({ repo }) => repo !== own.repo)
  const drawn = Array.from({ length: OTHERS }, () => {
    const [skill] = others.splice(Math.floor(random() * others.length), 1)
    return skill as PoolSkill
  })
  return [own, ...drawn]
}

/** Whether a skill is a match of one of its messages. */
async function fires(ranker: Ranker, { query, skill_id }: TriggerQuery): Promise<boolean> {
  return !!(await ranker.match?.(query))?.matches.includes(skill_id)
}

function countFires(
  asked: readonly { query: TriggerQuery; fires: boolean }[],
): Record<string, OwnFires> {
  const share = (some: typeof asked): number =>
    some.filter(one => one.fires).length / (some.length || 1)
  return Object.fromEntries(
    [...groupBy(asked, ({ query }) => query.lang)].map(([language, some]) => {
      const right = some.filter(({ query }) => query.should_trigger)
      const wrong = some.filter(({ query }) => !query.should_trigger)
      const n = [right.length, wrong.length] as const
      return [language, { right: share(right), wrong: share(wrong), n }]
    }),
  )
}

/** Fewer near misses in a language give no meaningful result. */
const MIN_NEAR_MISSES = 30

/** How often a skill fires on its own messages and on near misses, in the whole library and in small ones. */
export function ownFiresTable(runs: readonly AuthorRun[]): string {
  const rows = runs.flatMap(({ library: { what }, ownFires }) =>
    Object.entries(ownFires?.library ?? {})
      .filter(([, { n }]) => n[1] >= MIN_NEAR_MISSES)
      .map(([language, { right, wrong, n }]) => {
        const few = ownFires?.few[language] as OwnFires
        return [
          what,
          language,
          ...[right, wrong, few.right, few.wrong].map(share => share.toFixed(3)),
          ...n.map(String),
        ]
      }),
  )
  return markdownTable(
    [
      'a skill fires on',
      'language',
      'its messages, library',
      'near misses, library',
      `its messages, ${OTHERS + 1} skills`,
      `near misses, ${OTHERS + 1} skills`,
      'messages',
      'near misses',
    ],
    rows,
  )
}

/** Everything, for the terminal. */
export function authorTables(runs: readonly AuthorRun[]): string {
  return [
    rankingTable(runs.map(({ library }) => library)),
    rankingTable(runs.map(({ collections }) => collections)),
    ownFiresTable(runs),
  ].join('\n\n')
}

/** The section of docs/measured.md. */
export function authorSection(runs: readonly AuthorRun[]): string {
  const libraries = runs.map(({ library }) => library)
  const collections = runs.map(run => run.collections)
  const deciding = runs.filter(({ ownFires }) => ownFires).map(({ library }) => library)
  return [
    recallTable(libraries, { digits: 3, withMacro: true }),
    answerTable(deciding),
    ownFiresTable(runs),
    'Collections, each a library of its own:',
    recallTable(collections, { digits: 3, withMacro: true }),
  ].join('\n\n')
}
