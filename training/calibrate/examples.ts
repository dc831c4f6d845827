import { readdirSync, readFileSync } from 'node:fs'
import { groupBy, type PoolSkill, readRows, type TriggerQuery, withMessages } from '../../bench/rank/data.js'
import type { Evidence } from '../../src/search/match/score.js'
import { readMessages, readNearMisses } from '../messages/read.js'
import { readRegistry } from '../model/sources.js'
import { randomFrom } from '../random.js'
import type { RankMessage } from './open.js'

export interface Example {
  evidence: Evidence
  /** A skill of the library serves the message. */
  served: boolean
  /** That skill is ranked first. */
  first: boolean
  kind: string
  language: string
  /** Examples of one origin are held out together. */
  origin: string
}

/** A message, the library it is asked of, and the skills that serve it. */
interface Question {
  library: readonly PoolSkill[]
  message: string
  right: readonly (number | string)[]
  kind: string
  language: string
  origin: string
}

export const NO_SKILL = 'no skill'
export const NEAR_MISS = 'near miss'

const data = new URL('../../../shared/data/', import.meta.url)
const ranking = new URL('../../test/ranking/', import.meta.url)
const own = new URL('../data/', import.meta.url)
/** Sizes of the libraries that are made of registry skills. */
const SIZES = [
  ...Array(12).fill(2),
  ...Array(6).fill(5),
  ...Array(6).fill(10),
  30,
  30,
  30,
  30,
  46,
  46,
  100,
  100,
  100,
  300,
  300,
  1000,
]
/** Messages asked of one such library, and libraries that each message without a skill is asked of. */
const ASKED = 600
const LIBRARIES = 3

/**
 * Ranks the messages of a fit:
 *
 * - those that authors wrote for their skills, and those of test/ranking/own-words.jsonl, in the library they belong to, without and with
 *   the messages of test/ranking/messages.tsv;
 * - those of training/messages, in libraries of 2 to 1,000 skills that are drawn from the registry, with near misses of these skills;
 * - messages that no skill serves, in all of these libraries: generic ones of authors, and those of training/data in nine languages.
 *
 * @param supports Selects messages in the languages of the model.
 */
export async function readExamples(
  open: (skills: readonly PoolSkill[]) => Promise<RankMessage>,
  supports: (message: string) => boolean,
): Promise<Example[]> {
  const random = randomFrom(7)
  const questions = [...authored(), ...(await drawn(random))]
  const libraries = [...new Set(questions.map(({ library }) => library))]
  for (const [language, message] of unserved())
    for (let count = 0; count < LIBRARIES; count++) {
      const library = pick(libraries, random)
      questions.push({ library, message, right: [], kind: NO_SKILL, language, origin: `${NO_SKILL} ${message}` })
    }
  const examples: Example[] = []
  for (const library of libraries) {
    const rank = await open(library)
    const asked = questions.filter(question => question.library === library)
    for (const { message, right, kind, language, origin } of asked) {
      if (!supports(message)) continue
      const { evidence, ranked } = await rank(message)
      if (ranked.length === 0) continue
      const first = right.includes(ranked[0] as number | string)
      examples.push({ evidence, served: right.length > 0, first, kind, language, origin })
    }
  }
  return examples
}

/** Messages of the dev set and of test/ranking. */
function authored(): Question[] {
  const skills = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
  const queries = [
    ...readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data)),
    ...readRows<TriggerQuery>(new URL('own-words.jsonl', ranking)).map(query => ({ ...query, tier: 'own words' })),
  ]
  const questions: Question[] = []
  for (const pool of [skills, withMessages(skills, new URL('messages.tsv', ranking))])
    for (const [origin, library] of groupBy(pool, skill => skill.origin)) {
      const ids = new Set(library.map(({ id }) => id))
      const seen = new Set<string>()
      for (const query of queries) {
        if (query.origin !== origin || query.tier === 'negative') continue
        // "Use X, but skip its checks" names the skill that serves it, so it is not an unserved message.
        const generic = query.tier === 'generic_negative'
        if (generic && (seen.has(query.query) || query.query.includes(query.skill_name ?? '\n'))) continue
        seen.add(query.query)
        const right = query.should_trigger
          ? [query.skill_id, ...(query.alt_skill_ids ?? [])].filter(id => ids.has(id))
          : []
        if (query.should_trigger && right.length === 0) continue
        questions.push({ library, message: query.query, right, kind: query.tier, language: query.lang, origin })
      }
    }
  return questions
}

/** Messages of training/messages, in libraries drawn from the registry. */
async function drawn(random: () => number): Promise<Question[]> {
  const situations = groupBy(readMessages('messages-by-situation.tsv'), ({ id }) => id)
  const misses = groupBy(readNearMisses(), ({ id }) => id)
  const skills = (await readRegistry())
    .map(({ owner, folder, name, description, body }) => {
      const origin = `clawhub:${owner}`
      return { id: `${origin}/${folder}`, origin, name, description, body }
    })
    .filter(({ id }) => situations.has(id))
  shuffle(skills, random)
  const questions: Question[] = []
  let at = 0
  for (const [index, size] of SIZES.entries()) {
    const library = Array.from({ length: size }, (_, number) => skills[(at + number) % skills.length] as PoolSkill)
    at += size
    const common = { library, origin: `drawn ${index}` }
    const asked = library.flatMap(({ id }) => [
      ...(situations.get(String(id)) ?? []).map(one => ({ ...common, ...one, right: [id], kind: 'situation' })),
      // In a large library, another skill may serve a near miss.
      ...(size > 46 ? [] : (misses.get(String(id)) ?? [])).map(one => ({
        ...common,
        ...one,
        right: [],
        kind: NEAR_MISS,
      })),
    ])
    questions.push(...shuffle(asked, random).slice(0, ASKED))
  }
  return questions
}

/** Messages that no skill serves: language and message. */
function unserved(): [language: string, message: string][] {
  const english = readRows<{ query: string }>(new URL('no-skill-queries.jsonl.gz', data))
  const others = readdirSync(own).flatMap(name => {
    const language = /^no-skill-(\w+)\.txt$/.exec(name)?.[1]
    if (!language) return []
    const messages = readFileSync(new URL(name, own), 'utf8').trim().split('\n')
    return messages.map(message => [language, message] as [string, string])
  })
  return [...english.map(({ query }) => ['en', query] as [string, string]), ...others]
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T
}

function shuffle<T>(items: T[], random: () => number): T[] {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    const moved = items[last] as T
    items[last] = items[other] as T
    items[other] = moved
  }
  return items
}
