import { invalidInput } from '../../core/errors.js'
import { isRecord } from '../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { LibraryOptions } from '../../library/api/options.js'
import { openLibrary } from '../../library/open-library.js'
import { memory } from '../../source/memory.js'
import { namedTools } from '../session/allowed-tools.js'
import { joinTools } from '../session/call-tool.js'
import { TOOL_SEARCH } from './search-call.js'
import type { ToolArguments, ToolDefinition, ToolSearchOptions, ToolShelf } from './types.js'

/** Options of `toolShelf`: those of `openLibrary` that a library of tools has. */
export type ToolShelfOptions = Pick<
  LibraryOptions,
  'embedder' | 'modelTimeout' | 'onDiagnostic' | 'onProgress' | 'signal'
>

const OPTIONS = {
  embedder: 1,
  modelTimeout: 1,
  onDiagnostic: 1,
  onProgress: 1,
  signal: 1,
} satisfies OptionNames<ToolShelfOptions>
const SEARCH = { limit: 1, signal: 1 } satisfies OptionNames<ToolSearchOptions>
const SEARCH_LIMIT = 5

/**
 * Makes a library of tool definitions, so that an agent with hundreds of tools sends a few. Tools are found as skills are: by name, title,
 * description, and the names and descriptions of their arguments.
 *
 * `shelfTools` and `answerToolSearches` of `skillshelf/adapters/anthropic` and `skillshelf/adapters/openai` give it to the search calls of
 * the APIs. For any other API, send the tools that `search` finds for the message.
 * @param tools The tools of MCP servers or your own. To name them like rules of `allowed-tools`, prefix those of a server: `mcp__github__…`.
 * @throws SkillshelfError `invalid-input` if two tools have the same name, or one is named like the search; `aborted`; `model-failed`
 * @example
 * ```ts
 * const shelf = await toolShelf([
 *   { name: 'get_weather', description: 'The weather of a city', inputSchema: { type: 'object', properties: { city: {} } } },
 * ])
 * const [tool] = await shelf.search('will it rain in Lisbon?')
 * ```
 */
export async function toolShelf<Tool extends ToolDefinition>(
  tools: readonly Tool[],
  options: ToolShelfOptions = {},
): Promise<ToolShelf<Tool>> {
  checkOptionNames(options, OPTIONS)
  for (const tool of tools) checkDefinition(tool)
  joinTools<{ name: string }>([{ name: TOOL_SEARCH }], tools)
  const files = tools.map((tool, index) => [`${index}/SKILL.md`, skillText(tool)] as const)
  const source = memory(Object.fromEntries(files), { name: 'tools' })
  const library = await openLibrary(source, options)
  const byId = new Map(tools.map((tool, index) => [`tools/${index}`, tool]))
  const close = (): Promise<void> => library.close()
  return {
    tools,
    library,
    async search(query, options = {}) {
      checkOptionNames(options, SEARCH)
      const { limit = SEARCH_LIMIT, signal } = options
      const { matches } = await library.search(query, { limit, signal })
      return matches.flatMap(({ id }) => byId.get(id) ?? [])
    },
    toolsFor: ({ open }) => tools.filter(namedTools(open)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function checkDefinition(tool: unknown): void {
  if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') {
    throw invalidInput('A tool has no "name"', 'pass the `tools` of an answer to `tools/list`')
  }
  if (isRecord(tool['inputSchema'])) return
  throw invalidInput(
    `"inputSchema" of the tool ${tool['name']} must be a JSON Schema`,
    'for a tool without arguments: { type: "object" }',
  )
}

/** A tool as a SKILL.md. JSON is YAML. */
function skillText({ name, title, description, inputSchema }: ToolDefinition): string {
  const fields = {
    name,
    // A skill has a description.
    description: description || title || name,
    ...(title === undefined ? {} : { display_name: title }),
  }
  return `---\n${JSON.stringify(fields)}\n---\n${argumentLines(inputSchema).join('\n')}\n`
}

/** A line for each argument: its name, and what it means. */
function argumentLines({ properties }: ToolArguments): string[] {
  return Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) => {
    const description = isRecord(schema) ? schema['description'] : undefined
    return typeof description === 'string' ? `${name}: ${description}` : name
  })
}
