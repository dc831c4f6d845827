import { readFileSync } from 'node:fs'
import { randomFrom } from '../../bench/random.js'
import {
  groupBy,
  type PoolSkill,
  readRows,
  type TriggerQuery,
  withMessages,
} from '../../bench/rank/data.js'
import { readSamples, readUnserved } from '../../bench/rank/no-skill.js'
import type { Evidence } from '../../src/search/match/score.js'
import { readMessages, readNearMisses } from '../messages/read.js'
import { readRegistry } from '../model/sources.js'
import type { CalibrationTarget } from './open.js'

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
/** No skill serves the message, and the library is that of the samples, whose skills have messages in nine languages. */
export const NO_SAMPLE = 'no sample'
export const NEAR_MISS = 'near miss'
/** A message of a skill that has its other messages. */
const HELD = 'held'
/** One or two words, as people type into a search box. */
const KEYWORDS = 'keywords'

const data = new URL('../../../shared/data/', import.meta.url)
const ranking = new URL('../../test/ranking/', import.meta.url)
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
/** Skills of a library that is small. */
const SMALL = 46
/** Messages asked of one such library, and libraries that each message without a skill is asked of. */
const ASKED = 600
const LIBRARIES = 3
/** Of libraries with messages there are fewer. */
const INFORMED_LIBRARIES = 6
/** Names of the skills of a library that are asked for by their first words, and as many of other skills. */
const KEYWORDS_ASKED = 40

/**
 * Ranks the messages of a fit:
 *
 * - those that authors wrote for their skills, and those of test/ranking/own-words.jsonl, in the library they belong to, without and with
 *   the messages of test/ranking/messages.tsv;
 * - those of training/messages that the model has not learned, in libraries of 2 to 1,000 skills that are drawn from the registry, with near
 *   misses of these skills, and again in the same libraries with half of the messages indexed;
 * - the first one or two words of the names of skills, in the library or not;
 * - messages that no skill serves, in all of these libraries and in the samples: generic ones of authors, and those of training/data in nine
 *   languages.
 * @param options `informed`: only those whose best skill has messages, and the last message of each language of the skills of messages.tsv.
 */
