import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { shelfTools } from '../../src/agent/adapters/anthropic-tool-shelf.js'
import { toolShelf } from '../../src/agent/tool-shelf/tool-shelf.js'
import type { ToolArguments, ToolDefinition } from '../../src/agent/tool-shelf/types.js'
import { writeSection } from '../report/docs.js'
import { markdownTable } from '../report/table.js'
import { type Benchmark, figuresOf } from './benchmark.js'
import { groupBy, type PoolSkill } from './data.js'
import { readModel } from './model.js'

/** What a shelf of the tools of a benchmark finds, and what it sends. Tokens are those of o200k. */
export interface ToolRun {
  set: string
  messages: number
  /** Of the relevant tools, the share among the five that are found. */
  r5: number
  /** The share of messages with all their relevant tools among the five. */
  complete5: number
  /** Tokens of all definitions. */
  all: number
  /** Mean tokens of the tool that searches and of the five definitions that it finds. */
  sent: number
}

/** Searches a shelf with each message of a benchmark, as a model would that asks with the words of the user. */
export async function runTools(name: string, benchmark: Benchmark): Promise<ToolRun[]> {
  const ids = new Map<string, PoolSkill['id']>()
  const tools = benchmark.documents.map(document => {
    const tool = toDefinition(document)
    ids.set(tool.name, document.id)
    return tool
  })
  await using shelf = await toolShelf(tools, { embedder: readModel() })
  const [search, ...definitions] = shelfTools({ ...shelf, tools: tools.map(withShortName) })
  const tokens = new Map(definitions.map((tool, at) => [tools[at]?.name, tokensOf(tool)]))
  const found = []
  for (const { set = name, message, relevant } of benchmark.queries) {
    const five = await shelf.search(message)
    const figures = figuresOf(
      five.map(tool => ids.get(tool.name) as PoolSkill['id']),
      new Set(relevant),
    )
    const sent = five.reduce((sum, tool) => sum + (tokens.get(tool.name) ?? 0), tokensOf(search))
    found.push({ set, sent, r5: figures['R@5'], complete5: figures['COMP@5'] })
  }
  const all = [...tokens.values()].reduce((sum, one) => sum + one, 0)
  return [...groupBy(found, ({ set }) => set)].map(([set, some]) => {
    const mean = (key: 'r5' | 'complete5' | 'sent'): number =>
      some.reduce((sum, one) => sum + one[key], 0) / some.length
    const figures = { r5: mean('r5'), complete5: mean('complete5'), sent: mean('sent') }
    return { set, messages: some.length, all, ...figures }
  })
}

/** The definition of a tool, named after its server as hosts do. */
function toDefinition({ id, name, description, ...rest }: PoolSkill): ToolDefinition {
  const { schema } = rest as { schema?: ToolArguments }
  const own = String(id).replace('/', '__')
  return { name: own || name, description, inputSchema: { ...schema, type: 'object' } }
}

/** Some names of the benchmark are longer than the APIs take. */
const withShortName = (tool: ToolDefinition): ToolDefinition => ({
  ...tool,
  name: tool.name.replace(/[^\w-]/g, '_').slice(0, 64),
})

const tokensOf = (tool: unknown): number => countTokens(JSON.stringify(tool))

export function toolTable(runs: readonly ToolRun[]): string {
  const percent = (share: number): string => (share * 100).toFixed(1)
  const rows = runs.map(({ set, messages, r5, complete5, all, sent }) => [
    set,
    String(messages),
    percent(r5),
    percent(complete5),
    String(all),
    sent.toFixed(0),
    percent(sent / all),
  ])
  const head = ['set', 'messages', 'R@5', 'COMP@5', 'all, tokens', 'sent, tokens', 'sent, %']
  return markdownTable(head, rows)
}

export function writeTools(name: string, runs: readonly ToolRun[]): void {
  writeSection(`tools-${name}`, toolTable(runs))
}
