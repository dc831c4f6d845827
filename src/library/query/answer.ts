import { onDemand } from '../../core/load-module.js'
import {
  type Decision,
  decide,
  isLikely,
  isServed,
  statusOf,
  withoutHopeless,
} from '../../search/decide/decide.js'
import type { Place } from '../../search/decide/place.js'
import type { Reranker } from '../../search/decide/rerank.js'
import { messageKey } from '../../search/index/message-key.js'
import { wordlessMatch } from '../../search/match/reason.js'
import { MAYBE_LIMIT, THRESHOLD } from '../../search/match/score.js'
import type {
  Language,
  MatcherResult,
  MatchQuery,
  RankedMatch,
} from '../../search/match/skill-match.js'
import { descriptionIn } from '../../skill/full-description.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { CheckedMatchOptions, CheckedSearchOptions, RankedSkill } from '../api/backend.js'
import type { MatchResult, SearchResult, SkillMatch } from '../api/match-result.js'
import type { ExplainOptions, SearchOptions } from '../api/skill-library.js'
import { isPastedAlone, isPlaced } from './arguments.js'
import { rerankFirst } from './rerank-first.js'

/*
 * How a message is answered, wherever the skills are: find, learn, place, rerank, decide. Each step takes what the step before it found.
 * `search` stops before the reranker, `match` takes all steps, and `explain` follows one skill through them. A `Ranker` is what differs
 * between libraries: it finds, and it may have learned messages.
 */

const loadPlace = onDemand(() => import('../../search/decide/place.js'))

/** Skills among which a place chooses, and among which `explain` counts. */
const WIDE = 50
/** Skills that a reranker gets by default. */
const RERANKED = 5

/** Ranks the skills of a library for messages. */
export interface Ranker {
  /** @throws SkillshelfError `skill-not-found` or `ambiguous-name` for `skill`, `aborted` */
  rank(query: MatchQuery, options: RankerOptions): Promise<RankedMessage>
}

export interface RankerOptions extends Omit<SearchOptions, 'limit'> {
  /** Id or name of a skill that will be explained. */
  skill?: string | undefined
}

/** One message and the skills of a library, ranked as far as they are asked for. */
export interface RankedMessage {
  /** The nearest skills, `limit` at most. */
  nearest(limit: number): Promise<MatcherResult>
  /** One skill at any rank; `undefined` if nothing connects it with the message. */
  explain(id: SkillId): Promise<ExplainedRank | undefined>
  /** `undefined` for a skill that is gone. */
  summaryOf(id: SkillId): SkillSummary | undefined
  /** Raises the skills of learned messages. Absent: the library does not learn. */
  raiseLearned?: ((found: MatcherResult, limit: number) => Promise<MatcherResult>) | undefined
  /** The skill that the options name. */
  skill?: SkillSummary | undefined
  /** Whether it is hidden by a skill of the same name. */
  isShadowed?: boolean | undefined
}

interface ExplainedRank extends RankedMatch {
  rank: number
}

/** The options of `match` with the reranker of the library. */
export interface MatchChoice extends CheckedMatchOptions {
  rerank: Reranker | undefined
}

/** Finds the nearest skills. */
export async function searchSkills(
  ranker: Ranker,
  query: MatchQuery,
  options: CheckedSearchOptions,
): Promise<SearchResult> {
  const ranked = await rank(ranker, query, options)
  const found = await find(ranked, query, sizesFor(query, options.limit), options.language)
  const status = statusOf(found, THRESHOLD)
  return { ...found, status, matches: describe(found.matches, ranked, options.language) }
}

/** Finds the skills that serve a message, and decides whether to act, to offer a choice, or neither. */
export async function matchSkills(
  ranker: Ranker,
  query: MatchQuery,
  options: MatchChoice,
): Promise<MatchResult> {
  const ranked = await rank(ranker, query, options)
  const decided = decide(await choose(ranked, query, options), options)
  const { matches, maybe } = decided
  const described = {
    matches: describe(matches, ranked, options.language),
    maybe: describe(maybe, ranked, options.language),
  }
  return { ...decided, ...described } as MatchResult
}

/** Share of its score that a skill keeps for a message that is pasted text alone: less than any usual threshold. */
const PASTED_SHARE = 0.6

/** Ranks the skills. Pasted text alone is something to work on: no skill acts on it, unless it has it as a message. */
async function rank(
  ranker: Ranker,
  query: MatchQuery,
  options: RankerOptions,
): Promise<RankedMessage> {
  const ranked = await ranker.rank(query, options)
  if (!isPastedAlone(query)) return ranked
  const key = messageKey(query.message)
  const lower = <Match extends RankedMatch>(match: Match): Match => {
    const { similarMessage } = match.signals
    const isOwn = similarMessage !== undefined && messageKey(similarMessage) === key
    return isOwn ? match : { ...match, score: PASTED_SHARE * match.score }
  }
  return {
    ...ranked,
    async nearest(limit) {
      const found = await ranked.nearest(limit)
      return { ...found, matches: found.matches.map(lower) }
    },
    async explain(id) {
      const explained = await ranked.explain(id)
      return explained && lower(explained)
    },
  }
}

