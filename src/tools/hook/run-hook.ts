import { join, resolve } from 'node:path'
import { isJunkName } from '../../core/content.js'
import { errorMessage } from '../../core/errors.js'
import { type UserWords, userWords } from '../../core/text/user-words.js'
import type { SkillMatch } from '../../library/api/match-result.js'
import { reasonForModel } from '../../search/match/reason.js'
import { attempt } from './attempt.js'
import type { CacheState } from './cache.js'
import type { Environment, Host, HostUser } from './hosts/host.js'
import { HOSTS } from './hosts/hosts.js'
import { listFolder } from './list-folder.js'
import { writeLog } from './log.js'
import { withSkills } from './open-skills.js'
import { cacheHome, homeFolder } from './own-files.js'
import { isOffered as isOfferedBy, type SkillPlaces, skillPlaces } from './places.js'
import { type Scan, scanFolders } from './scan.js'
import { type OfferedSkill, offerSkills } from './section.js'

const MAX_SKILLS = 3
/** Characters of a prompt that are matched, and that are read for it. */
const MAX_PROMPT = 10_000
const MAX_READ = 500_000
/** A command of the host, not a path. */
const COMMAND = /^\/[\w:.-]*(?:\s|$)/
/** Files of the project that `paths` are compared with. */
const MAX_FILES = 200
/** Entries of a folder that they are chosen from. */
const MAX_ENTRIES = 2_000
const SURE = 'Read the SKILL.md of the one that fits, and follow it.'
const UNSURE = 'Uncertain. Read the one whose description fits the message, or ignore them.'

export interface HookOptions {
  /** @default the home folder */
  home?: string | undefined
  /** @default that of this process */
  env?: Environment | undefined
  /** @default $XDG_CACHE_HOME or ~/.cache, and `skillshelf/hook` in it */
  cache?: string | undefined
  /** Stands for `/` in the paths of administrators. @default that of the system */
  system?: string | undefined
  /** Packs changed skills while the old cache answers. Default: in a process of its own. */
  refresh?: ((folder: string, places: SkillPlaces) => void | Promise<void>) | undefined
}

/**
 * Answers a prompt in the form of a host.
 * @param name Name of the host, such as `claude-code`.
 * @param input What the host writes to the hook: JSON with `prompt` and `cwd`.
 * @returns JSON, or `''` if no skill serves the prompt. Any error is `''` too, and a line in `hook.log` of the cache: a prompt never fails.
 */
export async function runHook(
  name: string,
  input: string,
  options: HookOptions = {},
): Promise<string> {
  const { home = homeFolder(), env = process.env, system } = options
  const { cache = join(cacheHome(home), 'hook'), refresh = refreshDetached } = options
  try {
    const host = HOSTS[name]
    if (!host) throw new Error(`unknown host ${JSON.stringify(name)}`)
    const { prompt, cwd } = JSON.parse(input) as { prompt?: unknown; cwd?: unknown }
    if (typeof prompt !== 'string') throw new Error(`the input of ${name} has no "prompt"`)
    const { message, pasted } = userWords(prompt.slice(0, MAX_READ))
    if (message === '' || COMMAND.test(prompt.trimStart())) return ''
    const said = { message: message.slice(0, MAX_PROMPT), pasted: pasted.slice(0, MAX_PROMPT) }
    const text = await suggest(host, said, {
      cwd: typeof cwd === 'string' ? resolve(cwd) : process.cwd(),
      user: { home, env, ...(system !== undefined && { system }) },
      cache,
      refresh,
    })
    return text === '' ? '' : JSON.stringify(host.answer(text))
  } catch (error) {
    writeLog(cache, `${name}: ${errorMessage(error)}`)
    return ''
  }
}

interface PromptPlace {
  /** The current folder. */
  cwd: string
  user: HostUser
  /** The folder of all caches. */
  cache: string
  refresh: NonNullable<HookOptions['refresh']>
}

async function suggest(
  host: Host,
  said: UserWords,
  { cwd, user, cache, refresh }: PromptPlace,
): Promise<string> {
  const places = skillPlaces(host, cwd, user)
  const scan = scanFolders(places)
  if (scan.skills.size === 0 && scan.problems.length === 0) return ''
  const text = await withSkills(
    { message: said.message, places, scan, cache, refresh },
    async ({ library, state }) => {
      const files = state.hasPaths ? { files: filesOf(cwd) } : {}
      const { status, matches, maybe } = await library.match(
        { ...said, ...files },
        { limit: MAX_SKILLS * 2 },
      )
      return status === 'match'
        ? offerSkills('matching_skills', SURE, offered(matches, state, scan))
        : offerSkills('possible_skills', UNSURE, offered(maybe, state, scan))
    },
  )
  return text ?? ''
}

/** The first skills, without those that only people may open. Of skills with the same name, the one in the first folder. */
function offered(
  matches: readonly SkillMatch[],
  { skills }: CacheState,
  scan: Scan,
): OfferedSkill[] {
  const names = new Set<string>()
  return matches
    .flatMap(match => {
      const skill = skills[match.id]
      const paths = [match.id.slice(match.id.indexOf('/') + 1), ...(skill?.copies ?? [])]
      // A skill may be gone since it was packed, or a link that the rule no longer allows (S2).
      // An outdated cache may have a skill that was switched off since.
      const isOffered = (one: string): boolean => {
        const found = scan.skills.get(one)
        return found !== undefined && isOfferedBy(scan.rules, { ...found, name: match.name })
      }
      const [path] = paths.filter(isOffered).sort(byRoot)
      return skill && path !== undefined ? [{ match, skill, path }] : []
    })
    .sort((a, b) => (a.match.name === b.match.name ? byRoot(a.path, b.path) : 0))
    .flatMap(({ match, skill, path }) => {
      const found = scan.skills.get(path)
      if (!found || skill.manual || names.has(match.name)) return []
      names.add(match.name)
      return [{ name: match.name, path: found.path, line: skill.line, why: reasonForModel(match) }]
    })
    .slice(0, MAX_SKILLS)
}

/** Compares the numbers of the folders of skills that paths of a scan start with. */
function byRoot(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10)
}

/** The files nearest to the top of a project. */
function filesOf(cwd: string): string[] {
  const files: string[] = []
  const folders = ['']
  for (const folder of folders) {
    const entries = attempt(() => listFolder(join(cwd, folder), MAX_ENTRIES), [])
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) files.push(path)
      else if (entry.isDirectory() && !entry.name.startsWith('.') && !isJunkName(entry.name)) {
        folders.push(path)
      }
    }
    if (files.length >= MAX_FILES || folders.length > MAX_FILES) break
  }
  return files.slice(0, MAX_FILES)
}

/** Packs in a process of its own, which ends when it is done. */
async function refreshDetached(folder: string, places: SkillPlaces): Promise<void> {
  // Loaded here, because it takes as long as a match.
  const { startRefresh } = await import('./refresh.js')
  startRefresh(folder, places)
}
