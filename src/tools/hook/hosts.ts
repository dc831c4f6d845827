import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { attempt } from './attempt.js'

/** A shell that runs the command of a hook: `posix` is sh and those like it. */
export type Shell = 'posix' | 'powershell' | 'cmd'

/** A coding agent that runs a command at each prompt. docs/hosts.md cites the contracts. */
export interface Host {
  title: string
  /** Settings of the user with the hook, relative to the home folder. */
  settings: string
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
  /** Folders of skills in each folder from the current one up, and in the home folder. The first wins. */
  project: readonly string[]
  user: readonly string[]
  plugins?(home: string): string[]
}

/** Seconds that a host waits. The hook is silent before that, except when it packs thousands of skills for the first time. */
const TIMEOUT = 10

const hookOutput = (event: string) => (text: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
})

export const HOSTS: Readonly<Record<string, Host>> = {
  'claude-code': {
    title: 'Claude Code',
    settings: '.claude/settings.json',
    keys: ['hooks', 'UserPromptSubmit'],
    windowsShell: 'posix',
    setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
    isGrouped: true,
    answer: hookOutput('UserPromptSubmit'),
    user: ['.claude/skills'],
    project: ['.claude/skills'],
    plugins: claudePlugins,
  },
  codex: {
    title: 'Codex',
    settings: '.codex/hooks.json',
    keys: ['hooks', 'UserPromptSubmit'],
    windowsShell: 'cmd',
    setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
    isGrouped: true,
    answer: hookOutput('UserPromptSubmit'),
    user: ['.agents/skills', '.codex/skills'],
    project: ['.agents/skills', '.codex/skills'],
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    settings: '.gemini/settings.json',
    keys: ['hooks', 'BeforeAgent'],
    windowsShell: 'powershell',
    setting: command => ({ name: 'skillshelf', type: 'command', command, timeout: TIMEOUT * 1_000 }),
    isGrouped: true,
    answer: hookOutput('BeforeAgent'),
    user: ['.gemini/skills', '.agents/skills'],
    project: ['.gemini/skills', '.agents/skills'],
    plugins(home) {
      const extensions = join(home, '.gemini/extensions')
      return attempt(() => readdirSync(extensions), []).map(name => join(extensions, name, 'skills'))
    },
  },
  'copilot-cli': {
    title: 'Copilot CLI',
    settings: '.copilot/hooks/skillshelf.json',
    keys: ['hooks', 'userPromptSubmitted'],
    windowsShell: 'posix',
    setting: (bash, powershell) => ({ type: 'command', bash, powershell, timeoutSec: TIMEOUT }),
    isGrouped: false,
    answer: text => ({ additionalContext: text }),
    user: ['.copilot/skills', '.claude/skills', '.agents/skills'],
    project: ['.github/skills', '.claude/skills', '.agents/skills'],
  },
}

/** The folders of skills that a host reads in a folder, without those that do not exist. */
export function skillFolders({ project, user, plugins }: Host, cwd: string, home: string): string[] {
  const folders: string[] = []
  for (let folder = cwd; folder !== home; folder = dirname(folder)) {
    folders.push(...project.map(path => join(folder, path)))
    // Skills above the repository belong to others.
    if (dirname(folder) === folder || existsSync(join(folder, '.git'))) break
  }
  folders.push(...user.map(path => join(home, path)), ...(plugins?.(home) ?? []))
  return [...new Set(folders)].filter(folder => existsSync(folder))
}

/** Plugins of Claude Code: each has one or more installations with a path. */
function claudePlugins(home: string): string[] {
  const file = join(home, '.claude/plugins/installed_plugins.json')
  const installed = attempt(() => parseJson(readFileSync(file)), undefined)
  return Object.values((isRecord(installed) && installed['plugins']) || {})
    .flat()
    .filter(isRecord)
    .flatMap(({ installPath }) => (typeof installPath === 'string' ? [join(installPath, 'skills')] : []))
}