/** The first four steps: find, learn, place, rerank. */
async function choose(
  ranked: RankedMessage,
  query: MatchQuery,
  options: MatchChoice,
): Promise<MatcherResult> {
  const { limit, threshold, candidates, rerank, language, signal } = options
  const found = await find(ranked, query, sizesFor(query, limit, options), language)
  const considered = candidates ?? Math.max(limit, RERANKED)
  if (!rerank || !mayRerank(found, considered, options)) {
    return { ...found, matches: withoutHopeless(found.matches, threshold) }
  }
  const { summaryOf } = ranked
  const matches = await rerankFirst(rerank, query, found, {
    considered,
    summaryOf,
    language,
    signal,
  })
  return { ...found, matches }
}

function describe(
  matches: readonly RankedMatch[],
  { summaryOf }: Pick<RankedMessage, 'summaryOf'>,
  language: Language | undefined,
): readonly SkillMatch[] {
  return matches.map(({ id, name, ...match }) => {
    const summary = summaryOf(id)
    return { id, name, description: summary ? descriptionIn(summary, language) : '', ...match }
  })
}

/**
 * Explains one skill: its rank and score after all steps that change them. Without a place and learned messages, these are those of the
 * ranker. Otherwise the skill is followed through the steps among the nearest ones, to which it is added if it is not one of them.
 */
export async function explainSkill(
  ranker: Ranker,
  query: MatchQuery,
  name: string,
  options: ExplainOptions,
): Promise<RankedSkill> {
  const ranked = await rank(ranker, query, { ...options, skill: name })
  const summary = ranked.skill as SkillSummary
  const { id, name: ownName, ...found } = await explain(ranked, query, summary, options.language)
  return { id, name: ownName, description: descriptionIn(summary, options.language), ...found }
}

async function explain(
  ranked: RankedMessage,
  query: MatchQuery,
  summary: SkillSummary,
  language: Language | undefined,
): Promise<ExplainedRank> {
  const { id } = summary
  const place = await placeFor(query)
  if (place?.weigh(summary).weight === 0) {
    return { ...wordlessMatch(summary, 'elsewhere', language), rank: 0 }
  }
  const own = await ranked.explain(id)
  const why = ranked.isShadowed ? 'shadowed' : 'nothing'
  const unchanged = own ?? { ...wordlessMatch(summary, why, language), rank: 0 }
  if (!place && !ranked.raiseLearned) return unchanged

  const nearest = await ranked.nearest(WIDE)
  const isAdded = own !== undefined && !nearest.matches.some(match => match.id === id)
  const matches = isAdded ? [...nearest.matches, withoutRank(own)] : nearest.matches
  const learned = await learn(ranked, { ...nearest, matches }, WIDE + 1)
  if (!place && !learned.matches.some(({ signals }) => signals.learned)) return unchanged
  const placed = await weighByPlace(ranked, place, learned, language)
  const position = placed.matches.findIndex(match => match.id === id)
  const match = placed.matches[position]
  if (!match) return unchanged
  // The rank of a skill that was added is known only if it rises above another one.
  const isLast = position === placed.matches.length - 1
  return { ...match, rank: isAdded && isLast ? Math.max(own.rank, position + 1) : position + 1 }
}

/** How many skills a step hands on. */
interface Sizes {
  /** Skills that are found, and that a learned message or a place may move up. */
  found: number
  /** Skills that are left for a reranker and the decision. */
  kept: number
}

/** The only place that asks for more skills than the caller: a place, a reranker and a choice need more to choose from. */
function sizesFor(
  query: MatchQuery,
  limit: number,
  choice?: Pick<MatchChoice, 'candidates' | 'rerank'>,
): Sizes {
  const reranked = choice?.rerank ? (choice.candidates ?? RERANKED) : 1
  const kept = choice ? Math.max(limit, MAYBE_LIMIT, reranked) : limit
  return { kept, found: isPlaced(query) ? Math.max(kept, WIDE) : kept }
}

/** The first three steps: find, learn, place. */
async function find(
  ranked: RankedMessage,
  query: MatchQuery,
  sizes: Sizes,
  language: Language | undefined,
): Promise<MatcherResult> {
  const nearest = await ranked.nearest(sizes.found)
  const learned = await learn(ranked, nearest, sizes.found)
  const placed = await weighByPlace(ranked, await placeFor(query), learned, language)
  return { ...placed, matches: placed.matches.slice(0, sizes.kept) }
}

async function learn(
  ranked: RankedMessage,
  found: MatcherResult,
  limit: number,
): Promise<MatcherResult> {
  return (await ranked.raiseLearned?.(found, limit)) ?? found
}

/** Where the user works. `undefined` if the message does not say. */
async function placeFor(query: MatchQuery): Promise<Place | undefined> {
  if (!isPlaced(query)) return undefined
  const { placeOf } = await loadPlace()
  return placeOf(query)
}

async function weighByPlace(
  { summaryOf }: RankedMessage,
  place: Place | undefined,
  found: MatcherResult,
  language: Language | undefined,
): Promise<MatcherResult> {
  if (!place) return found
  const { applyPlace } = await loadPlace()
  return applyPlace(found, place, ({ id }) => summaryOf(id), language)
}

/** A reranker chooses if there is a choice and something to choose. The user's own choice, a learned message, stays first. */
function mayRerank(found: MatcherResult, considered: number, { threshold }: Decision): boolean {
  const [first, second] = found.matches.slice(0, considered)
  if (!first || !second || first.signals.learned?.exact) return false
  return isLikely(found.matches, threshold) || isServed(found)
}

function withoutRank({ rank: _, ...match }: ExplainedRank): RankedMatch {
  return match
}
