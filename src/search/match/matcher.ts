import { abortable } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { SkillId } from '../../skill/skill.js'
import { reasonOf } from './reason.js'
import {
  openSearchedSegment,
  type SearchedSegment,
  type Segments,
  type SkillPredicate,
  type SkillRef,
} from './searched-segment.js'
import type {
  Abstention,
  Language,
  Matcher,
  MatcherResult,
  MatchQuery,
  MatchSignals,
  QueryVector,
  RankedMatch,
} from './skill-match.js'

/** A way to rank skills. `createMatcher` adds segments, limits, reasons and explanations. */
export interface Strategy {
  /** Loads what ranking needs. Awaited by each update. */
  prepare?: (() => Promise<unknown>) | undefined
  rank(query: MatchQuery, segments: Segments, options: RankOptions): Promise<Ranking>
  /** Maximum number of matches, whatever limit the caller sets. */
  maxMatches?: number | undefined
}

export interface RankOptions {
  only: SkillPredicate | undefined
  vector: QueryVector | undefined
  /** See `MatcherOptions`. */
  modelTimeout: number | undefined
}

/** The skills found for one message. */
export interface Ranking {
  /** Names the strategy and its model. */
  model: string
  /** True if the message has no words. */
  emptyMessage: boolean
  /** See `MatcherResult`. */
  complete: boolean
  /** Best first. */
  skills: readonly (SkillRef & { relevance: number })[]
  score(limit: number): ScoredRanking
  /**
   * The score of a skill that is not among `skills`. It is at most the lowest score of these.
   * @param alone The ranking of that skill only.
   */
  scoreBelow(alone: Ranking): number
}

export interface ScoredRanking {
  /** The probability that some skill serves the message. */
  served: number
  skills: ScoredSkill[]
}

export interface ScoredSkill extends SkillRef {
  score: number
  signals: MatchSignals
}

/** Creates a matcher that holds segments and ranks their skills by a strategy. */
export function createMatcher({
  prepare,
  rank,
  maxMatches = Number.POSITIVE_INFINITY,
}: Strategy): Matcher {
  let current: { revision: string; segments: Segments } = { revision: '', segments: [] }
  let closed = false

  const throwIfStopped = (signal: AbortSignal | undefined): void => {
    if (closed) throw new SkillshelfError('closed', 'The matcher was closed')
    throwIfAborted(signal)
  }

  return {
    async update({ revision, segments }, { signal, onProgress } = {}) {
      throwIfStopped(signal)
      await prepare?.()
      const opened = new Map(current.segments.map(segment => [segment.key, segment]))
      const next: SearchedSegment[] = []
      for (const [index, segment] of segments.entries()) {
        throwIfStopped(signal)
        next.push(openSearchedSegment(segment, opened.get(segment.key)))
        onProgress?.({ phase: 'update', done: index + 1, total: segments.length })
      }
      throwIfStopped(undefined)
      current = { revision, segments: next }
    },

    async match(query, { limit, only, language, vector, modelTimeout, signal }) {
      throwIfStopped(signal)
      const { revision, segments } = current
      const options = { only: only && onlyIds(segments, id => only.has(id)), vector, modelTimeout }
      const ranking = await abortable(rank(query, segments, options), signal)
      throwIfStopped(signal)
      return toResult(ranking, segments, { revision, limit: Math.min(limit, maxMatches), language })
    },

    async explain(query, id, { language, vector, modelTimeout, signal } = {}) {
      throwIfStopped(signal)
      const { segments } = current
      const options = { vector, modelTimeout }
      const ranking = await abortable(
        rank(query, segments, { ...options, only: undefined }),
        signal,
      )
      throwIfStopped(signal)
      const rankAlone = () =>
        rank(query, segments, { ...options, only: onlyIds(segments, other => other === id) })
      const explained = await explainRanking(ranking, segments, { id, rankAlone, language })
      throwIfStopped(signal)
      return explained
    },

    async close() {
      closed = true
      current = { revision: '', segments: [] }
    },
  }
}

export function toResult(
  ranking: Ranking,
  segments: Segments,
  {
    revision,
    limit,
    language,
  }: { revision: string; limit: number; language: Language | undefined },
): MatcherResult {
  const { model, complete } = ranking
  const abstained = abstentionOf(ranking, segments)
  if (abstained) return { revision, served: 0, matches: [], model, complete, abstained }
  const { served, skills } = ranking.score(limit)
  return {
    revision,
    served,
    matches: skills.map(skill => toMatch(skill, segments, language)),
    model,
    complete,
  }
}

/**
 * The match of one skill at any rank.
 * @param options `rankAlone` ranks only the skill. It is called if the skill is not among the ranked ones.
 */
export async function explainRanking(
  ranking: Ranking,
  segments: Segments,
  options: {
    id: SkillId
    rankAlone: () => Promise<Ranking> | Ranking
    language: Language | undefined
  },
): Promise<(RankedMatch & { rank: number }) | undefined> {
  const { id, rankAlone, language } = options
  const { skills } = ranking
  const index = skills.findIndex(
    ({ segmentIndex, skill }) => segments[segmentIndex]?.ids[skill] === id,
  )
  if (index >= 0) {
    return {
      ...toMatch(ranking.score(index + 1).skills[index] as ScoredSkill, segments, language),
      rank: index + 1,
    }
  }
  const alone = await rankAlone()
  const [scored] = alone.score(1).skills
  if (!scored || skills.length === 0) return undefined
  // Only a bounded number of skills is ranked: below them, the exact rank is unknown.
  const score = ranking.scoreBelow(alone)
  return { ...toMatch(scored, segments, language), score, rank: skills.length + 1 }
}

function onlyIds(segments: Segments, accepts: (id: SkillId) => boolean): SkillPredicate {
  return (segmentIndex, skill) =>
    accepts((segments[segmentIndex] as SearchedSegment).ids[skill] as SkillId)
}

function abstentionOf(
  { emptyMessage, skills }: Ranking,
  segments: Segments,
): Abstention | undefined {
  if (segments.every(({ segment, dead }) => segment.length === dead.size)) return 'empty-library'
  if (emptyMessage) return 'empty-message'
  return skills.length === 0 ? 'no-common-word' : undefined
}

function toMatch(
  { segmentIndex, skill, score, signals }: ScoredSkill,
  segments: Segments,
  language: Language | undefined,
): RankedMatch {
  const { segment, ids } = segments[segmentIndex] as SearchedSegment
  const [name = ''] = segment.names.get(skill).split('\n', 1)
  return { id: ids[skill] as SkillId, name, score, reason: reasonOf(signals, language), signals }
}
