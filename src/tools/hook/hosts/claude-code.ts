import { join } from 'node:path'
import { claudePlugins, skillsDirRules } from './claude-plugins.js'
import { deniedSkills, skillOverrides } from './claude-rules.js'
import {
  type Host,
  type HostPlace,
  type HostUser,
  hookOutput,
  PROJECT_OFF,
  pathFrom,
  projectRoots,
  type SkillRule,
  systemPath,
  TIMEOUT,
  userRoots,
} from './host.js'
import {
  namesIn,
  partOf,
  readJsonSettings,
  readOrReport,
  readProjectSettings,
  type Settings,
  textsOf,
} from './host-settings.js'

export const claudeCode: Host = {
  title: 'Claude Code',
  contract: 'https://code.claude.com/docs/en/hooks#userpromptsubmit',
  sources: [
    'https://code.claude.com/docs/en/skills',
    'https://code.claude.com/docs/en/settings',
    'https://code.claude.com/docs/en/managed-settings',
    'https://code.claude.com/docs/en/permissions',
    'https://code.claude.com/docs/en/plugins-reference',
    'https://code.claude.com/docs/en/plugin-marketplaces',
  ],
  lookedUp: '2026-11-27',
  settings: user => join(folderOf(user), 'settings.json'),
  keys: ['hooks', 'UserPromptSubmit'],
  windowsShell: 'posix',
  setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
  isGrouped: true,
  answer: hookOutput('UserPromptSubmit'),
  // A skill of the user is used before one of the project with its name.
  roots: place => [
    ...userRoots(place, [join(folderOf(place), 'skills')]),
    ...projectRoots(place, ['.claude/skills']),
  ],
  decisions(place) {
    const problems: string[] = []
    const project = readProject(projectFiles(place), problems)
    const isProjectOff = problems.length > 0
    const managed = managedFiles(place).map(file => scopeOf(readJsonSettings(file)))
    const user = scopeOf(readJsonSettings(claudeCode.settings(place)))
    const scopes = [user, ...project, ...managed]
    const enabled: Settings = Object.assign({}, ...scopes.map(scope => scope.enabledPlugins))
    const plugins = pathFrom(
      place,
      'CLAUDE_CODE_PLUGIN_CACHE_DIR',
      join(folderOf(place), 'plugins'),
    )
    return {
      roots: claudePlugins(place, { folder: plugins, enabled, problems }),
      rules: [
        ...scopes.flatMap(scope => scope.overrides),
        // These cannot be taken back by another setting.
        ...scopes.flatMap(scope => scope.denied),
        ...skillsDirRules(claudeCode.roots(place), enabled),
        ...(scopes.some(scope => scope.isSyncOff) ? [syncedOff(place)] : []),
        ...(managed.some(scope => scope.hasPluginsOnly) ? [USER_OFF, PROJECT_OFF] : []),
        ...(isProjectOff ? [PROJECT_OFF] : []),
      ],
      problems,
    }
  },
}

/** Folders in which administrators write settings, by the platform. */
const MANAGED: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  linux: '/etc/claude-code',
  win32: 'C:\\Program Files\\ClaudeCode',
}

const USER_OFF: SkillRule = { owner: 'user', isOffered: false }

function folderOf(user: HostUser): string {
  return pathFrom(user, 'CLAUDE_CONFIG_DIR', join(user.home, '.claude'))
}

/** What a file of settings says. */
interface Scope {
  /** By the id of a plugin. */
  enabledPlugins: Settings
  overrides: readonly SkillRule[]
  denied: readonly SkillRule[]
  /** Whether skills of the account are hidden. */
  isSyncOff: boolean
  /** Whether skills come from plugins alone. For administrators. */
  hasPluginsOnly: boolean
}

/** @throws if a part has another form */
function scopeOf(settings: Settings): Scope {
  const locked = settings['strictPluginOnlyCustomization']
  return {
    enabledPlugins: partOf(settings, 'enabledPlugins'),
    overrides: skillOverrides(partOf(settings, 'skillOverrides')),
    denied: deniedSkills(textsOf(partOf(settings, 'permissions')['deny'])),
    isSyncOff: settings['syncClaudeAiSkills'] === false,
    hasPluginsOnly: locked === true || textsOf(locked).includes('skills'),
  }
}

/** Settings of a project. Those that cannot be read are left out: each is a problem. */
function readProject(files: readonly string[], problems: string[]): Scope[] {
  return files.flatMap(file =>
    readOrReport(problems, () => [scopeOf(readProjectSettings(file))], []),
  )
}

/**
 * The settings of a project, the strongest last. Those that are not committed are at the top of the repository, or in the current folder,
 * where older versions write them; a worktree has those of its main checkout too.
 */
function projectFiles({ cwd, folders, mainCheckout }: HostPlace): string[] {
  // Claude Code can be started in the home folder too.
  const inner = folders.length > 0 ? folders : [cwd]
  const local = mainCheckout === undefined ? inner : [mainCheckout, ...inner]
  return [
    ...[...inner].reverse().map(folder => join(folder, '.claude/settings.json')),
    ...local.map(folder => join(folder, '.claude/settings.local.json')),
  ]
}

function managedFiles(place: HostPlace): string[] {
  const managed = MANAGED[process.platform]
  if (managed === undefined) return []
  const folder = systemPath(place, managed)
  const parts = join(folder, 'managed-settings.d')
  const names = namesIn(parts).filter(name => name.endsWith('.json') && !name.startsWith('.'))
  return [join(folder, 'managed-settings.json'), ...names.map(name => join(parts, name))]
}

/** Skills of the account of the user lie in their own folder. */
function syncedOff(place: HostPlace): SkillRule {
  return { folder: join(folderOf(place), 'skills/synced'), isOffered: false }
}