export async function readExamples(
  { open, isAsked }: CalibrationTarget,
  { informed }: { informed: boolean },
): Promise<Example[]> {
  const random = randomFrom(7)
  const all = [...authored(), ...(await drawn(random, isAsked)), ...(informed ? held() : [])]
  const questions = informed ? all.filter(({ library }) => hasMessages(library)) : all
  const libraries = [...new Set(questions.map(({ library }) => library))]
  const samples = await readSamples()
  for (const { language, message, servedBySamples } of readUnserved()) {
    const common = { message, right: [], language, origin: `${NO_SKILL} ${message}` }
    for (let count = 0; count < (informed ? INFORMED_LIBRARIES : LIBRARIES); count++) {
      questions.push({ ...common, library: pick(libraries, random), kind: NO_SKILL })
    }
    if (!servedBySamples) questions.push({ ...common, library: samples, kind: NO_SAMPLE })
  }
  libraries.push(samples)
  const examples: Example[] = []
  for (const library of libraries) {
    const rank = await open(library)
    const asked = questions.filter(question => question.library === library)
    for (const { message, right, kind, language, origin } of asked) {
      const { evidence, ranked } = await rank(message)
      if (ranked.length === 0 || (informed && evidence.messages === 0)) continue
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
    ...readRows<TriggerQuery>(new URL('own-words.jsonl', ranking)).map(query => ({
      ...query,
      tier: 'own words',
    })),
  ]
  const questions: Question[] = []
  for (const pool of [skills, withMessages(skills, new URL('messages.tsv', ranking))]) {
    for (const [origin, library] of groupBy(pool, skill => skill.origin)) {
      const ids = new Set(library.map(({ id }) => id))
      const seen = new Set<string>()
      for (const query of queries) {
        if (query.origin !== origin || query.tier === 'negative') continue
        // "Use X, but skip its checks" names the skill that serves it, so it is not an unserved message.
        const generic = query.tier === 'generic_negative'
        if (generic && (seen.has(query.query) || query.query.includes(query.skill_name ?? '\n'))) {
          continue
        }
        seen.add(query.query)
        const right = query.should_trigger
          ? [query.skill_id, ...(query.alt_skill_ids ?? [])].filter(id => ids.has(id))
          : []
        if (query.should_trigger && right.length === 0) continue
        questions.push({
          library,
          message: query.query,
          right,
          kind: query.tier,
          language: query.lang,
          origin,
        })
      }
    }
  }
  return questions
}

/** Whether skills of a library have messages. */
function hasMessages(library: readonly PoolSkill[]): boolean {
  return library.some(({ messages = [] }) => messages.length > 0)
}

/** The last message of each language of each skill of messages.tsv, in its library with the other messages. */
function held(): Question[] {
  const file = new URL('messages.tsv', ranking)
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const rows = lines.map(line => line.split('\t') as [id: string, language: string, text: string])
  const last = new Map(rows.map(row => [`${row[0]} ${row[1]}`, row]))
  const isHeld = new Set([...last.values()].map(([, , text]) => text))
  const skills = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
  const questions: Question[] = []
  for (const [origin, pool] of groupBy(withMessages(skills, file), skill => skill.origin)) {
    const library = pool.map(skill => ({
      ...skill,
      messages: (skill.messages ?? []).filter(text => !isHeld.has(text)),
    }))
    const ids = new Map(library.map(({ id }) => [String(id), id]))
    for (const [skill, language, message] of last.values()) {
      const id = ids.get(skill)
      if (id === undefined) continue
      questions.push({ library, message, right: [id], kind: HELD, language, origin })
    }
  }
  return questions
}

/** Messages of training/messages, in libraries drawn from the registry: small ones have only skills that are asked for. */
async function drawn(random: () => number, isAsked: (id: string) => boolean): Promise<Question[]> {
  const situations = groupBy(readMessages('messages-by-situation.tsv'), ({ id }) => id)
  const misses = groupBy(readNearMisses(), ({ id }) => id)
  const skills = (await readRegistry())
    .map(({ owner, folder, name, description, body }) => {
      const origin = `clawhub:${owner}`
      return { id: `${origin}/${folder}`, origin, name, description, body }
    })
    .filter(({ id }) => situations.has(id))
  shuffle(skills, random)
  const asked = skills.filter(({ id }) => isAsked(id))
  if (asked.length === 0) return []
  const questions: Question[] = []
  let at = 0
  for (const [index, size] of SIZES.entries()) {
    const from = size > SMALL ? skills : asked
    const library = Array.from(
      { length: size },
      (_, number) => from[(at + number) % from.length] as PoolSkill,
    )
    at += size
    const common = { library, origin: `drawn ${index}` }
    const messages = library
      .filter(({ id }) => isAsked(String(id)))
      .flatMap(({ id }) => [
        ...(situations.get(String(id)) ?? []).map(one => ({
          ...common,
          ...one,
          right: [id],
          kind: 'situation',
        })),
        // In a large library, another skill may serve a near miss.
        ...(size > SMALL ? [] : (misses.get(String(id)) ?? [])).map(one => ({
          ...common,
          ...one,
          right: [],
          kind: NEAR_MISS,
        })),
      ])
    const inside = shuffle([...library], random).slice(0, KEYWORDS_ASKED)
    const keywords = [...inside, ...Array.from(inside, () => pick(skills, random))]
      .map(skill => keywordsOf(skill.name, random))
      .filter(message => message !== '')
      .map(message => ({
        ...common,
        message,
        right: namedBy(message, library),
        kind: KEYWORDS,
        language: 'en',
      }))
    const some = [...shuffle(messages, random).slice(0, ASKED), ...keywords]
    const indexed = new Map(
      library.map(({ id }) => [id, everySecond(situations.get(String(id)) ?? [])]),
    )
    const informed = library.map(skill => ({ ...skill, messages: indexed.get(skill.id) ?? [] }))
    const isIndexed = ({ message, right: [id = ''] }: Question): boolean =>
      !!indexed.get(id)?.includes(message)
    questions.push(
      ...some,
      ...some.filter(one => !isIndexed(one)).map(one => ({ ...one, library: informed })),
    )
  }
  return questions
}

/** The first one or two words of a name; empty if it is not written in Latin letters. */
function keywordsOf(name: string, random: () => number): string {
  const words = name.toLowerCase().match(/[a-z]{3,}/g) ?? []
  return words.slice(0, random() < 0.5 ? 1 : 2).join(' ')
}

/** Ids of the skills whose names have all these words. */
function namedBy(keywords: string, library: readonly PoolSkill[]): (number | string)[] {
  return library
    .filter(({ name }) => keywords.split(' ').every(word => name.toLowerCase().includes(word)))
    .map(({ id }) => id)
}

function everySecond(messages: readonly { message: string }[]): string[] {
  return messages.filter((_, index) => index % 2 === 0).map(({ message }) => message)
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
