import { invalidInput } from '../../core/errors.js'
import { staysWithin } from './allowed-commands.js'
import type { OpenSkill } from './open-skills.js'

/** Limits of an agent loop. */
export interface LoopLimits {
  maxIterations?: number
  /** In seconds. */
  timeout?: number
}

/** The combined `allowed-tools` of the open skills. `undefined`: unrestricted, because no skill is open or one has no list. */
export function allowedTools(open: readonly OpenSkill[]): readonly string[] | undefined {
  const lists = open.map(({ skill }) => skill.metadata.allowedTools)
  if (lists.length === 0 || lists.some(list => list === undefined)) return undefined
  return [...new Set(lists.flatMap(list => list ?? []))]
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

/** A part of a path that leaves its folder, as a file system, a shell or a server reads it. */
const PARENT = /(?:^|[\\/\s"'=]|%2f|%5c)(?:\.|%2e){2}(?:$|[\\/\s"']|%2f|%5c)/i
/** Words in the names of tools that take a path, an address or a text, and run no command. */
const DATA_WORDS =
  /^(?:read|write|edit|multi|update|create|view|file|files|glob|grep|ls|list|search|find|web|fetch|url|notebook|skill|task|todo|memory)$/i
/** Words in the names of tools that run commands. */
const COMMAND_WORDS = /bash|shell|exec|command|terminal|cmd|powershell|process|script|run/i
/** What no prefix allows in a path: operators of a shell, substitutions and line breaks, if a tool passes it to one. */
const OPERATOR = /[;&|<>`\r\n]|\$\(/

/** Whether the argument of a tool may be a command. Of a tool that is not known, it may. */
function takesCommand(tool: string): boolean {
  const words = tool.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
  return COMMAND_WORDS.test(tool) || !words.some(word => DATA_WORDS.test(word))
}

/** Whether a list allows a tool with at least some arguments. */
export function allowsTool(allowed: readonly string[] | undefined, tool: string): boolean {
  return (
    allowed === undefined ||
    allowed.some(pattern => patternName(pattern) === tool || pattern === '*')
  )
}

/**
 * Whether a list allows a call.
 *
 * | pattern | allowed arguments |
 * | --- | --- |
 * | `Bash` | all |
 * | `Bash(git:*)` | `git`, and all that start with `git ` and run nothing else |
 * | `Bash(npm run *)` | all that start with `npm run ` and run nothing else |
 * | `Read(docs/x.md)` | `docs/x.md` |
 */
export function allowsCall(
  allowed: readonly string[] | undefined,
  tool: string,
  argument: string | undefined,
): boolean {
  return allowed === undefined || allowed.some(pattern => patternAllows(pattern, tool, argument))
}

function patternAllows(pattern: string, tool: string, argument: string | undefined): boolean {
  if (pattern === '*' || pattern === tool) return true
  if (patternName(pattern) !== tool || argument === undefined) return false
  const argumentPattern = pattern.slice(tool.length + 1, -1)
  if (argumentPattern === '*' || argumentPattern === '') return true
  if (argumentPattern.endsWith(':*')) {
    return allowsRest(argumentPattern.slice(0, -2), ' ', { tool, argument })
  }
  if (argumentPattern.endsWith('*')) {
    return allowsRest(argumentPattern.slice(0, -1), '', { tool, argument })
  }
  return argument === argumentPattern
}

/** Whether a prefix allows an argument. `separator`: what must follow the prefix, if anything follows. */
function allowsRest(
  prefix: string,
  separator: '' | ' ',
  { tool, argument }: { tool: string; argument: string },
): boolean {
  const start = prefix + separator
  if (!argument.startsWith(start) && argument !== prefix) return false
  const isPath = separator === '' && (prefix.includes('/') || !prefix.includes(' '))
  if (isPath && PARENT.test(argument)) return false
  // S15: a prefix never allows what runs another command.
  return takesCommand(tool) ? staysWithin(start, argument, tool) : !OPERATOR.test(argument)
}

function patternName(pattern: string): string {
  return /^([^()]+)\(.*\)$/s.exec(pattern)?.[1] ?? pattern
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
