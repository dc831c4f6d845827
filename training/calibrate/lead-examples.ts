import { randomFrom } from '../../bench/random.js'
import { type AuthorTests, amongOthers, readAuthorTests } from '../../bench/rank/authors.js'
import { groupBy, type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { readUnserved } from '../../bench/rank/no-skill.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { embedWithModel } from '../../src/search/match/query-embedding.js'
import type { Evidence } from '../../src/search/match/score.js'
import { evidenceOfSegment, openSingleSegment } from './features.js'

/** A message, as it was ranked in a library. */
export interface Asked {
  evidence: Evidence
  /** A right skill is first. */
  right: boolean
  /**
   * Where it was asked: in the library that it was written for (`dev`, `authors`, `collections`, `own words`), or among a few skills
   * (`few`); and messages without a right skill.
   */
  kind: 'dev' | 'authors' | 'collections' | 'own words' | 'few' | 'near miss' | 'no skill'
  language: string
  /** Messages of one repository are held out together. */
  repository: string
}

/** A library has at least these skills. */
const MIN_LIBRARY = 3
/** Libraries other than the largest are asked this share of the messages that no skill serves. */
const UNSERVED_SHARE = 40

const data = new URL('../../../shared/data/', import.meta.url)
const ranking = new URL('../../test/ranking/', import.meta.url)

type Library = [kind: Asked['kind'], skills: readonly PoolSkill[], queries: readonly TriggerQuery[]]

/** Asks all messages, with the bundled model. */
export async function readAsked(): Promise<Asked[]> {
  const model = readModel()
  const corpus = await loadCorpusStatistics()
  const rows: Asked[] = []
  const unserved = readUnserved()
  const open = (skills: readonly PoolSkill[]) => {
    const builder = createSegmentBuilder({ embedder: model })
    for (const skill of skills) {
      const { description = '', tags = [], body = '' } = skill
      builder.add({ ...skill, description, tags, body })
    }
    const segment = openSingleSegment(builder.finish())
    return (message: string, right: readonly (number | string)[]) => {
      const embedding = embedWithModel(model, corpus.askedIn(message))
      const embeddings = { embedding, calibrated: embedding }
      const { evidence, ranked } = evidenceOfSegment(segment, message, corpus, embeddings)
      const first = skills[ranked[0]?.skill ?? -1]
      return { evidence, right: first !== undefined && right.includes(first.id) }
    }
  }
  const addUnserved = (rank: ReturnType<typeof open>, some: typeof unserved): void => {
    for (const { message, language } of some) {
      rows.push({ ...rank(message, []), kind: 'no skill', language, repository: message })
    }
  }
  const tests = readAuthorTests(data)
  for (const [kind, skills, queries] of librariesOf(tests)) {
    for (const [origin, library] of groupBy(skills, skill => skill.origin)) {
      const asked = queries.filter(one => one.origin === origin && one.should_trigger)
      if (library.length < MIN_LIBRARY || asked.length === 0) continue
      const rank = open(library)
      for (const { query, skill_id, alt_skill_ids = [], lang, repo } of asked) {
        const answer = rank(query, [skill_id, ...alt_skill_ids])
        rows.push({ ...answer, kind, language: lang, repository: repo ?? origin })
      }
      const isLargest = kind === 'authors'
      if (kind === 'own words') continue
      addUnserved(
        rank,
        unserved.filter((_, index) => isLargest || index % UNSERVED_SHARE === 0),
      )
    }
  }
  const random = randomFrom(1)
  for (const [, queries] of groupBy(tests.library.queries, one => String(one.skill_id))) {
    const own = (queries[0] as TriggerQuery).skill_id
    const rank = open(amongOthers(own, tests.library, random))
    for (const { query, should_trigger, lang, repo = '' } of queries) {
      const answer = rank(query, should_trigger ? [own] : [])
      const kind = should_trigger ? 'few' : 'near miss'
      rows.push({ ...answer, kind, language: lang, repository: repo })
    }
  }
  return rows
}

function librariesOf({ library, collections }: AuthorTests): Library[] {
  const skills = readRows<PoolSkill>(new URL('triggers-dev-pools.jsonl.gz', data))
  const isGood = ({ tier }: TriggerQuery): boolean => tier === 'good'
  const ownWords = readRows<TriggerQuery>(new URL('own-words.jsonl', ranking))
  return [
    ['dev', skills, readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data)).filter(isGood)],
    ['authors', library.skills, library.queries.filter(isGood)],
    ['collections', collections.skills, collections.queries.filter(isGood)],
    ['own words', skills, ownWords],
  ]
}
