import { readdirSync, realpathSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { readRegularFile } from '../../source/directory/regular-file.js'
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
  /** Folders of installed plugins. Each has its skills in `skills`. */
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
    setting: command => ({
      name: 'skillshelf',
      type: 'command',
      command,
      timeout: TIMEOUT * 1_000,
    }),
    isGrouped: true,
    answer: hookOutput('BeforeAgent'),
    user: ['.gemini/skills', '.agents/skills'],
    project: ['.gemini/skills', '.agents/skills'],
    plugins(home) {
      const extensions = join(home, '.gemini/extensions')
      return attempt(() => readdirSync(extensions), []).map(name => join(extensions, name))
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

/** Bytes of the list of installed plugins that are read. */
const MAX_PLUGINS_BYTES = 4 * 1_048_576

/** Plugins of Claude Code: each has one or more installations with a path. */
function claudePlugins(home: string): string[] {
  const file = join(home, '.claude/plugins/installed_plugins.json')
  const installed = attempt(
    () => parseJson(readRegularFile(realpathSync.native(file), { limit: MAX_PLUGINS_BYTES })),
    undefined,
  )
  return Object.values((isRecord(installed) && installed['plugins']) || {})
    .flat()
    .filter(isRecord)
    .flatMap(({ installPath }) =>
      typeof installPath === 'string' && isAbsolute(installPath) ? [installPath] : [],
    )
}
