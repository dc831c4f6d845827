import { readdirSync, readFileSync } from 'node:fs'
import { groupBy, type PoolSkill, readRows, type TriggerQuery, withMessages } from '../../bench/rank/data.js'
import type { ScoreFeatures } from '../../src/search/match/score.js'
import { randomFrom } from '../random.js'
import type { RankMessage } from './open.js'

export interface Example extends ScoreFeatures {
  /** Held out of every fit. */
  heldOut?: boolean
  served: boolean
  kind: string
  origin: string
  /** Words of the message. */
  length: number
  /** Relevances of the candidates, best first, and the index of a right one among them, or -1. */
  relevances: readonly number[]
  rightIndex: number
}

const data = new URL('../../../shared/data/', import.meta.url)
/** Share of the messages that are also asked of a library of two skills. */
const TWO_SKILLS = 0.25
const ranking = new URL('../../test/ranking/', import.meta.url)
/** Marks libraries whose skills have messages. */
const WITH_MESSAGES = ' with messages'

/**
 * Reads the examples of a fit.
 *
 * - Served: the author-written messages of the dev set and the messages of test/ranking/own-words.jsonl, against the library they were
 *   written for, and against two of its skills.
 * - Not served: messages that no skill serves (English ones from others, those in eight languages of our own), against libraries drawn by a
 *   seeded generator, half of them held out; and generic messages against their own library, each once.
 *
 * The libraries of test/ranking/messages.tsv are asked twice: without and with the messages of their skills.
 *
 * @param supports Selects messages in the languages of the model.
 */
export async function readExamples(
  open: (skills: readonly PoolSkill[]) => Promise<RankMessage>,
  supports: (message: string) => boolean,
): Promise<Example[]> {
  const skillRows = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
  const pools = groupBy(
    [
      ...skillRows,
      ...withMessages(skillRows, new URL('messages.tsv', ranking)).map(skill => ({
        ...skill,
        origin: `${skill.origin}${WITH_MESSAGES}`,
      })),
    ],
    skill => skill.origin,
  )
  const written = [
    ...readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data)),
    ...readRows<TriggerQuery>(new URL('own-words.jsonl', ranking)).map(query => ({ ...query, tier: 'own words' })),
  ].filter(({ query }) => supports(query))
  const queries = written.flatMap(query => [
    query,
    ...(pools.has(`${query.origin}${WITH_MESSAGES}`) ? [{ ...query, origin: `${query.origin}${WITH_MESSAGES}` }] : []),
  ])
  const unserved = readRows<{ query: string }>(new URL('no-skill-queries.jsonl.gz', data)).map(({ query }) => query)
  const own = new URL('../data/', import.meta.url)
  const unservedOf = (language: string): string[] =>
    readFileSync(new URL(`no-skill-${language}.txt`, own), 'utf8')
      .trim()
      .split('\n')
  const others = readdirSync(own)
    .flatMap(name => /^no-skill-(\w+)\.txt$/.exec(name)?.[1] ?? [])
    .filter(language => language !== 'zh')
  const random = randomFrom(7)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const origins = [...new Set(queries.map(query => query.origin))].filter(origin => pools.has(origin))
  const libraries = new Map<string, RankMessage>()
  for (const origin of origins) libraries.set(origin, await open(pools.get(origin) as PoolSkill[]))

  const examples: Example[] = []
  const seen = new Set<string>()
  for (const query of queries) {
    // "Use X, but skip its checks" names the skill that serves it, so it is not an unserved message.
    const generic = query.tier === 'generic_negative'
    if (generic && (seen.has(`${query.origin} ${query.query}`) || query.query.includes(query.skill_name ?? '\n')))
      continue
    seen.add(`${query.origin} ${query.query}`)
    const skills = pools.get(query.origin)
    const library = libraries.get(query.origin)
    if (!skills || !library || query.tier === 'negative') continue
    const right = new Set([query.skill_id, ...(query.alt_skill_ids ?? [])])
    examples.push(await example(query.query, library, query.should_trigger, query.tier, query.origin, right))
    const rightSkill = skills.find(skill => right.has(skill.id))
    if (!query.should_trigger || !rightSkill || random() > TWO_SKILLS) continue
    const two = [rightSkill, pick(pools.get(pick(origins)) as PoolSkill[])]
    examples.push(await example(query.query, await open(two), true, 'two skills', query.origin, right))
  }
  const chineseOrigins = [...new Set(queries.filter(({ lang }) => lang === 'zh').map(({ origin }) => origin))].filter(
    origin => pools.has(origin),
  )
  const asked = origins.filter(origin => origin.endsWith(WITH_MESSAGES))
  for (const [messages, kind, theirs] of [
    [unserved, 'no skill', origins],
    [unservedOf('zh'), 'no skill, zh', origins],
    [unservedOf('zh'), 'no skill, zh', chineseOrigins],
    ...others.map(language => [unservedOf(language), `no skill, ${language}`, origins] as const),
    ...others.map(language => [unservedOf(language), `no skill, ${language}`, asked] as const),
  ] as const) {
    for (const [index, message] of messages.entries()) {
      if (!supports(message) || theirs.length === 0) continue
      const origin = pick(theirs)
      const skills = pools.get(origin) as PoolSkill[]
      const heldOut = index % 2 === 1
      const none = new Set<string>()
      const library = libraries.get(origin) as RankMessage
      examples.push({ ...(await example(message, library, false, kind, origin, none)), heldOut })
      if (random() > 0.5) continue
      const two = await open([pick(skills), pick(skills)])
      examples.push({ ...(await example(message, two, false, `${kind}, two skills`, origin, none)), heldOut })
    }
  }
  return examples
}

async function example(
  message: string,
  library: RankMessage,
  served: boolean,
  kind: string,
  origin: string,
  right: ReadonlySet<number | string>,
): Promise<Example> {
  const { features, ranked, words } = await library(message)
  return {
    ...features,
    served,
    kind,
    origin,
    length: words,
    relevances: ranked.slice(0, 20).map(one => one.relevance),
    rightIndex: ranked.findIndex(one => right.has(one.id)),
  }
}

/** Weighs examples so that every origin counts equally, and every length has served and unserved messages of equal weight. */
export function weigh(examples: readonly Example[]): number[] {
  const side = (one: Example): string => `${one.served}`
  const perOrigin = groupBy(examples, one => `${one.origin}\t${side(one)}`)
  const base = examples.map(one =>
    Math.min(1 / (perOrigin.get(`${one.origin}\t${side(one)}`) as Example[]).length, 0.1),
  )
  const lengthOf = (one: Example): string => String(Math.floor(Math.log2(Math.max(2, one.length)) * 2))
  const sums = new Map<string, number>()
  for (const [index, one] of examples.entries()) {
    const key = `${lengthOf(one)} ${side(one)}`
    sums.set(key, (sums.get(key) ?? 0) + (base[index] as number))
  }
  return examples.map((one, index) => {
    const total = Math.min(sums.get(`${lengthOf(one)} true`) ?? 0, sums.get(`${lengthOf(one)} false`) ?? 0)
    return ((base[index] as number) / (sums.get(`${lengthOf(one)} ${side(one)}`) as number)) * total
  })
}
