import type { SkillModel } from '../model/types.js'
import { type Background, loadBackground } from './background.js'
import { addNameBonus, addPairBonus } from './bonuses.js'
import { type Candidate, findByWords, formWeights, MAX_CANDIDATES, sortCandidates } from './candidates.js'
import { createMatcher, type Ranking, type ScoredSkill } from './matcher.js'
import { type AnalyzedQuery, analyzeQuery, maxRelevance, type QueryTerm, weighTerms } from './query.js'
import {
  addNearest,
  embedQuery,
  mixRelevance,
  type QueryEmbedding,
  type QueryEmbeddings,
  similaritiesTo,
} from './query-embedding.js'
import { CALIBRATION, scoreFeatures, scoreRanked, servedProbability } from './score.js'
import type { SearchedSegment, SkillPredicate } from './searched-segment.js'
import { signalsOf } from './signals.js'
import type { Matcher, MatchQuery } from './types.js'

const LEXICAL = 'lexical/1'
const HYBRID = 'hybrid/1'

/**
 * Creates a matcher that ranks by words: BM25F over whole SKILL.md files, pairs of words, and names. Runs in any runtime.
 *
 * @returns A matcher for the `matcher` option of `openLibrary`, or for `serveMatcher`.
 * @example
 * const library = await openLibrary('/skills/', { matcher: lexicalMatcher() })
 */
export function lexicalMatcher(): Matcher {
  return localMatcher()
}

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
    prepare: loadBackground,
    async rank(query, segments, { only, vector }) {
      const background = await loadBackground()
      const embeddings = await embedQuery(query.message, segments, embedder(), vector)
      return toRanking(rankHybrid(query, segments, background, embeddings, only), segments)
    },
  })
}

/** The candidates for one message, best first, and everything their scores are computed from. */
export interface HybridRanking extends QueryEmbeddings {
  query: AnalyzedQuery
  terms: readonly QueryTerm[]
  candidates: readonly Candidate[]
}

/** Ranks skills for a message. */
export function rankHybrid(
  { message, history }: MatchQuery,
  segments: readonly SearchedSegment[],
  background: Background,
  embeddings: QueryEmbeddings,
  only?: SkillPredicate,
): HybridRanking {
  const query = analyzeQuery(message, history, background)
  return rankTerms(query, weighTerms(query, segments, background), segments, embeddings, only)
}

/** Ranks skills for an analyzed message, step by step. */
export function rankTerms(
  query: AnalyzedQuery,
  terms: readonly QueryTerm[],
  segments: readonly SearchedSegment[],
  { embedding, calibrated }: QueryEmbeddings,
  only?: SkillPredicate,
): HybridRanking {
  const candidates = findByWords(terms, segments, only)
  if (embedding) addNearest(candidates, embedding, segments, MAX_CANDIDATES, only)
  addPairBonus(candidates, query, segments)
  addNameBonus(candidates, query, terms, segments)
  if (embedding) mixInSimilarity(candidates, embedding, terms, segments)
  const relevant = sortCandidates(
    candidates.filter(({ relevance }) => relevance > 0),
    segments,
  )
  return { query, terms, candidates: relevant, embedding, calibrated }
}

function mixInSimilarity(
  candidates: readonly Candidate[],
  embedding: QueryEmbedding,
  terms: readonly QueryTerm[],
  segments: readonly SearchedSegment[],
): void {
  const similarities = similaritiesTo(candidates, embedding, segments)
  const mixed = mixRelevance(
    candidates.map(({ relevance }) => relevance),
    similarities,
    maxRelevance(terms),
    embedding,
  )
  for (const [index, candidate] of candidates.entries()) {
    candidate.relevance = mixed[index] as number
    candidate.similarity = similarities[index] as number
  }
}

/** The ranking as a matcher needs it. */
export function toRanking(ranking: HybridRanking, segments: readonly SearchedSegment[]): Ranking {
  const { query, candidates, embedding } = ranking
  return {
    model: embedding ? `${HYBRID} ${embedding.space}` : LEXICAL,
    emptyMessage: query.terms.size === 0,
    skills: candidates,
    score: limit => scoreCandidates(ranking, segments, limit),
    scoreBelow(alone) {
      const [best] = candidates as [Candidate]
      const [first] = scoreCandidates(ranking, segments, 1) as [ScoredSkill]
      const relevance = Math.min(alone.skills[0]?.relevance ?? 0, (candidates.at(-1) as Candidate).relevance)
      return first.score * (relevance / best.relevance)
    },
  }
}

/** Scores and explains the first candidates. The first score is a probability, calibrated on the features of the best skill. */
function scoreCandidates(
  { query, terms, candidates, embedding, calibrated }: HybridRanking,
  segments: readonly SearchedSegment[],
  limit: number,
): ScoredSkill[] {
  const shown = candidates.slice(0, limit)
  const [best] = shown
  if (!best) return []
  const weights = formWeights(terms, shown, segments)
  // If the best skill has no vector, its similarity is unknown rather than 0, and the score comes from words alone.
  const scorer = calibrated?.vectorsIn(segments[best.segmentIndex] as SearchedSegment) ? calibrated : undefined
  const similarity = scorer && (scorer === embedding ? best.similarity : similaritiesTo([best], scorer, segments)[0])
  const calibration = scorer?.calibration ?? CALIBRATION.words
  const features = scoreFeatures(terms, weights[0] ?? [], { named: best.nameBonus > 0, similarity })
  const scored = scoreRanked(candidates, servedProbability(features, calibration), calibration, limit)
  const compared = embedding?.embedText ? embedding : calibrated
  return scored.map((candidate, index) => {
    const { segmentIndex, skill, score, confidence } = candidate
    const { segment } = segments[segmentIndex] as SearchedSegment
    const signals = signalsOf(query, terms, weights[index] ?? [], candidate, segment, compared)
    return { segmentIndex, skill, score, confidence, signals }
  })
}
