import { checkOptionNames } from '../../core/text/option-names.js'
import type { Calibration, SkillModel } from '../model/skill-model.js'
import { addNameBonus, addPairBonus } from './bonuses.js'
import { type Candidate, compareCandidates, findByWords, findWeights } from './candidates.js'
import { loadCorpusStatistics } from './corpus-statistics.js'
import { createMatcher, type Ranking, type ScoredRanking } from './matcher.js'
import { mixRelevance } from './mix-relevance.js'
import { findOriginals, type Originals, withNearCopies } from './near-copies.js'
import { addNearest, similaritiesTo } from './nearest-skills.js'
import { addEqual, compareOwnMessages } from './own-messages.js'
import { analyzeQuery } from './query.js'
import { embedQuery, type QueryEmbedding } from './query-embedding.js'
import type { QueryMatch, SearchContext } from './query-match.js'
import { weighQuery } from './query-terms.js'
import { isRejected, weighRuledOut } from './ruled-out.js'
import { saidEvidence, wishOf } from './said.js'
import {
  CALIBRATION,
  type Evidence,
  raiseEqual,
  rivalEvidence,
  rivalWeight,
  scoreRanked,
  withMessagesKnown,
  wordEvidence,
} from './score.js'
import type { SearchedSegment } from './searched-segment.js'
import { explainedQuery, headFinder, signalsOf } from './signals.js'
import type { Matcher, MatchQuery } from './skill-match.js'
import { addTellingWords } from './telling-words.js'

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
export function localMatcher(options: { embedder?: SkillModel | undefined } = {}): Matcher {
  checkOptionNames(options, { embedder: 1 })
  const { embedder } = options
  return hybridMatcher(() => embedder)
}

/** @param embedder Returns the model for each message: it may join later. */
export function hybridMatcher(embedder: () => SkillModel | undefined): Matcher {
  return createMatcher({
    prepare: loadCorpusStatistics,
    async rank(query, segments, { only, vector, modelTimeout }) {
      const corpus = await loadCorpusStatistics()
      const embedding = { embedder: embedder(), vector, modelTimeout }
      const embeddings = await embedQuery(corpus.askedIn(query.message), segments, embedding)
      return toRanking(rankHybrid(query, { segments, corpus, embeddings, only }))
    },
  })
}

/** The candidates for one message, and everything their scores are computed from. */
export interface HybridRanking {
  match: QueryMatch
  /** Best first. */
  candidates: readonly Candidate[]
}

export function rankHybrid(asked: MatchQuery, context: SearchContext): HybridRanking {
  const query = analyzeQuery(asked, context.corpus)
  return rankTerms({
    ...context,
    query,
    ...weighQuery(query, context.segments, context.corpus),
  })
}

/**
 * Ranks skills for an analyzed message, step by step.
 *
 * Candidates come from words first, because postings give the score of every skill in a fraction of a millisecond, and then from each
 * model, because a skill may share no word with the message. The 50 best of each are enough: all that follows (pairs, names, the mix) needs
 * more time per skill and moves a skill by a few ranks only. Neither way filters the other: a candidate of a model gets its score by words,
 * and a candidate of words its similarity, so that both are compared by both.
 */
export function rankTerms(match: QueryMatch): HybridRanking {
  const models = [match.embeddings.embedding, match.embeddings.second].filter(
    model => model !== undefined,
  )
  const candidates = findByWords(match)
  for (const model of models) addNearest(candidates, model, match)
  addEqual(candidates, match)
  addPairBonus(candidates, match)
  addNameBonus(candidates, match)
  mixInSimilarity(candidates, models, match)
  const bestFirst = (a: Candidate, b: Candidate) => compareCandidates(a, b, match.segments)
  candidates.sort(bestFirst)
  addTellingWords(candidates, match)
  weighRuledOut(candidates, match)
  candidates.sort(bestFirst)
  compareOwnMessages(candidates, match)
  const relevant = candidates.filter(({ relevance }) => relevance > 0).sort(bestFirst)
  return { match, candidates: relevant }
}

/** @param models The one whose similarity is shown comes first. */
function mixInSimilarity(
  candidates: readonly Candidate[],
  models: readonly QueryEmbedding[],
  { terms, segments }: QueryMatch,
): void {
  const [first] = models
  if (!first) return
  const similarities = models.map(model => ({
    ...model,
    cosines: similaritiesTo(candidates, model, segments),
  }))
  const relevances = candidates.map(({ relevance }) => relevance)
  const mixed = mixRelevance(relevances, similarities, terms, first.weight)
  for (const [index, candidate] of candidates.entries()) {
    candidate.relevance = mixed[index] as number
    candidate.similarity = similarities[0]?.cosines[index] as number
  }
}

