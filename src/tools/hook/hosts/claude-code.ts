import { isAbsolute, join } from 'node:path'
import { errorMessage } from '../../../core/errors.js'
import { isRecord } from '../../../core/plain-data.js'
import {
  type Host,
  type HostPlace,
  type HostUser,
  hookOutput,
  projectRoots,
  type SkillRoot,
  type SkillRule,
  TIMEOUT,
  userRoots,
} from './host.js'
import {
  isSamePath,
  partOf,
  pluginRoots,
  readJsonSettings,
  type Settings,
  textsOf,
} from './host-settings.js'

export const claudeCode: Host = {
  title: 'Claude Code',
  contract: 'https://code.claude.com/docs/en/hooks#userpromptsubmit',
  sources: [
    'https://code.claude.com/docs/en/skills',
    'https://code.claude.com/docs/en/settings',
    'https://code.claude.com/docs/en/plugins-reference',
  ],
  lookedUp: '2026-11-27',
  settings: user => join(folderOf(user), 'settings.json'),
  keys: ['hooks', 'UserPromptSubmit'],
  windowsShell: 'posix',
  setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
  isGrouped: true,
  answer: hookOutput('UserPromptSubmit'),
  listing: { share: 1, description: 1_536 },
  roots: place => [
    ...projectRoots(place, ['.claude/skills']),
    ...userRoots(place, [join(folderOf(place), 'skills')]),
  ],
  decisions(place) {
    const { settings, problems } = settingsOf(place)
    return {
      plugins: pluginsOf(place, settings, problems),
      // A permission that is denied cannot be given by another setting.
      rules: [...settings.flatMap(overridesIn), ...settings.flatMap(deniedIn)],
      problems,
    }
  },
}

/** Administrators write these settings, by the platform. */
const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  linux: '/etc/claude-code/managed-settings.json',
  win32: 'C:\\Program Files\\ClaudeCode\\managed-settings.json',
}

function folderOf({ home, env }: HostUser): string {
  return env['CLAUDE_CONFIG_DIR'] || join(home, '.claude')
}

/** The settings that apply, the strongest last. Settings of a project that cannot be read are left out with its skills. */
function settingsOf(place: HostPlace): { settings: Settings[]; problems: string[] } {
  const problems: string[] = []
  const settings = [readJsonSettings(claudeCode.settings(place))]
  for (const folder of [...place.folders].reverse()) {
    for (const file of ['settings.json', 'settings.local.json']) {
      try {
        settings.push(readJsonSettings(join(folder, '.claude', file)))
      } catch (error) {
        problems.push(errorMessage(error))
        settings.push({ permissions: { deny: [PROJECT] } })
      }
    }
  }
  const managed = MANAGED[process.platform]
  if (managed !== undefined) settings.push(readJsonSettings(managed))
  return { settings, problems }
}

/** Stands for a rule that switches off the skills of a project. No setting can be equal to it. */
const PROJECT = '\0project'
/** `Skill` forbids all skills, `Skill(name)` one, `Skill(name *)` and `Skill(name:*)` one with any arguments. */
const DENIED = /^\s*Skill\s*(?:\(([^)]*)\))?\s*$/
const ANY_ARGUMENTS = /(?:\s+|:)\*\s*$/

/** `skillOverrides` are about the skills of the user and the project. `name-only` hides the description, but the model may open the skill. */
function overridesIn(settings: Settings): SkillRule[] {
  return Object.entries(partOf(settings, 'skillOverrides')).flatMap(([name, value]) => {
    const isOffered = value === 'on' || value === 'name-only'
    return [
      { owner: 'user', name, isOffered },
      { owner: 'project', name, isOffered },
    ]
  })
}

function deniedIn(settings: Settings): SkillRule[] {
  return textsOf(partOf(settings, 'permissions')['deny']).flatMap((rule): SkillRule[] => {
    if (rule === PROJECT) return [{ owner: 'project', isOffered: false }]
    const [isSkill, name] = DENIED.exec(rule) ?? []
    if (isSkill === undefined) return []
    return [{ name: (name ?? '*').replace(ANY_ARGUMENTS, '').trim(), isOffered: false }]
  })
}

/** The plugins that are installed for this place and not disabled. */
function pluginsOf(
  place: HostPlace,
  settings: readonly Settings[],
  problems: string[],
): SkillRoot[] {
  const enabled = Object.assign(
    {},
    ...settings.map(one => partOf(one, 'enabledPlugins')),
  ) as Settings
  const file = join(folderOf(place), 'plugins/installed_plugins.json')
  return Object.entries(partOf(readJsonSettings(file), 'plugins')).flatMap(([id, installed]) => {
    const [name = id] = id.split('@')
    return [installed].flat().flatMap(one => {
      if (!isRecord(one) || !isInstalledFor(place, one)) return []
      const folder = one['installPath']
      if (typeof folder !== 'string' || !isAbsolute(folder)) return []
      try {
        const manifest = readJsonSettings(join(folder, '.claude-plugin/plugin.json'))
        const isEnabled = enabled[id] ?? manifest['defaultEnabled'] ?? true
        return isEnabled === true ? pluginRoots(folder, name, manifest) : []
      } catch (error) {
        problems.push(errorMessage(error))
        return []
      }
    })
  })
}

function isInstalledFor({ folders, cwd }: HostPlace, { scope, projectPath }: Settings): boolean {
  if (scope !== 'project' && scope !== 'local' && projectPath === undefined) return true
  return (
    typeof projectPath === 'string' &&
    [cwd, ...folders].some(folder => isSamePath(folder, projectPath))
  )
}
