import { SkillshelfError } from '../core/errors.js'
import type { OpenSkill } from './types.js'

/** What the open skills allow together: `undefined` where any is open that restricts nothing, or none is open. */
export function allowedTools(open: readonly OpenSkill[]): readonly string[] | undefined {
  const lists = open.map(({ skill }) => skill.metadata.allowedTools)
  if (lists.length === 0 || lists.some(list => list === undefined)) return undefined
  return [...new Set(lists.flatMap(list => list ?? []))]
}

/** What a tool of a host is called: itself, or its `name`, where OpenAI has it too. @throws SkillshelfError `invalid-input` */
export function toolName(tool: unknown): string {
  const { name, function: called, custom } = Object(tool) as Partial<Record<string, unknown>>
  const found = typeof tool === 'string' ? tool : (name ?? Object(called ?? custom).name)
  if (typeof found === 'string') return found
  throw new SkillshelfError('invalid-input', 'A tool to prune has no name', { hint: 'give a function that tells it' })
}

/** Whether a list leaves a tool, with any argument. */
export function allowsTool(allowed: readonly string[] | undefined, tool: string): boolean {
  return allowed === undefined || allowed.some(pattern => patternName(pattern) === tool || pattern === '*')
}

/**
 * Whether a list allows a call. `Bash` allows every argument, `Bash(git:*)` those that begin with the word `git`, `Bash(npm run *)` those
 * that begin so, `Read(docs/x.md)` that one alone.
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
    const wanted = pattern.slice(tool.length + 1, -1)
    if (wanted === '*' || wanted === '') return true
    if (wanted.endsWith(':*')) {
      const start = wanted.slice(0, -2)
      return argument === start || argument.startsWith(`${start} `)
    }
    return wanted.endsWith('*') ? argument.startsWith(wanted.slice(0, -1)) : argument === wanted
  })
}

function patternName(pattern: string): string {
  return /^([^()]+)\(.*\)$/s.exec(pattern)?.[1] ?? pattern
}

/** The largest of each limit that an open skill names. */
export function limitsOf(open: readonly OpenSkill[]): { maxIterations?: number; timeout?: number } {
  const largest = (field: 'maxIterations' | 'timeout'): number | undefined =>
    open.reduce<number | undefined>((most, { skill }) => {
      const own = skill.metadata[field]
      return own === undefined || (most !== undefined && most >= own) ? most : own
    }, undefined)
  const [maxIterations, timeout] = [largest('maxIterations'), largest('timeout')]
  return { ...(maxIterations === undefined ? {} : { maxIterations }), ...(timeout === undefined ? {} : { timeout }) }
}