/** The ranking as a matcher needs it. */
export function toRanking(ranking: HybridRanking): Ranking {
  const { match, candidates } = ranking
  const { embedding, isPartMissing = false } = match.embeddings
  return {
    model: embedding ? `${HYBRID} ${embedding.space}` : LEXICAL,
    complete: !isPartMissing,
    emptyMessage: match.query.terms.size === 0 && !candidates[0]?.own?.isEqual,
    skills: candidates,
    score: limit => scoreCandidates(ranking, limit),
    scoreBelow(alone) {
      const [best] = candidates as [Candidate]
      const last = scoreCandidates(ranking, candidates.length).skills.at(-1)?.score ?? 0
      return (
        last *
        rivalWeight(Math.min(alone.skills[0]?.relevance ?? 0, best.relevance), best.relevance)
      )
    },
  }
}

/** Scores and explains the first candidates. */
function scoreCandidates(ranking: HybridRanking, limit: number): ScoredRanking {
  const { match, candidates } = ranking
  const shown = candidates.slice(0, limit)
  findWeights(shown, match)
  const { evidence, calibration, originals } = evidenceOf(ranking)
  const scored = scoreRanked(originals.relevances, evidence, calibration, limit)
  const raised = raiseEqual(scored, countEqual(candidates, originals))
  const { served, scores } = withNearCopies(raised, shown, originals)
  const explained = explainedQuery(match)
  const skills = shown.map((candidate, index) => {
    const { segmentIndex, skill } = candidate
    const signals = signalsOf(candidate, candidate.weights ?? [], explained)
    const score = isRejected(candidate) ? 0 : (scores[index] as number)
    return { segmentIndex, skill, score, signals }
  })
  // A skill that is not for just this message ranks last: then no other is left.
  const isUnserved = shown[0] !== undefined && isRejected(shown[0])
  return { served: isUnserved ? 0 : served, skills }
}

/** The skills with a message that is equal to that of the user. Near copies have the same one. */
function countEqual(candidates: readonly Candidate[], { ranks }: Originals): number {
  const equal = candidates.flatMap(({ own }, index) => (own?.isEqual ? [ranks[index]] : []))
  return new Set(equal).size
}

/** The figures that the scores of a ranking are computed from, and the coefficients. */
export function evidenceOf({ match, candidates }: HybridRanking): {
  evidence: Evidence
  calibration: Calibration
  originals: Originals
} {
  const { query, terms, segments, corpus } = match
  const [best] = candidates
  const scorer = best && scorerOf(best, match)
  const segment = best && segments[best.segmentIndex]?.segment
  const hasMessages =
    best !== undefined && segment !== undefined && segment.messagesOf(best.skill).length > 0
  const isInHead = hasMessages ? headFinder(segment, best.skill) : undefined
  const calibration = scorer?.calibration ?? CALIBRATION.words
  if (best) findWeights([best], match)
  const weights = best?.weights ?? []
  const originals = findOriginals(candidates, segments)
  const isUnspaced = query.language === 'unspaced'
  const named = best !== undefined && best.nameBonus > 0
  const evidence: Evidence = {
    ...wordEvidence(terms, weights, isInHead),
    ...rivalEvidence(originals.relevances),
    own: best?.own?.likeness ?? 0,
    said: saidEvidence(query, terms, weights),
    byWords: best && candidates.every(({ lexical }) => lexical <= best.lexical) ? 1 : 0,
    wish: named ? 1 : wishOf(query, terms, corpus),
    ruledOut: best?.ruledOut?.against ?? 0,
    named: named ? 1 : 0,
    similarity: scorer ? similarityOf(best, scorer, match) : 0,
    foreign: query.language === 'foreign' ? 1 : 0,
    unspaced: isUnspaced ? 1 : 0,
  }
  return {
    originals,
    evidence,
    calibration: hasMessages ? withMessagesKnown(calibration, evidence) : calibration,
  }
}

/** The embedding whose similarity counts in the score. Without a vector of the best skill it is unknown, and words alone count. */
function scorerOf(
  best: Candidate,
  { embeddings, segments }: QueryMatch,
): QueryEmbedding | undefined {
  const { calibrated } = embeddings
  const segment = segments[best.segmentIndex] as SearchedSegment
  return calibrated?.vectorsIn(segment) ? calibrated : undefined
}

function similarityOf(
  candidate: Candidate,
  scorer: QueryEmbedding,
  { embeddings, segments }: QueryMatch,
): number {
  const known =
    scorer === embeddings.embedding
      ? candidate.similarity
      : similaritiesTo([candidate], scorer, segments)[0]
  return known ?? 0
}
