import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isRecord } from '../../../core/plain-data.js'
import { newest } from './codex-versions.js'
import {
  type Host,
  type HostPlace,
  type HostUser,
  hookOutput,
  PROJECT_OFF,
  pathFrom,
  projectRoots,
  type SkillRoot,
  type SkillRule,
  systemPath,
  TIMEOUT,
  userRoots,
} from './host.js'
import {
  expandHome,
  foldersIn,
  isSamePath,
  partOf,
  pluginRoots,
  readJsonSettings,
  readOrReport,
  readTomlSettings,
  type Settings,
  textsOf,
} from './host-settings.js'

export const codex: Host = {
  title: 'Codex',
  contract: 'https://developers.openai.com/codex/hooks',
  sources: [
    'https://developers.openai.com/codex/skills',
    'https://developers.openai.com/codex/config-reference',
    'https://github.com/openai/codex/blob/main/codex-rs/core-skills/src/loader.rs',
    'https://github.com/openai/codex/blob/main/codex-rs/core-skills/src/config_rules.rs',
    'https://github.com/openai/codex/blob/main/codex-rs/core-plugins/src/store.rs',
  ],
  lookedUp: '2026-11-27',
  settings: user => join(folderOf(user), 'hooks.json'),
  keys: ['hooks', 'UserPromptSubmit'],
  windowsShell: 'cmd',
  setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
  isGrouped: true,
  answer: hookOutput('UserPromptSubmit'),
  roots: place =>
    [
      ...projectRoots(place, ['.agents/skills', '.codex/skills']),
      ...userRoots(place, [
        join(place.home, '.agents/skills'),
        join(folderOf(place), 'skills'),
        bundledFolder(place),
        ...(process.platform === 'win32' ? [] : [systemPath(place, '/etc/codex/skills')]),
      ]),
    ].map(withPolicy),
  decisions(place) {
    const config = readTomlSettings(join(folderOf(place), 'config.toml'))
    const problems: string[] = []
    const hasPlugins = partOf(config, 'features')['plugins'] !== false
    const hasBundled = partOf(config, 'skills', 'bundled')['enabled'] !== false
    return {
      roots: hasPlugins ? pluginsOf(place, config, problems).map(withPolicy) : [],
      rules: [
        ...skillRules(place, config),
        ...(hasBundled ? [] : [{ folder: bundledFolder(place), isOffered: false }]),
        ...trustRules(place, config),
      ],
      problems,
    }
  },
}

/** A version of a plugin that is used before all others. */
const LOCAL_VERSION = 'local'
const VERSION = /^[\w.+-]*[\w+-][\w.+-]*$/
/** The first of these is read. */
const MANIFESTS = ['.codex-plugin/plugin.json', '.claude-plugin/plugin.json']

function folderOf(user: HostUser): string {
  return pathFrom(user, 'CODEX_HOME', join(user.home, '.codex'))
}

/** The folder of skills that come with Codex. */
function bundledFolder(place: HostPlace): string {
  return join(folderOf(place), 'skills/.system')
}

function withPolicy(root: SkillRoot): SkillRoot {
  return { ...root, policyFile: 'agents/openai.yaml' }
}

/** `[projects."/path"] trust_level = "untrusted"`: skills of that project are not loaded. A worktree is trusted as its main checkout is. */
function trustRules({ folders, cwd, mainCheckout }: HostPlace, config: Settings): SkillRule[] {
  const places = [cwd, ...folders, ...(mainCheckout === undefined ? [] : [mainCheckout])]
  const isUntrusted = Object.entries(partOf(config, 'projects')).some(
    ([path, project]) =>
      isRecord(project) &&
      project['trust_level'] === 'untrusted' &&
      places.some(folder => isSamePath(folder, path)),
  )
  return isUntrusted ? [PROJECT_OFF] : []
}

/** `[[skills.config]]` has a path or a name, and `enabled`. A relative path starts at the folder of the settings. */
function skillRules(place: HostPlace, config: Settings): SkillRule[] {
  const entries = [partOf(config, 'skills')['config']].flat().filter(isRecord)
  return entries.flatMap((entry): SkillRule[] => {
    const isOffered = entry['enabled'] === true
    const [path] = textsOf(entry['path'])
    const [name] = textsOf(entry['name'])
    // Codex ignores a rule with both.
    if (path !== undefined && name !== undefined && isOffered) return []
    if (path !== undefined) {
      return [{ path: resolve(folderOf(place), expandHome(path, place.home)), isOffered }]
    }
    return name === undefined ? [] : [{ name: name.trim(), isOffered }]
  })
}

/** `[plugins."name@market"]`: the plugins that are not disabled, in the version that Codex uses. */
function pluginsOf(place: HostPlace, config: Settings, problems: string[]): SkillRoot[] {
  return Object.entries(partOf(config, 'plugins')).flatMap(([id, plugin]) => {
    const [, name, market] = /^([^@/\\]+)@([^@/\\]+)$/.exec(id) ?? []
    if (name === undefined || market === undefined) return []
    if (!isRecord(plugin) || (plugin['enabled'] ?? true) !== true) return []
    const versions = join(folderOf(place), 'plugins/cache', market, name)
    const names = foldersIn(versions).filter(one => VERSION.test(one))
    const version = names.includes(LOCAL_VERSION) ? LOCAL_VERSION : newest(names)
    if (version === undefined) return []
    const of = join(versions, version)
    const read = (): SkillRoot[] =>
      pluginRoots({ of, name, paths: ['skills', ...textsOf(manifestOf(of)['skills'])] })
    return readOrReport(problems, read, [])
  })
}

function manifestOf(folder: string): Settings {
  const file = MANIFESTS.map(path => join(folder, path)).find(path => existsSync(path))
  return file === undefined ? {} : readJsonSettings(file)
}
