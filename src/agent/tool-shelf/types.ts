import type { AbortOptions } from '../../core/abort.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Session } from '../session/types.js'

/** A definition of a tool, as `tools/list` of MCP has it. Other fields stay as they are. */
export interface ToolDefinition {
  name: string
  /** A name for people. */
  title?: string | undefined
  description?: string | undefined
  /** JSON Schema of the arguments. */
  inputSchema: ToolArguments
}

/** JSON Schema of the arguments of a tool. */
export type ToolArguments = { type: 'object'; [keyword: string]: unknown }

/** Options of `ToolShelf.search`, and of `answerToolSearches` of the adapters. */
export interface ToolSearchOptions extends AbortOptions {
  /** Maximum number of tools. @default 5 */
  limit?: number | undefined
}

/** Definitions of tools, of which a model is sent only those that it needs. */
export interface ToolShelf<Tool extends ToolDefinition = ToolDefinition> extends AsyncDisposable {
  /** Every tool, in the given order. */
  readonly tools: readonly Tool[]
  /** The library that finds them. Each tool is a skill in it: for `upgrade`, `ready` and `explain`. */
  readonly library: LocalLibrary

  /**
   * Finds the tools for a message of a user, or for the query of a model.
   * @returns The nearest tools, best first, without a threshold: the model decides whether one serves.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const five = await shelf.search('which invoices are overdue?')
   * ```
   */
  search(query: string | MatchQuery, options?: ToolSearchOptions): Promise<Tool[]>

  /**
   * Returns the tools that the open skills name in `allowed-tools`, in the order of `tools`. A rule without a name, such as `*`, brings none.
   * @example
   * ```ts
   * const needed = shelf.toolsFor(session)
   * ```
   */
  toolsFor(session: Pick<Session, 'open'>): Tool[]

  /** Releases the library. */
  close(): Promise<void>
}
