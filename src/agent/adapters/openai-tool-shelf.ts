import type { ToolInputSchema } from '../session/tool-types.js'
import {
  loadedTools,
  type ShelfToolsOptions,
  searchShelf,
  TOOL_SEARCH_DESCRIPTION,
  TOOL_SEARCH_SCHEMA,
} from '../tool-shelf/search-call.js'
import type {
  ToolArguments,
  ToolDefinition,
  ToolSearchOptions,
  ToolShelf,
} from '../tool-shelf/types.js'

// These types match those of the `openai` package, which is not needed at run time.

/** A tool of a shelf, of the Responses API. */
export interface ShelfTool {
  type: 'function'
  name: string
  description?: string
  parameters: ToolArguments
  strict: false
  /** In an answer to a search only. */
  defer_loading?: true
}

/** The tool search of the Responses API, which the client runs. */
export interface ToolSearchTool {
  type: 'tool_search'
  execution: 'client'
  description: string
  parameters: ToolInputSchema
}

/** The answer to a search: the API adds these tools to the context. */
export interface ToolSearchOutput {
  type: 'tool_search_output'
  call_id: string
  execution: 'client'
  status: 'completed'
  tools: ShelfTool[]
}

interface ToolSearchCall {
  type: 'tool_search_call'
  call_id: string | null
  execution: 'server' | 'client'
  arguments: unknown
}

/**
 * Converts a shelf for `responses.create`: the tool that searches, without the tools that it finds. `answerToolSearches` sends those: see
 * [client-executed tool search](https://developers.openai.com/api/docs/guides/tools-tool-search).
 * @param options `session`: the tools that its open skills name are sent too. When a skill opens or closes, prompt caches begin anew.
 * @throws SkillshelfError `invalid-input` for a name that the API refuses
 * @example
 * ```ts
 * import { responseTools, shelfTools } from 'skillshelf/adapters/openai'
 *
 * const tools = [...responseTools(session), ...shelfTools(shelf, { session })]
 * const { output } = await openai.responses.create({ model, input, tools })
 * ```
 */
export function shelfTools(
  shelf: ToolShelf,
  options: ShelfToolsOptions = {},
): (ToolSearchTool | ShelfTool)[] {
  const search: ToolSearchTool = {
    type: 'tool_search',
    execution: 'client',
    description: TOOL_SEARCH_DESCRIPTION,
    parameters: TOOL_SEARCH_SCHEMA,
  }
  return [search, ...[...loadedTools(shelf, options)].map(toShelfTool)]
}

/**
 * Answers the searches of a response, in order. The function calls are left: those of skills to `answerFunctionCalls`, with the tools of the
 * shelf as `hostTools`, and those of the shelf to you. Send each call back as it came, with its `namespace`.
 * @param output The `output` of the response.
 * @param options `limit`: tools for each search, 5 by default. `signal`.
 * @returns Items to append after `output`. Keep them in the input: the tools in them stay loaded.
 * @throws SkillshelfError `aborted`, `closed`
 * @example
 * ```ts
 * input.push(...response.output, ...(await answerToolSearches(shelf, response.output)))
 * ```
 */
export async function answerToolSearches(
  shelf: ToolShelf,
  output: readonly { type: string }[],
  options: ToolSearchOptions = {},
): Promise<ToolSearchOutput[]> {
  const calls = output.filter((item): item is ToolSearchCall => item.type === 'tool_search_call')
  const answers: ToolSearchOutput[] = []
  for (const { call_id, execution, arguments: input } of calls) {
    // A search that the server ran has its answer, and no id.
    if (execution !== 'client' || call_id === null) continue
    const found = await searchShelf(shelf, input, options)
    answers.push({
      type: 'tool_search_output',
      call_id,
      execution: 'client',
      status: 'completed',
      tools: found.map(tool => ({ ...toShelfTool(tool), defer_loading: true })),
    })
  }
  return answers
}

function toShelfTool({ name, description, inputSchema }: ToolDefinition): ShelfTool {
  return {
    type: 'function',
    name,
    ...(description === undefined ? {} : { description }),
    parameters: inputSchema,
    strict: false,
  }
}
