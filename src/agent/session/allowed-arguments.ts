import { expandBraces, matchGlob, parseGlob, type Steps, toPathParts } from '../../core/glob.js'
import { staysWithin } from './allowed-commands.js'

/** A part of a path that leaves its folder, as a file system, a shell or a server reads it. */
const PARENT = /(?:^|[\\/\s"'={,]|%2f|%5c)(?:\.|%2e){2}(?:$|[\\/\s"'},]|%2f|%5c)/i
/** Words in the names of tools that take a path, an address or a text, and run no command. */
const DATA_WORDS =
  /^(?:read|write|edit|multi|update|create|view|file|files|glob|grep|ls|list|search|find|web|fetch|url|notebook|skill|task|todo|memory)$/i
/** Words in the names of tools that run commands. */
const COMMAND_WORDS = /bash|shell|exec|command|terminal|cmd|powershell|process|script|run/i
/** What no wildcard allows in a path: operators of a shell, substitutions and line breaks, if a tool passes it to one. */
const OPERATOR = /[;&|<>`\r\n]|\$\(/
/** Longest path that is compared, and steps of one comparison. Rules come from strangers. */
const MAX_PATH = 4_096
const MAX_GLOBS = 32
const STEPS = 200_000

/** Whether the argument of a tool may be a command. Of a tool that is not known, it may. */
function takesCommand(tool: string): boolean {
  const words = tool.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
  return COMMAND_WORDS.test(tool) || !words.some(word => DATA_WORDS.test(word))
}

/**
 * Whether the specifier of a rule covers an argument.
 * @param specifier What the parentheses of the rule have, such as `git add *` or `domain:example.com`.
 */
export function coversArgument(specifier: string, tool: string, argument: string): boolean {
  if (argument === specifier && !specifier.endsWith('*')) return true
  if (takesCommand(tool)) return coversCommand(specifier, tool, argument)
  const domain = /^domain:\s*(.+)$/.exec(specifier)?.[1]
  if (domain !== undefined) return coversAddress(domain, argument)
  if (PARENT.test(argument) || OPERATOR.test(argument)) return false
  const prefix = /^([^*]*[^*\s])[: ]\*$/.exec(specifier)?.[1]
  if (prefix !== undefined) return argument === prefix || argument.startsWith(`${prefix} `)
  return coversPath(specifier, argument)
}

/** `git add:*` is `git add *`: the command alone, or followed by a blank. */
function coversCommand(specifier: string, tool: string, command: string): boolean {
  const pattern = specifier.replace(/(?<=[^\s*]):\*$/, ' *')
  const start = pattern.slice(0, pattern.indexOf('*'))
  // A rule that does not begin with a program would cover any program.
  if (!pattern.includes('*') || start.trim() === '') return false
  const isAlone = pattern.endsWith(' *') && command === pattern.slice(0, -2)
  if (!isAlone && !fitsWildcards(pattern, command)) return false
  // A prefix that ends within a path opens one word: `./scripts/*.sh` covers no other script, and none outside of the folder.
  const isPath = !/\s$/.test(start) && (start.includes('/') || !start.includes(' '))
  const hasEnd = wordAt(command, start).endsWith(wordAt(pattern, `${start}*`))
  if (isPath && (!hasEnd || PARENT.test(command))) return false
  // S15: a wildcard never covers what runs another command.
  return staysWithin(start, command, tool)
}

/** What follows a start up to the next blank. */
function wordAt(text: string, start: string): string {
  return /^\S*/.exec(text.slice(start.length))?.[0] ?? ''
}

/** Whether a text fits a pattern in which `*` is any text. */
function fitsWildcards(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return text === pattern
  if (!text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at + last.length <= text.length
}

/** `example.com` covers that host only, `*.example.com` all below it, `*` elsewhere what is between two dots. */
function coversAddress(domain: string, address: string): boolean {
  const url = toUrl(address)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  if (domain === '*') return true
  const host = url.hostname.replace(/\.$/, '').split('.')
  const labels = domain.toLowerCase().replace(/\.$/, '').split('.')
  const isBelow = labels[0] === '*' && labels.length > 1
  if (isBelow) labels.shift()
  if (isBelow ? host.length <= labels.length : host.length !== labels.length) return false
  const compared = host.slice(host.length - labels.length)
  return labels.every((label, index) => fitsWildcards(label, compared[index] ?? ''))
}

/** A path as in .gitignore: a rule that fits a folder covers all that is below it. */
function coversPath(specifier: string, argument: string): boolean {
  const rule = readRulePath(specifier)
  const path = readPath(argument)
  if (path?.root !== rule.root || argument.length > MAX_PATH) return false
  const steps: Steps = { left: STEPS }
  const parts = toPathParts(path.path)
  return expandBraces(rule.path, MAX_GLOBS, steps).some(glob =>
    matchGlob(parseGlob(glob, { below: true }), parts, steps),
  )
}

/** Where a path begins: in the project, at the root of the file system, in the home folder, or at a scheme such as `https:`. */
interface RootedPath {
  root: '' | '//' | '~' | `${string}:`
  path: string
}

/** In a rule, `/src` is below the project, and an absolute path begins with `//` or a drive. A rule that begins with `!` fits nothing. */
function readRulePath(specifier: string): RootedPath {
  const scheme = schemeOf(specifier)
  if (scheme) return { root: scheme, path: specifier }
  if (specifier.startsWith('~/')) return { root: '~', path: specifier.slice(1) }
  const absolute = specifier.replace(DRIVE, (_, drive: string) => `//${drive.toLowerCase()}/`)
  if (absolute.startsWith('//')) return { root: '//', path: absolute.slice(1) }
  return { root: '', path: specifier.replace(/^\.\//, '/') }
}

/** `undefined`: it may be anywhere. Hosts read one slash at its start as the root of the file system. */
function readPath(argument: string): RootedPath | undefined {
  const scheme = schemeOf(argument)
  if (scheme) {
    const url = toUrl(argument)
    if (!url || `${url.username}${url.password}` !== '') return undefined
    // Without what follows the path, which may look like a host.
    return { root: scheme, path: `${scheme}//${url.host}${url.pathname}` }
  }
  if (argument.startsWith('~/')) return { root: '~', path: argument.slice(1) }
  if (/^[~$%]/.test(argument)) return undefined
  const absolute = argument.replace(DRIVE, (_, drive: string) => `/${drive.toLowerCase()}/`)
  return { root: /^[\\/]/.test(absolute) ? '//' : '', path: absolute }
}

const DRIVE = /^([A-Za-z]):[\\/]/

function schemeOf(text: string): `${string}:` | undefined {
  return /^[a-z][a-z\d+.-]+:(?=\/\/)/i.exec(text)?.[0].toLowerCase() as `${string}:` | undefined
}

function toUrl(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}
