import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '../../core/errors.js'
import { escapeLine } from '../../core/sanitize.js'
import { reasonForModel } from '../../search/match/reason.js'
import type { SkillMatch } from '../../search/match/skill-match.js'
import { attempt } from './attempt.js'
import { type CacheState, cacheFolder, openCache, readState, STATE_FILE, scanFolders } from './cache.js'
import { HOSTS, type Host, skillFolders } from './hosts.js'

const MAX_SKILLS = 3
/** Characters of a prompt that are matched. */
const MAX_PROMPT = 10_000
/** Files of the project that `paths` are compared with. */
const MAX_FILES = 200
/** Bytes of the log, after which it is not written. */
const MAX_LOG = 100_000

export interface HookOptions {
  /** @default the home folder */
  home?: string | undefined
  /** @default $XDG_CACHE_HOME or ~/.cache, and `skillshelf/hook` in it */
  cache?: string | undefined
  /** Packs changed skills while the old cache answers. Default: in a process of its own. */
  refresh?: ((folder: string, roots: readonly string[]) => void | Promise<void>) | undefined
}

/**
 * Answers a prompt in the form of a host.
 * @param name Name of the host, such as `claude-code`.
 * @param input What the host writes to the hook: JSON with `prompt` and `cwd`.
 * @returns JSON, or `''` if no skill serves the prompt. Any error is `''` too, and a line in `hook.log` of the cache: a prompt never fails.
 */
export async function runHook(name: string, input: string, options: HookOptions = {}): Promise<string> {
  const { home = homedir(), cache = join(process.env['XDG_CACHE_HOME'] || join(home, '.cache'), 'skillshelf/hook') } =
    options
  try {
    const host = HOSTS[name]
    if (!host) throw new Error(`unknown host ${JSON.stringify(name)}`)
    const { prompt, cwd } = JSON.parse(input) as { prompt?: unknown; cwd?: unknown }
    if (typeof prompt !== 'string') throw new Error(`the input of ${name} has no "prompt"`)
    // A command of the host, not a message.
    if (prompt.startsWith('/')) return ''
    const text = await suggest(host, prompt.slice(0, MAX_PROMPT), {
      cwd: typeof cwd === 'string' ? cwd : process.cwd(),
      home,
      cache,
      refresh: options.refresh ?? refreshDetached,
    })
    return text === '' ? '' : JSON.stringify(host.answer(text))
  } catch (error) {
    log(cache, `${name}: ${errorMessage(error)}`)
    return ''
  }
}

/** Options with their defaults, and the folder of the prompt. */
type Settings = { [Key in keyof HookOptions]-?: NonNullable<HookOptions[Key]> } & { cwd: string }

async function suggest(host: Host, message: string, { cwd, home, cache, refresh }: Settings): Promise<string> {
  const roots = skillFolders(host, cwd, home)
  if (roots.length === 0) return ''
  const folder = cacheFolder(cache, roots)
  const scan = scanFolders(roots)
  if (scan.files.size === 0) return ''
  const known = readState(folder)
  const state = known ?? (await (await import('./pack-cache.js')).packCache(folder, scan))
  if (state.fingerprint !== scan.fingerprint) await refresh(folder, roots)
  const library = await openCache(folder, state, message).catch(error => {
    // The next prompt packs it again.
    rmSync(join(folder, STATE_FILE), { force: true })
    throw error
  })
  const files = state.hasPaths ? { files: filesOf(cwd) } : {}
  const { matches, maybe = [] } = await library.match({ message, ...files }, { limit: MAX_SKILLS * 2 })
  return matches.length > 0
    ? section('matching_skills', 'Read the SKILL.md of the one that fits, and follow it.', matches, state)
    : section(
        'possible_skills',
        'Uncertain. Read the one whose description fits the message, or ignore them.',
        maybe,
        state,
      )
}

/** The first skills, without those that only people may open. Of skills with the same name, the one in the first folder. */
function section(element: string, note: string, matches: readonly SkillMatch[], { skills }: CacheState): string {
  const names = new Set<string>()
  const lines = matches
    .map(match => ({ match, skill: skills[match.id], root: Number.parseInt(match.id.split('/')[1] ?? '', 10) }))
    .sort((a, b) => (a.match.name === b.match.name ? a.root - b.root : 0))
    .flatMap(({ match, skill }) => {
      // A skill may be gone since it was packed.
      if (!skill || skill.manual || names.has(match.name) || !existsSync(skill.path)) return []
      names.add(match.name)
      const why = reasonForModel(match)
      return [`- ${escapeLine(match.name)} (${escapeLine(skill.path)}): ${escapeLine(skill.line)} [${escapeLine(why)}]`]
    })
  if (lines.length === 0) return ''
  return [`<${element}>`, note, ...lines.slice(0, MAX_SKILLS), `</${element}>`].join('\n')
}

/** The files nearest to the top of a project. */
function filesOf(cwd: string): string[] {
  const files: string[] = []
  const folders = ['']
  for (const folder of folders) {
    for (const entry of attempt(() => readdirSync(join(cwd, folder), { withFileTypes: true }), [])) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && !/^(?:\..*|node_modules)$/.test(entry.name)) folders.push(path)
    }
    if (files.length >= MAX_FILES || folders.length > MAX_FILES) break
  }
  return files.slice(0, MAX_FILES)
}

/** Packs in a process of its own, which ends when it is done. */
async function refreshDetached(folder: string, roots: readonly string[]): Promise<void> {
  const args = [process.argv[1] as string, '--refresh', folder, ...roots]
  // Loaded here, because it takes as long as a match.
  const { spawn } = await import('node:child_process')
  spawn(process.execPath, args, { detached: true, stdio: 'ignore' }).unref()
}

function log(cache: string, line: string): void {
  try {
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const file = join(cache, 'hook.log')
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) < MAX_LOG)
      appendFileSync(file, `${new Date().toISOString()} ${line}\n`, { mode: 0o600 })
  } catch {
    // There is nowhere to report it.
  }
}
