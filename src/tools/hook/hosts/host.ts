import { isAbsolute, join } from 'node:path'
import { invalidInput } from '../../../core/errors.js'

/** A shell that runs the command of a hook: `posix` is sh and those like it. */
export type Shell = 'posix' | 'powershell' | 'cmd'

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The person who works with a host. */
export interface HostUser {
  /** The home folder. */
  home: string
  env: Environment
  /** Stands for `/` in the paths of administrators. Default: that of the system. */
  system?: string
}

/** Where a prompt is written. */
export interface HostPlace extends HostUser {
  /** The current folder. */
  cwd: string
  /** The folders of the project, from the current one up to its repository. Outside of one, the current folder alone. Never the home folder. */
  folders: readonly string[]
  /** The folder of the main checkout, if the repository is a worktree of it. */
  mainCheckout?: string
}

/** A folder of skills. */
export interface SkillRoot {
  path: string
  /** Who decides what is in it: the user, the project, or the author of a plugin. */
  owner: 'user' | 'project' | 'plugin'
  /** The folder of the project or plugin that the root is part of, or the home folder. */
  of: string
  /** Stands before the names of its skills, with a colon: the name of a plugin. */
  prefix?: string
  /** Whether a SKILL.md in the folder itself is a skill too. */
  isSkill?: boolean
  /** Levels of folders that are read below it. Default: four. */
  levels?: number
  /** A YAML file in the folder of a skill. `policy.allow_implicit_invocation: false` in it hides the skill from the model. */
  policyFile?: string
}

/** A setting that switches skills off or on. Of those that fit a skill, the last one decides. */
export interface SkillRule {
  /** Fits skills of these owners. Default: all. */
  owner?: SkillRoot['owner']
  /** Fits a skill by its name, also the name of its folder, and with the name of its plugin. `*` stands for any text, case does not matter. */
  name?: string
  /** Fits the skill in this folder, or with this SKILL.md. */
  path?: string
  /** Fits all skills in this folder and below. */
  folder?: string
  isOffered: boolean
}

/** A coding agent that runs a command at each prompt. */
export interface Host {
  title: string
  /** The page with the contract of its hooks. */
  contract: string
  /** Where its folders and settings of skills are described, and the day on which they were looked up. */
  sources: readonly string[]
  lookedUp: string
  /** Whether it reads the current folder alone, and not those above it in a repository. */
  readsOneFolder?: boolean
  /** The file of the user's settings with the hook. */
  settings(user: HostUser): string
  /** Where the hook is in the settings: keys from the outside in. */
  keys: readonly string[]
  /** The shell that runs the command on Windows. Elsewhere it is one of POSIX. */
  windowsShell: Shell
  /** The setting that runs a command. `powershell`: the same command for that shell. */
  setting(command: string, powershell: string): Readonly<Record<string, string | number>>
  /** Whether settings hold commands in groups: `{ "hooks": [command] }`. */
  isGrouped: boolean
  /** The answer that adds text to the prompt. */
  answer(text: string): unknown
  /** Its folders of skills. Of skills with the same name, that of the first is used. Those that settings name are left out. */
  roots(place: HostPlace): SkillRoot[]
  /**
   * What its settings say: where else skills are, and what is switched off.
   * @throws if settings of the user cannot be read: then nothing is offered
   */
  decisions(place: HostPlace): HostDecisions
}

export interface HostDecisions {
  /** Folders of skills of plugins that are enabled, and those that settings name. */
  roots: readonly SkillRoot[]
  rules: readonly SkillRule[]
  /** Sentences on settings and plugins that are left out. */
  problems: readonly string[]
}

/** Switches the skills of the project off. */
export const PROJECT_OFF: SkillRule = { owner: 'project', isOffered: false }

/** Seconds that a host waits. The hook is silent before that, except when it packs thousands of skills for the first time. */
export const TIMEOUT = 10

/** The answer of hosts that call the hook by an event. */
export const hookOutput = (event: string) => (text: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
})

/** Folders of skills in each folder of a project. */
export function projectRoots(
  { folders }: Pick<HostPlace, 'folders'>,
  paths: readonly string[],
): SkillRoot[] {
  return folders.flatMap(of => paths.map(path => ({ path: join(of, path), owner: 'project', of })))
}

/** Folders of skills of the user. */
export function userRoots({ home }: HostUser, paths: readonly string[]): SkillRoot[] {
  return paths.map(path => ({ path, owner: 'user', of: home }))
}

/**
 * A path in the environment, or another one if it is not set or empty.
 * @throws if it is relative or starts with `~`: hosts read that as a folder in the one where they were started, which is not known
 */
export function pathFrom({ env }: HostUser, variable: string, fallback: string): string {
  const path = env[variable]
  if (!path) return fallback
  if (isAbsolute(path)) return path
  throw invalidInput(`${variable} is not an absolute path: ${path}`, 'set it to one')
}

/** A path of an administrator. */
export function systemPath({ system }: HostUser, path: string): string {
  return system === undefined ? path : join(system, path)
}
