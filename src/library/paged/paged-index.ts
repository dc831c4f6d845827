import type { AbortOptions } from '../../core/abort.js'
import type { Ranking } from '../../search/match/matcher.js'
import type { SearchedSegment } from '../../search/match/searched-segment.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillFilter, SkillPage } from '../api/skill-library.js'
import type { PackedDetails } from '../catalog/packed-details.js'

/** One published revision of a library whose skills are read as they are needed: in a search engine, or in pieces. */
export interface PagedIndex {
  /** Another revision has another one. */
  readonly revision: string | number
  /** The version of its catalog or head in the source. */
  readonly version: string | undefined
  /** Changes with any skill. */
  readonly content: string
  /** Number of skills. */
  readonly total: number
  /** Problems of the library, and of skills that were left out so far. */
  readonly diagnostics: readonly Diagnostic[]
  /** Ranks the skills for a message. */
  rank(query: MatchQuery, options: PagedRankOptions): Promise<PagedRanking>
  /** Finds skills by id and name. */
  find(lookup: SkillLookup, options: AbortOptions): Promise<readonly FoundSkill[]>
  /** Lists skills in an order of its own. `next` continues; it is absent on the last page. */
  page(query: PagedQuery, options: AbortOptions): Promise<SkillPage>
}

/** Restricts a search or a list. Tags are in lower case. */
export type PagedFilter = SkillFilter

export interface SkillLookup {
  ids: readonly SkillId[]
  /** Folded names. */
  keys: readonly string[]
}

export interface PagedQuery {
  filter: PagedFilter
  limit: number
  cursor?: string | undefined
}

export interface PagedRankOptions extends AbortOptions {
  filter: PagedFilter
  /** `false`: does not wait for the model. */
  wait?: boolean | undefined
  /** Also finds these skills, whatever they score and whatever the filter. */
  also?: SkillLookup | undefined
}

export interface PagedRanking {
  segments: readonly SearchedSegment[]
  /** Of the skills that were found for the message. */
  ranking: Ranking
  /** Ranks one skill, also one that was found by name only. */
  rankAlone(id: SkillId): Ranking
  found: readonly SkillSummary[]
  /** What `also` found. */
  also: readonly SkillSummary[]
}

export interface FoundSkill {
  summary: SkillSummary
  /** Changes with any file of the skill. */
  version: string
  details(options: AbortOptions): Promise<PackedDetails>
}
