import type { Calibration, SkillModel } from '../model/skill-model.js'
import { addNameBonus, addPairBonus } from './bonuses.js'
import { type Candidate, compareCandidates, findByWords, formWeights, MAX_CANDIDATES } from './candidates.js'
import { type CorpusStatistics, loadCorpusStatistics } from './corpus-statistics.js'
import { createMatcher, type Ranking, type ScoredRanking } from './matcher.js'
import { mixRelevance } from './mix-relevance.js'
import { addNearest, similaritiesTo } from './nearest-skills.js'
import { type AnalyzedQuery, analyzeQuery, type QueryTerm, weighTerms } from './query.js'
import { embedQuery, type QueryEmbedding, type QueryEmbeddings } from './query-embedding.js'
import { CALIBRATION, type Evidence, rivalEvidence, rivalWeight, scoreRanked, wordEvidence } from './score.js'
import type { SearchedSegment, Segments, SkillPredicate } from './searched-segment.js'
import { headFinder, signalsOf } from './signals.js'
import type { Matcher, MatchQuery } from './skill-match.js'

const LEXICAL = 'lexical/1'
const HYBRID = 'hybrid/1'

/**
 * Creates a matcher that ranks by words and, with an embedder, by meaning. Runs in any runtime.
 *
 * @param options `embedder`: a skill model such as `await bundled()`. It is used for segments that hold its vectors. Default: words only.
 * @returns A matcher for the `matcher` option of `openLibrary`, or for `serveMatcher`.
 * @example
 * serveMatcher(async () => localMatcher({ embedder: await bundled() }))
 */
export function localMatcher({ embedder }: { embedder?: SkillModel | undefined } = {}): Matcher {
  return hybridMatcher(() => embedder)
}

/** @param embedder Returns the model for each message: it may join later. */
export function hybridMatcher(embedder: () => SkillModel | undefined): Matcher {
  return createMatcher({
    prepare: loadCorpusStatistics,
    async rank(query, segments, { only, vector, modelTimeout }) {
      const corpus = await loadCorpusStatistics()
      const embeddings = await embedQuery(query.message, segments, embedder(), vector, modelTimeout)
      return toRanking(rankHybrid(query, segments, corpus, embeddings, only), segments)
    },
  })
}

/** The candidates for one message, best first, and everything their scores are computed from. */
export interface HybridRanking extends QueryEmbeddings {
  query: AnalyzedQuery
  terms: readonly QueryTerm[]
  candidates: readonly Candidate[]
}

export function rankHybrid(
  { message, history }: MatchQuery,
  segments: Segments,
  corpus: CorpusStatistics,
  embeddings: QueryEmbeddings,
  only?: SkillPredicate,
): HybridRanking {
  const query = analyzeQuery(message, history, corpus)
  return rankTerms(query, weighTerms(query, segments, corpus), segments, embeddings, only)
}

/** Ranks skills for an analyzed message, step by step. */
export function rankTerms(
  query: AnalyzedQuery,
  terms: readonly QueryTerm[],
  segments: Segments,
  embeddings: QueryEmbeddings,
  only?: SkillPredicate,
): HybridRanking {
  const models = [embeddings.embedding, embeddings.second].filter(model => model !== undefined)
  const candidates = findByWords(terms, segments, only)
  for (const model of models) addNearest(candidates, model, segments, MAX_CANDIDATES, only)
  addPairBonus(candidates, query, segments)
  addNameBonus(candidates, query, terms, segments)
  mixInSimilarity(candidates, models, terms, segments)
  const relevant = candidates.filter(({ relevance }) => relevance > 0)
  relevant.sort((a, b) => compareCandidates(a, b, segments))
  return { ...embeddings, query, terms, candidates: relevant }
}

/** @param models The one whose similarity is shown comes first. */
function mixInSimilarity(
  candidates: readonly Candidate[],
  models: readonly QueryEmbedding[],
  terms: readonly QueryTerm[],
  segments: Segments,
): void {
  const [first] = models
  if (!first) return
  const similarities = models.map(model => ({ ...model, cosines: similaritiesTo(candidates, model, segments) }))
  const relevances = candidates.map(({ relevance }) => relevance)
  const mixed = mixRelevance(relevances, similarities, terms, first.weight)
  for (const [index, candidate] of candidates.entries()) {
    candidate.relevance = mixed[index] as number
    candidate.similarity = similarities[0]?.cosines[index] as number
  }
}

/** The ranking as a matcher needs it. */
export function toRanking(ranking: HybridRanking, segments: Segments): Ranking {
  const { query, candidates, embedding, isPartMissing = false } = ranking
  return {
    model: embedding ? `${HYBRID} ${embedding.space}` : LEXICAL,
    complete: !isPartMissing,
    emptyMessage: query.terms.size === 0,
    skills: candidates,
    score: limit => scoreCandidates(ranking, segments, limit),
    scoreBelow(alone) {
      const [best] = candidates as [Candidate]
      const last = scoreCandidates(ranking, segments, candidates.length).skills.at(-1)?.score ?? 0
      return last * rivalWeight(Math.min(alone.skills[0]?.relevance ?? 0, best.relevance), best.relevance)
    },
  }
}

/** Scores and explains the first candidates. */
function scoreCandidates(ranking: HybridRanking, segments: Segments, limit: number): ScoredRanking {
  const { query, terms, candidates, embedding, calibrated } = ranking
  const shown = candidates.slice(0, limit)
  const weights = formWeights(terms, shown, segments)
  const { evidence, calibration } = evidenceOf(ranking, segments, weights[0])
  const relevances = candidates.map(({ relevance }) => relevance)
  const { served, scores } = scoreRanked(relevances, evidence, calibration, limit)
  const compared = embedding?.embedText ? embedding : calibrated
  const skills = shown.map((candidate, index) => {
    const { segmentIndex, skill } = candidate
    const { segment } = segments[segmentIndex] as SearchedSegment
    const signals = signalsOf(query, terms, weights[index] ?? [], candidate, segment, compared)
    return { segmentIndex, skill, score: scores[index] as number, signals }
  })
  return { served, skills }
}

/**
 * What the scores of a ranking are computed from, and by which coefficients.
 * @param weights The weights of the terms in the best skill, if they are known: see `formWeights`.
 */
export function evidenceOf(
  { query, terms, candidates, embedding, calibrated }: HybridRanking,
  segments: Segments,
  weights?: readonly (readonly number[])[],
): { evidence: Evidence; calibration: Calibration } {
  const [best] = candidates
  // If the best skill has no vector, its similarity is unknown rather than 0, and the score comes from words alone.
  const scorer = best && calibrated?.vectorsIn(segments[best.segmentIndex] as SearchedSegment) ? calibrated : undefined
  const similarity =
    best && scorer && (scorer === embedding ? best.similarity : similaritiesTo([best], scorer, segments)[0])
  const segment = best && segments[best.segmentIndex]?.segment
  const isInHead = best && segment?.messagesOf(best.skill).length ? headFinder(segment, best.skill) : undefined
  return {
    evidence: {
      ...wordEvidence(terms, weights ?? (best && formWeights(terms, [best], segments)[0]) ?? [], isInHead),
      ...rivalEvidence(candidates.map(({ relevance }) => relevance)),
      named: best && best.nameBonus > 0 ? 1 : 0,
      similarity: similarity ?? 0,
      foreign: query.language === 'foreign' ? 1 : 0,
      unspaced: query.language === 'unspaced' ? 1 : 0,
    },
    calibration: scorer?.calibration ?? CALIBRATION.words,
  }
}
