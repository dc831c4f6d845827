import { invalidInput } from '../../core/errors.js'
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
  throw invalidInput('A tool passed to `prune` has no name', 'pass a function that returns the name as second argument')
}

/** Shell operators, redirections, command substitutions and line breaks: they can add a second command to an allowed one. */
const SHELL_OPERATOR = /[;&|<>`\r\n]|\$\(/
const QUOTED = /'[^']*'|"[^"]*"/g
/** Where zsh runs a command outside quotes: `=(command)`, `*(e:command:)` and `*(+command)`. */
const ZSH_COMMAND = /=\(|\([^()\s]*(?:e[^\w\s()]|\+)/

function hasShellOperator(argument: string): boolean {
  const unquoted = argument.includes('\\') ? argument : argument.replaceAll(QUOTED, '"')
  return SHELL_OPERATOR.test(argument) || ZSH_COMMAND.test(unquoted)
}

/** A part of a path that leaves its folder, as a file system, a shell or a server reads it. */
const PARENT = /(?:^|[\\/\s"'=]|%2f|%5c)(?:\.|%2e){2}(?:$|[\\/\s"']|%2f|%5c)/i
/** Options of `git` before its subcommand that change nothing. */
const HARMLESS_GIT = new Set([
  '--no-pager',
  '--no-optional-locks',
  '--literal-pathspecs',
  '-P',
  '--version',
  '-v',
  '--help',
])

/** Whether `git` has anything but a plain subcommand first, such as `-c core.sshCommand=…`, which may run another program. */
function configuresGit(argument: string): boolean {
  const [command, ...words] = argument.trim().split(/\s+/)
  if (command !== 'git') return false
  for (let word = words.shift(); word !== undefined; word = words.shift())
    if (word === '-C' && /^[\w./~-]+$/.test(words[0] ?? '')) words.shift()
    else if (!HARMLESS_GIT.has(word)) return !/^\w[\w-]*$/.test(word)
  return false
}

/** Whether a list allows a tool with at least some arguments. */
export function allowsTool(allowed: readonly string[] | undefined, tool: string): boolean {
  return allowed === undefined || allowed.some(pattern => patternName(pattern) === tool || pattern === '*')
}

/**
 * Whether a list allows a call.
 *
 * | pattern | allowed arguments |
 * | --- | --- |
 * | `Bash` | all |
 * | `Bash(git:*)` | `git`, and all that start with `git ` |
 * | `Bash(npm run *)` | all that start with `npm run ` |
 * | `Read(docs/x.md)` | `docs/x.md` |
 *
 * An argument with a shell operator matches no pattern that ends with `*` after a prefix, even inside quotes, and neither does `git` with
 * `-c` or other options that may run a program. `..` leaves the folder of a pattern such as `Write(out/*)`.
 */
export function allowsCall(
  allowed: readonly string[] | undefined,
  tool: string,
  argument: string | undefined,
): boolean {
  if (allowed === undefined) return true
  return allowed.some(pattern => {
    if (pattern === '*' || pattern === tool) return true
    if (patternName(pattern) !== tool || argument === undefined) return false
    const argumentPattern = pattern.slice(tool.length + 1, -1)
    if (argumentPattern === '*' || argumentPattern === '') return true
    if (argumentPattern.endsWith('*') && (hasShellOperator(argument) || configuresGit(argument))) return false
    if (argumentPattern.endsWith(':*')) {
      const command = argumentPattern.slice(0, -2)
      return argument === command || argument.startsWith(`${command} `)
    }
    if (!argumentPattern.endsWith('*')) return argument === argumentPattern
    const prefix = argumentPattern.slice(0, -1)
    const isPath = prefix.includes('/') || !prefix.includes(' ')
    return argument.startsWith(prefix) && !(isPath && PARENT.test(argument))
  })
}

function patternName(pattern: string): string {
  return /^([^()]+)\(.*\)$/s.exec(pattern)?.[1] ?? pattern
}

/** The largest of each limit in the metadata of the open skills. A skill without a limit has that of `defaults`, if any. */
export function limitsOf(open: readonly OpenSkill[], defaults: LoopLimits = {}): LoopLimits {
  const limits: LoopLimits = {}
  for (const { skill } of open)
    for (const field of ['maxIterations', 'timeout'] as const) {
      const value = skill.metadata[field] ?? defaults[field]
      if (value !== undefined) limits[field] = Math.max(limits[field] ?? value, value)
    }
  return limits
}
