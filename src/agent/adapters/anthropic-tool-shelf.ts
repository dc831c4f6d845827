import {
  loadedTools,
  NOTHING_FOUND,
  type ShelfToolsOptions,
  searchShelf,
  TOOL_SEARCH,
  TOOL_SEARCH_DESCRIPTION,
  TOOL_SEARCH_SCHEMA,
} from '../tool-shelf/search-call.js'
import type { ToolArguments, ToolSearchOptions, ToolShelf } from '../tool-shelf/types.js'

// These types match those of `@anthropic-ai/sdk`, which is not needed at run time.

/** A tool of a shelf. The API keeps it from the model until a search finds it. */
export interface ShelfTool {
  name: string
  description?: string
  input_schema: ToolArguments
  /** Absent: the model has the tool from the start. */
  defer_loading?: true
}

/** The result of a search: the API shows the model the definitions of these tools. */
export interface ToolSearchResult {
  type: 'tool_result'
  tool_use_id: string
  /** A text if no tool was found. */
  content: string | { type: 'tool_reference'; tool_name: string }[]
}

/**
 * Converts a shelf for `messages.create`: the tool that searches, and every tool, deferred. The API needs all definitions in each request, and
 * the model has none of them until `answerToolSearches` names it: see
 * [custom tool search](https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-search-tool#custom-tool-search-implementation).
 * @param options `session`: tools that its open skills name are not deferred. When a skill opens or closes, prompt caches begin anew.
 * @throws SkillshelfError `invalid-input` for a name that the API refuses
 * @example
 * ```ts
 * import { shelfTools, skillTools } from 'skillshelf/adapters/anthropic'
 *
 * const tools = [...skillTools(session), ...shelfTools(shelf, { session })]
 * const message = await anthropic.messages.create({ model, max_tokens, messages, tools })
 * ```
 */
export function shelfTools(shelf: ToolShelf, options: ShelfToolsOptions = {}): ShelfTool[] {
  const loaded = loadedTools(shelf, options)
  const search = {
    name: TOOL_SEARCH,
    description: TOOL_SEARCH_DESCRIPTION,
    input_schema: TOOL_SEARCH_SCHEMA,
  }
  const tools = shelf.tools.map(
    (tool): ShelfTool => ({
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      input_schema: tool.inputSchema,
      ...(loaded.has(tool) ? {} : { defer_loading: true }),
    }),
  )
  return [search, ...tools]
}

/**
 * Answers the searches of a message, in order. The other tool uses are left: those of skills to `answerToolUses`, with `TOOL_SEARCH` and the
 * tools of the shelf as `hostTools`, and those of the shelf to you.
 * @param content The `content` of the model's message.
 * @param options `limit`: tools for each search, 5 by default. `signal`.
 * @returns Blocks for one user message after it. Keep it in the conversation: the tools that it names stay loaded.
 * @throws SkillshelfError `aborted`, `closed`
 * @example
 * ```ts
 * const results = await answerToolSearches(shelf, message.content)
 * messages.push({ role: 'assistant', content: message.content }, { role: 'user', content: results })
 * ```
 */
export async function answerToolSearches(
  shelf: ToolShelf,
  content: readonly { type: string }[],
  options: ToolSearchOptions = {},
): Promise<ToolSearchResult[]> {
  const uses = content.filter((block): block is ToolUse => block.type === 'tool_use')
  const results: ToolSearchResult[] = []
  for (const { id, name, input } of uses) {
    if (name !== TOOL_SEARCH) continue
    const tools = await searchShelf(shelf, input, options)
    const found = tools.map(tool => ({ type: 'tool_reference' as const, tool_name: tool.name }))
    const content = found.length > 0 ? found : NOTHING_FOUND
    results.push({ type: 'tool_result', tool_use_id: id, content })
  }
  return results
}

interface ToolUse {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
}
