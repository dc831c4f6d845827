import { readFileSync, statSync } from 'node:fs'
import { posix, win32 } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord, parseJson } from '../../core/plain-data.js'
import type { Shell } from '../hook/hosts/host.js'
import { HOSTS } from '../hook/hosts/hosts.js'

/** What runs at each prompt: a Node executable, the hook, and the name of a host. */
export interface HookProgram {
  node: string
  script: string
  host: string
}

/** The command that runs a program in a shell. S4: nothing in a path means anything to that shell. */
export function hookCommand({ node, script, host }: HookProgram, shell: Shell): string {
  const command = `${QUOTE[shell](node)} ${QUOTE[shell](script)} ${host}`
  return shell === 'powershell' ? `& ${command}` : command
}

const QUOTE: Readonly<Record<Shell, (text: string) => string>> = {
  // fish reads some backslashes between single quotes, so those stand outside.
  posix: text => `'${text.replaceAll(/'|\\(?=['\\]|$)/g, `'\\$&'`)}'`,
  // PowerShell takes typographic quotes for single quotes, and ends with none that is written twice.
  powershell: text => `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`,
  // cmd.exe replaces %NAME% between double quotes too. No variable has a quote and a caret in its name. Paths on Windows have no quote.
  cmd: text => `"${text.replaceAll('%', '"^%"')}"`,
}

const SHELLS = Object.keys(QUOTE) as Shell[]

/** A word of a command: quoted parts, escaped characters, and others that mean nothing to a shell. */
const WORD = /(?:'[^']*'|"[^"]*"|\\['\\ ]|\^%|[^\s'"^;|&<>()$`\\]|\\(?!['\\ ]))+/y
const PART = /'([^']*)'|"([^"]*)"|\\(['\\ ])|\^(%)/g
/** The end of the path of the hook in every version of the package, and the folder of the package. */
const SCRIPT = /^(.*[\\/])dist[\\/]tools[\\/]hook[\\/]main\.c?js$/s
/** A Node executable: `node`, `nodejs` and `node20`, also with a path. */
const NODE = /^(?:.*[\\/])?node(?:js)?\d*(?:\.exe)?$/is
const MENTION = /tools[\\/]+hook[\\/]+main\.c?js/

/**
 * Whether a command in settings is the hook of skillshelf, in any version, and nothing else: Node runs `main.cjs` of a package called
 * skillshelf with the name of a host. A command that only mentions the path belongs to someone else.
 */
export function isHookCommand(command: string, current: HookProgram): boolean {
  if (SHELLS.some(shell => command === hookCommand(current, shell))) return true
  const [node = '', script = '', host = '', ...others] = wordsOf(command) ?? []
  if (others.length > 0 || !NODE.test(node) || !Object.hasOwn(HOSTS, host)) return false
  return script === current.script || isOurScript(script)
}

/** The program of the hook in this installation. The command line is bundled into the folder of this file. */
export const HOOK_SCRIPT = fileURLToPath(new URL('../hook/main.cjs', import.meta.url))

/** Whether a command names the hook. */
export function mentionsHook(command: string): boolean {
  return MENTION.test(command)
}

/** The words of a command without its quotes. `undefined`: it is more than a program with arguments. */
function wordsOf(command: string): string[] | undefined {
  const text = command.replace(/^\s*(?:&\s+)?/, '').trimEnd()
  const words: string[] = []
  let at = 0
  while (at < text.length) {
    WORD.lastIndex = at
    const [word] = WORD.exec(text) ?? []
    if (word === undefined) return undefined
    words.push(
      word.replaceAll(
        PART,
        (_, single = '', double = '', escaped = '', percent = '') =>
          single + double + escaped + percent,
      ),
    )
    at += word.length
    const [space = ''] = /^[ \t]+/.exec(text.slice(at)) ?? []
    at += space.length
    if (space === '' && at < text.length) return undefined
  }
  return words
}

function isOurScript(script: string): boolean {
  const [, folder] = SCRIPT.exec(script) ?? []
  if (folder === undefined) return false
  const { basename } = folder.includes('\\') ? win32 : posix
  if (basename(folder) === 'skillshelf') return true
  // A checkout may have another name.
  const manifest = `${folder}package.json`
  try {
    // S3: only regular files are opened.
    if (!statSync(manifest).isFile()) return false
    const content = parseJson(readFileSync(manifest))
    return isRecord(content) && content['name'] === 'skillshelf'
  } catch {
    return false
  }
}
