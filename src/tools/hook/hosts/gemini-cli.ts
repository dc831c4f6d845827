import { dirname, join } from 'node:path'
import { isInside } from '../../../source/directory/watch.js'
import { allowedIn, extensionsOf } from './gemini-extensions.js'
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
  partOf,
  readJsonSettings,
  readOrReport,
  readProjectSettings,
  realPathOf,
  type Settings,
  textsOf,
} from './host-settings.js'

/** Folders of skills, where they are in a project and in the home folder. */
const FOLDERS = ['.agents/skills', '.gemini/skills']

export const geminiCli: Host = {
  title: 'Gemini CLI',
  contract: 'https://geminicli.com/docs/hooks/reference/',
  sources: [
    'https://geminicli.com/docs/cli/skills/',
    'https://geminicli.com/docs/cli/trusted-folders/',
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/skills/skillLoader.ts',
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/utils/trust.ts',
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/config/settings.ts',
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/config/extensions/extensionEnablement.ts',
  ],
  lookedUp: '2026-11-27',
  readsOneFolder: true,
  settings: user => join(folderOf(user), 'settings.json'),
  keys: ['hooks', 'BeforeAgent'],
  windowsShell: 'powershell',
  setting: command => ({ name: 'skillshelf', type: 'command', command, timeout: TIMEOUT * 1_000 }),
  isGrouped: true,
  answer: hookOutput('BeforeAgent'),
  // It reads a SKILL.md in the folder of skills too.
  roots: place =>
    [
      ...projectRoots(place, FOLDERS),
      ...userRoots(
        place,
        FOLDERS.map(path => join(homeOf(place), path)),
      ),
    ].map(root => ({ ...root, isSkill: true })),
  decisions(place) {
    const system = systemFile(place)
    const defaults = pathFrom(
      place,
      'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
      join(dirname(system), 'system-defaults.json'),
    )
    const [weakest, user, strongest] = [defaults, geminiCli.settings(place), system].map(
      readJsonSettings,
    ) as [Settings, Settings, Settings]
    const isTrusted = isPlaceTrusted(place, [weakest, user, strongest])
    const problems: string[] = []
    const project = isTrusted ? readProject(place, problems) : {}
    const settings = [weakest, user, project, strongest]
    const folder = join(folderOf(place), 'extensions')
    return {
      // S6: patterns of a project are not run. In doubt, no extension is allowed.
      roots:
        allowedIn(project).length > 0 ? [] : extensionsOf(place, { folder, settings, problems }),
      rules: [...rulesOf(settings), ...(isTrusted && problems.length === 0 ? [] : [PROJECT_OFF])],
      problems,
    }
  },
}

/** Settings of administrators, by the platform. */
const SYSTEM: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: '/Library/Application Support/GeminiCli/settings.json',
  win32: 'C:\\ProgramData\\gemini-cli\\settings.json',
}

function homeOf(user: HostUser): string {
  return pathFrom(user, 'GEMINI_CLI_HOME', user.home)
}

function folderOf(user: HostUser): string {
  return join(homeOf(user), '.gemini')
}

function systemFile(place: HostPlace): string {
  const file = SYSTEM[process.platform] ?? '/etc/gemini-cli/settings.json'
  return pathFrom(place, 'GEMINI_CLI_SYSTEM_SETTINGS_PATH', systemPath(place, file))
}

/** The settings of the project. None if they cannot be read, which is a problem. */
function readProject({ folders: [folder] }: HostPlace, problems: string[]): Settings {
  if (folder === undefined) return {}
  const read = (): Settings => {
    const settings = readProjectSettings(join(folder, '.gemini/settings.json'))
    rulesOf([settings])
    return settings
  }
  return readOrReport(problems, read, {})
}

/** The names of all settings are off. Of a switch, the last setting decides, but what an administrator switched off stays so. */
function rulesOf(settings: readonly Settings[]): SkillRule[] {
  const isOn = lastOf(settings, ['skills', 'enabled'])
  const isOff = settings.some(one => partOf(one, 'admin', 'skills')['enabled'] === false)
  const names = settings.flatMap(one => textsOf(partOf(one, 'skills')['disabled']))
  return [
    ...(isOn === false || isOff ? [{ isOffered: false }] : []),
    ...names.map(name => ({ name, isOffered: false })),
  ]
}

/** The last value of a setting. */
function lastOf(settings: readonly Settings[], [key, ...keys]: [string, string]): unknown {
  const [last = ''] = keys
  return settings.map(one => partOf(one, key)[last]).findLast(value => value !== undefined)
}

/**
 * Whether the folder of a prompt is trusted: the nearest rule decides. A folder without a rule was not asked about, which happens only where
 * Gemini CLI trusts every folder, so its skills are offered unless the settings demand trust.
 */
function isPlaceTrusted(place: HostPlace, settings: readonly Settings[]): boolean {
  const forced = place.env['GEMINI_CLI_TRUST_WORKSPACE']
  if (forced === 'true' || forced === 'false') return forced === 'true'
  const demanded = settings
    .map(one => partOf(one, 'security', 'folderTrust')['enabled'])
    .findLast(value => value !== undefined)
  if (demanded === false) return true
  const file = pathFrom(
    place,
    'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
    join(folderOf(place), 'trustedFolders.json'),
  )
  const here = realPathOf(place.cwd)
  let nearest = ''
  let isTrusted = demanded !== true
  for (const [path, level] of Object.entries(readJsonSettings(file))) {
    const area = realPathOf(level === 'TRUST_PARENT' ? dirname(path) : path)
    if (!isInside(here, area) || area.length < nearest.length) continue
    const allows = level === 'TRUST_FOLDER' || level === 'TRUST_PARENT'
    // Of two rules for a folder, the one that does not trust it decides.
    isTrusted = allows && (isTrusted || area !== nearest)
    nearest = area
  }
  return isTrusted
}
