import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { readToolInput } from '../session/tool-input.js'
import { checkToolName } from '../session/tool-schema.js'
import type { ToolInputSchema } from '../session/tool-types.js'
import type { Session } from '../session/types.js'
import type { ToolDefinition, ToolSearchOptions, ToolShelf } from './types.js'

/** Name of the tool that searches a shelf. */
export const TOOL_SEARCH = 'search_tools'

export const TOOL_SEARCH_SCHEMA: ToolInputSchema = {
  type: 'object',
  properties: {
    query: {
      type: 'string',
      description: 'What the tool has to do, in a few words, or the name of the tool',
    },
  },
  required: ['query'],
  additionalProperties: false,
}

export const TOOL_SEARCH_DESCRIPTION =
  'Finds tools that are not loaded yet. Search before you say that something cannot be done. You can call the tools that it finds in your next step.'

/** The answer to a model whose search finds nothing, where an API takes text. */
export const NOTHING_FOUND = 'No tool was found. Search with other words.'

/** Options of `shelfTools`. */
export interface ShelfToolsOptions {
  /** The tools that its open skills name in `allowed-tools` need no search. @default none */
  session?: Pick<Session, 'open'> | undefined
}

const SHELF_TOOLS = { session: 1 } satisfies OptionNames<ShelfToolsOptions>

/**
 * The tools that need no search.
 * @throws SkillshelfError `invalid-input` if the APIs refuse the name of a tool: they would refuse each request that has it
 */
export function loadedTools(
  shelf: ToolShelf,
  options: ShelfToolsOptions,
): ReadonlySet<ToolDefinition> {
  checkOptionNames(options, SHELF_TOOLS)
  for (const { name } of shelf.tools) checkToolName(name, 'rename it before you call `toolShelf`')
  return new Set(options.session ? shelf.toolsFor(options.session) : [])
}

/**
 * Finds the tools for a search call.
 * @param input The arguments of the call, from the model. Without a query nothing is found.
 */
export function searchShelf(
  shelf: ToolShelf,
  input: unknown,
  options: ToolSearchOptions,
): Promise<ToolDefinition[]> {
  const { query } = Object(readToolInput(TOOL_SEARCH_SCHEMA, input)) as { query?: unknown }
  return shelf.search(typeof query === 'string' ? query : '', options)
}
