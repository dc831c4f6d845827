import { isSpaced } from '../../core/text/character-classes.js'
import type { Lexicon } from '../../search/index/lexicon.js'
import { messageTerm } from '../../search/index/message-key.js'
import { idfOf } from '../../search/index/weights.js'
import type { CorpusStatistics } from '../../search/match/corpus-statistics.js'
import { rankTerms, toRanking } from '../../search/match/hybrid.js'
import type { Ranking } from '../../search/match/matcher.js'
import { type AnalyzedQuery, analyzeQuery } from '../../search/match/query.js'
import { embedQuery, type QueryEmbeddings } from '../../search/match/query-embedding.js'
import { bindTerms, weighQuery } from '../../search/match/query-terms.js'
import type { SearchedSegment, SkillPredicate } from '../../search/match/searched-segment.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { SkillId } from '../../skill/skill.js'
import type { CheckedAnswer } from './checked-rows.js'
import type { Counts } from './counts.js'
import { termHash } from './ranking-bytes.js'
import { createSearched, openRows } from './row-segment.js'
import type { EngineQuery } from './skill-engine.js'

/** The counts of a library, and the model of its vectors. */
export interface RankedLibrary {
  counts: Counts
  /** Model of the vectors; `undefined` without vectors. */
  space: string | undefined
  dimensions: number
}

/** A message as an engine is asked for it, and as its answer is ranked. */
export interface PlannedQuery {
  query: AnalyzedQuery
  embeddings: QueryEmbeddings
  /** The vector of the message; `undefined` without a model that has the vectors of the library. */
  vector: Float32Array | undefined
  /** Every term that a row is scored by. */
  terms: ReadonlySet<string>
  /** The same terms as an engine gets them: by hash, with weights. */
  words: EngineQuery['words']
}

/** Fetched rows, ranked. */
export interface EngineRanking {
  segments: readonly SearchedSegment[]
  /** Of the rows that the engine found for the message. */
  ranking: Ranking
  /** Ranks one row, also one that was found by name only. */
  rankAlone(id: SkillId): Ranking
}

interface PlanOptions {
  corpus: CorpusStatistics
  model: SkillModel | undefined
  /** Milliseconds that the message waits for a part of the model. @default that of `embedQuery` */
  modelTimeout?: number | undefined
}

/** Weight of the forms of a word that the counts do not list. The ranking weighs them again. */
const UNLISTED_SHARE = 0.7

/** Weight of the term of the whole message: a skill with an equal message is found before any other. */
const EQUAL_WEIGHT = 1_000

/** Turns a message into words and a vector for an engine. */
export async function planQuery(
  asked: MatchQuery,
  library: RankedLibrary,
  { corpus, model, modelTimeout }: PlanOptions,
): Promise<PlannedQuery> {
  const { counts } = library
  const query = analyzeQuery(asked, corpus)
  const segments = [countsSegment(library, counts.lexicon)]
  const weighed = weighQuery(query, segments, corpus)
  const found = [...weighed.terms, ...weighed.pasted]
  const embeddings = await embedQuery(query.message, segments, {
    embedder: model,
    modelTimeout,
  })
  const weights = new Map<string, number>()
  for (const { idf, weight, forms } of found) {
    for (const { term, share } of forms) add(weights, term, idf * weight * share)
  }
  if (counts.minSkills > 1) {
    for (const { term, idf, weight } of found) {
      const rarest = idfOf(counts.skills, Math.min(1, counts.skills))
      if (!counts.lexicon.find(term)) weights.set(term, rarest * weight)
      for (const form of unlistedForms(term, query, corpus)) {
        if (!weights.has(form)) add(weights, form, idf * weight * UNLISTED_SHARE)
      }
    }
  }
  for (const compared of query.compared) weights.set(messageTerm(compared), EQUAL_WEIGHT)
  return {
    query,
    embeddings,
    vector: embeddings.embedding?.vector,
    terms: new Set(weights.keys()),
    words: hashed(weights),
  }
}

/** Ranks fetched rows as if the whole library were in memory. */
export function rankAnswer(
  { query, embeddings, terms }: PlannedQuery,
  { candidates, also }: CheckedAnswer,
  library: RankedLibrary,
  corpus: CorpusStatistics,
): EngineRanking {
  const found = new Set(candidates.map(({ summary }) => summary.id))
  const rows = [...candidates, ...also.filter(({ summary }) => !found.has(summary.id))]
  const searched = openRows(rows, terms, library.space)
  const { lexicon } = searched.segment
  const weighed = weighQuery(
    query,
    [countsSegment(library, withRows(library.counts, lexicon))],
    corpus,
  )
  const match = {
    query,
    ...bindTerms(weighed, lexicon),
    segments: [searched],
    corpus,
    embeddings,
  }
  const rankOnly = (only: SkillPredicate): Ranking => toRanking(rankTerms({ ...match, only }))
  const isCandidate: SkillPredicate = (_, skill) => found.has(searched.ids[skill] as SkillId)
  return {
    segments: [searched],
    ranking: rankOnly(isCandidate),
    rankAlone: (id: SkillId) => rankOnly((_, skill) => searched.ids[skill] === id),
  }
}

/** A segment without rows: terms are weighed by its counts. */
function countsSegment(
  { counts, space, dimensions }: RankedLibrary,
  lexicon: Lexicon,
): SearchedSegment {
  const vectors =
    space === undefined
      ? undefined
      : { space, dimensions, bytes: new Int8Array(0), scales: new Float32Array(0) }
  return createSearched({ length: counts.skills, lexicon, vectors }, [])
}

/** The counts of a library with those of the terms it does not list, as far as fetched rows have them. */
function withRows({ lexicon, minSkills }: Counts, rows: Lexicon): Lexicon {
  if (minSkills <= 1) return lexicon
  return {
    find: term => lexicon.find(term) ?? rows.find(term),
    findPrefix(prefix, maxExtra, each) {
      const listed = new Set<string>()
      lexicon.findPrefix(prefix, maxExtra, (term, entry) => {
        listed.add(term)
        each(term, entry)
      })
      rows.findPrefix(prefix, maxExtra, (term, entry) => {
        if (!listed.has(term)) each(term, entry)
      })
    },
    entries: () => lexicon.entries(),
  }
}

/** The inflected forms of a word of the message. Most do not exist. */
function unlistedForms(
  term: string,
  { terms, sequence, languages }: AnalyzedQuery,
  { inflect }: CorpusStatistics,
) {
  if (!isSpaced(term) || (terms.get(term) ?? 0) < 1 || !sequence.includes(term)) return []
  return inflect(term, languages.length > 0 ? languages : ['en'])?.forms ?? []
}

function add(weights: Map<string, number>, term: string, weight: number): void {
  weights.set(term, (weights.get(term) ?? 0) + weight)
}

function hashed(terms: ReadonlyMap<string, number>): EngineQuery['words'] {
  const weights = new Map<number, number>()
  for (const [term, weight] of terms) {
    const hash = termHash(term)
    if (weight > 0) weights.set(hash, (weights.get(hash) ?? 0) + weight)
  }
  return { hashes: Uint32Array.from(weights.keys()), weights: Float32Array.from(weights.values()) }
}
