import { invalidInput } from '../../core/errors.js'
import { parseToolRule, type ToolRule } from '../../skill/tool-rules.js'
import { coversArgument } from './allowed-arguments.js'
import type { OpenSkill } from './open-skills.js'

/** Limits of an agent loop. */
export interface LoopLimits {
  maxIterations?: number
  /** In seconds. */
  timeout?: number
}

/*
 * `allowed-tools` answers two questions. Which tools may be offered while skills are open is TokenDance's: `allowed_tools` lists what a skill
 * needs, and a skill without a list restricts nothing. Which calls need no question is that of Agent Skills and Claude Code: the list approves
 * calls in advance, and without one nothing is approved.
 */

/** The rules of the open skills. */
export function allowedTools(open: readonly OpenSkill[]): readonly string[] {
  return [...new Set(open.flatMap(({ skill }) => skill.metadata.allowedTools ?? []))]
}

/** Returns whether a tool may be offered. All may if no skill is open, or one has no list. */
export function offeredTools(open: readonly OpenSkill[]): (tool: string) => boolean {
  const isRestricted =
    open.length > 0 && open.every(({ skill }) => skill.metadata.allowedTools !== undefined)
  const rules = allowedTools(open).map(parseToolRule)
  return tool => !isRestricted || rules.some(rule => mayNeed(rule, tool))
}

/** Returns whether the open skills name a tool. A rule without a name, such as `*` or `mcp__*`, names none. */
export function namedTools(open: readonly OpenSkill[]): (tool: { name: string }) => boolean {
  const rules = allowedTools(open).map(parseToolRule)
  const named = rules.filter(({ tool }) => !/^(?:mcp__)?\*+$/.test(tool))
  return ({ name }) => named.some(rule => mayNeed(rule, name))
}

/** Whether a rule is for a tool, in any case and with any wildcard at its end: to offer a tool runs nothing. */
function mayNeed(rule: ToolRule, tool: string): boolean {
  const [pattern, name] = [rule.tool.toLowerCase(), tool.toLowerCase()]
  const isStart = pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))
  return pattern === name || isStart || isOfServer(pattern, name)
}

/** Whether rules approve a call in advance. A call whose argument is not known needs a rule for every call. */
export function approvesCall(
  rules: readonly string[],
  tool: string,
  argument: string | undefined,
): boolean {
  return rules.map(parseToolRule).some(({ tool: pattern, specifier }) => {
    if (pattern !== tool && !isOfServer(pattern, tool)) return false
    if (specifier === undefined) return true
    return argument !== undefined && coversArgument(specifier, tool, argument)
  })
}

/** `mcp__github`, `mcp__github__*` and `mcp__github__get_*` are for tools of the server `github`. */
function isOfServer(pattern: string, tool: string): boolean {
  const [, server, start = ''] = /^(mcp__(?:(?!__)[^*])+)(?:__([^*]*)\*)?$/.exec(pattern) ?? []
  return server !== undefined && tool.startsWith(`${server}__${start}`)
}

/** The name of a host's tool: a string, or its `name`, also inside `function` or `custom` (OpenAI). @throws `invalid-input` */
export function toolName(tool: unknown): string {
  const { name, function: functionTool, custom } = Object(tool) as Partial<Record<string, unknown>>
  const found = typeof tool === 'string' ? tool : (name ?? Object(functionTool ?? custom).name)
  if (typeof found === 'string') return found
  throw invalidInput(
    'A tool passed to `prune` has no name',
    'pass a function that returns the name as second argument',
  )
}

/** The largest of each limit in the metadata of the open skills. A skill without a limit has that of `defaults`, if any. */
export function limitsOf(open: readonly OpenSkill[], defaults: LoopLimits = {}): LoopLimits {
  const limits: LoopLimits = {}
  for (const { skill } of open) {
    for (const field of ['maxIterations', 'timeout'] as const) {
      const value = skill.metadata[field] ?? defaults[field]
      if (value !== undefined) limits[field] = Math.max(limits[field] ?? value, value)
    }
  }
  return limits
}
