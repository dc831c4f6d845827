import type { AbortOptions } from '../../core/abort.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillFile, SkillSummary } from '../../skill/skill.js'
import type { ByteRange } from '../../source/source.js'
import type { LibraryChange, LibrarySnapshot } from '../catalog/catalog-entry.js'
import type { MatchResult, SearchResult } from './match-result.js'
import type {
  ExplainOptions,
  Explanation,
  MatchOptions,
  SearchOptions,
  SkillFilter,
} from './skill-library.js'

/**
 * Where the skills of a library are: in sources of this process, behind HTTP, or in a search engine. `createLibrary` makes a library of
 * it. Arguments, aborted signals, closing, threshold, reranker and lists are the same for every library, so they are in
 * `createLibrary` only, and a backend just finds, opens, reads and refreshes. Its methods get checked arguments, and are not called after
 * `close`.
 */
export interface LibraryBackend {
  readonly snapshot: LibrarySnapshot
  /** Lists skills. Absent, or `undefined`: the snapshot has every skill. */
  list?(filter: SkillFilter & AbortOptions): Promise<SkillSummary[]> | undefined
  /** Opens a skill by id or name. */
  get(name: string, options: AbortOptions): Promise<Skill>
  read(name: string, path: string, options: ReadFileOptions): Promise<SkillFile>
  /** Finds the nearest skills. */
  search(query: MatchQuery, options: CheckedSearchOptions): Promise<SearchResult>
  /** Finds the skills that serve a message: see `query/answer.ts`. */
  match(query: MatchQuery, options: CheckedMatchOptions): Promise<MatchResult>
  /** Explains the rank of one skill. `matched` is set only by a backend that decides it itself. */
  explain(query: MatchQuery, name: string, options: ExplainOptions): Promise<RankedSkill>
  refresh(signal: AbortSignal | undefined): Promise<LibraryChange>
  close(): void | Promise<void>
}

export interface ReadFileOptions extends AbortOptions {
  range?: ByteRange | undefined
}

export interface PageQuery extends SkillFilter, AbortOptions {
  limit: number
  cursor?: string | undefined
}

export interface CheckedSearchOptions extends SearchOptions {
  limit: number
}

export interface CheckedMatchOptions extends MatchOptions {
  limit: number
  threshold: number
}

export type RankedSkill = Omit<Explanation, 'matched'> & Partial<Pick<Explanation, 'matched'>>
