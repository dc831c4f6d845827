import { dirname, join } from 'node:path'
import { errorMessage } from '../../../core/errors.js'
import { isInside } from '../../../source/directory/watch.js'
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
  namesIn,
  partOf,
  readJsonSettings,
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
    'https://github.com/google-gemini/gemini-cli/blob/main/packages/cli/src/config/extensions/extensionEnablement.ts',
  ],
  lookedUp: '2026-11-27',
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
    const user = readJsonSettings(geminiCli.settings(place))
    const isTrusted = isPlaceTrusted(place, user)
    const problems: string[] = []
    const settings = isTrusted ? [user, ...projectSettings(place, problems)] : [user]
    return {
      plugins: extensionsOf(place, problems),
      rules: [
        ...settings.flatMap(rulesOf),
        ...(isTrusted && problems.length === 0 ? [] : [PROJECT_OFF]),
      ],
      problems,
    }
  },
}

const PROJECT_OFF: SkillRule = { owner: 'project', isOffered: false }

function homeOf({ home, env }: HostUser): string {
  return env['GEMINI_CLI_HOME'] || home
}

function folderOf(user: HostUser): string {
  return join(homeOf(user), '.gemini')
}

function projectSettings({ folders }: HostPlace, problems: string[]): Settings[] {
  return folders.flatMap(folder => {
    try {
      return [readJsonSettings(join(folder, '.gemini/settings.json'))]
    } catch (error) {
      problems.push(errorMessage(error))
      return []
    }
  })
}

function rulesOf(settings: Settings): SkillRule[] {
  const isOff =
    partOf(settings, 'skills')['enabled'] === false ||
    partOf(settings, 'admin', 'skills')['enabled'] === false
  const names = textsOf(partOf(settings, 'skills')['disabled'])
  return [
    ...(isOff ? [{ isOffered: false }] : []),
    ...names.map(name => ({ name, isOffered: false })),
  ]
}

/**
 * Whether the folder of a prompt is trusted: the rule with the longest path decides. A folder without a rule was not asked about, which
 * happens only where Gemini CLI trusts every folder, so its skills are offered unless the settings demand trust.
 */
function isPlaceTrusted(place: HostPlace, settings: Settings): boolean {
  const demanded = partOf(settings, 'security', 'folderTrust')['enabled']
  if (demanded === false) return true
  const file =
    place.env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(folderOf(place), 'trustedFolders.json')
  const here = realPathOf(place.cwd)
  let longest = ''
  let isTrusted = demanded !== true
  for (const [path, level] of Object.entries(readJsonSettings(file))) {
    const area = realPathOf(level === 'TRUST_PARENT' ? dirname(path) : path)
    if ((here !== area && !isInside(here, area)) || path.length < longest.length) continue
    longest = path
    isTrusted = level === 'TRUST_FOLDER' || level === 'TRUST_PARENT'
  }
  return isTrusted
}

/** The extensions that are not disabled for the folder of a prompt. */
function extensionsOf(place: HostPlace, problems: string[]): SkillRoot[] {
  const folder = join(folderOf(place), 'extensions')
  const enablement = readJsonSettings(join(folder, 'extension-enablement.json'))
  return namesIn(folder).flatMap(entry => {
    try {
      const of = join(folder, entry)
      const { name = entry } = readJsonSettings(join(of, 'gemini-extension.json'))
      const overrides = textsOf(partOf(enablement, String(name))['overrides'])
      if (!isEnabled(overrides, place.cwd)) return []
      // Its skills have no prefix.
      return [{ path: join(of, 'skills'), owner: 'plugin', of, isSkill: true } as const]
    } catch (error) {
      problems.push(errorMessage(error))
      return []
    }
  })
}

/** Rules name folders. `!` disables, a `*` at the end includes what is below, and the last that fits decides. */
function isEnabled(overrides: readonly string[], cwd: string): boolean {
  const here = withSlashes(cwd)
  let isOn = true
  for (const override of overrides) {
    const isDisabled = override.startsWith('!')
    const rule = isDisabled ? override.slice(1) : override
    const fits = rule.endsWith('*')
      ? here.startsWith(withSlashes(rule.slice(0, -1)))
      : here === withSlashes(rule)
    if (fits) isOn = !isDisabled
  }
  return isOn
}

function withSlashes(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/\/*$/, '/')
  return slashed.startsWith('/') ? slashed : `/${slashed}`
}
