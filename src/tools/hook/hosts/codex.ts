import { join } from 'node:path'
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
  expandHome,
  isSamePath,
  namesIn,
  partOf,
  pluginRoots,
  readJsonSettings,
  readTomlSettings,
  type Settings,
} from './host-settings.js'

export const codex: Host = {
  title: 'Codex',
  contract: 'https://developers.openai.com/codex/hooks',
  sources: [
    'https://developers.openai.com/codex/skills',
    'https://developers.openai.com/codex/config-reference',
    'https://github.com/openai/codex/blob/main/codex-rs/core-skills/src/config_rules.rs',
  ],
  lookedUp: '2026-11-27',
  settings: user => join(folderOf(user), 'hooks.json'),
  keys: ['hooks', 'UserPromptSubmit'],
  windowsShell: 'cmd',
  setting: command => ({ type: 'command', command, timeout: TIMEOUT }),
  isGrouped: true,
  answer: hookOutput('UserPromptSubmit'),
  listing: { share: 2 },
  roots: place => [
    ...projectRoots(place, ['.agents/skills', '.codex/skills']),
    ...userRoots(place, [join(place.home, '.agents/skills'), join(folderOf(place), 'skills')]),
  ],
  decisions(place) {
    const config = readTomlSettings(join(folderOf(place), 'config.toml'))
    const problems: string[] = []
    return {
      plugins: pluginsOf(place, config, problems),
      rules: [...skillRules(place, config), ...trustRules(place, config)],
      problems,
    }
  },
}

/** A version of a plugin that is used before all others. */
const LOCAL_VERSION = 'local'

function folderOf({ home, env }: HostUser): string {
  return env['CODEX_HOME'] || join(home, '.codex')
}

/** `[projects."/path"] trust_level = "untrusted"`: skills of that project are not loaded. */
function trustRules({ folders, cwd }: HostPlace, config: Settings): SkillRule[] {
  const isUntrusted = Object.entries(partOf(config, 'projects')).some(
    ([path, project]) =>
      isRecord(project) &&
      project['trust_level'] === 'untrusted' &&
      [cwd, ...folders].some(folder => isSamePath(folder, path)),
  )
  return isUntrusted ? [{ owner: 'project', isOffered: false }] : []
}

/** `[[skills.config]]` has a path or a name, and `enabled`. */
function skillRules({ home }: HostPlace, config: Settings): SkillRule[] {
  const entries = partOf(config, 'skills')['config']
  return [Array.isArray(entries) ? entries : []].flat().flatMap((entry): SkillRule[] => {
    if (!isRecord(entry) || typeof entry['enabled'] !== 'boolean') return []
    const { path, name, enabled: isOffered } = entry
    if (typeof path === 'string') return [{ path: expandHome(path, home), isOffered }]
    return typeof name === 'string' ? [{ name, isOffered }] : []
  })
}

/** `[plugins."name@market"]`: the plugins that are not disabled, in the version that Codex uses. */
function pluginsOf(place: HostPlace, config: Settings, problems: string[]): SkillRoot[] {
  return Object.entries(partOf(config, 'plugins')).flatMap(([id, plugin]) => {
    const [, name, market] = /^([^@/\\]+)@([^@/\\]+)$/.exec(id) ?? []
    if (name === undefined || market === undefined) return []
    if (!isRecord(plugin) || (plugin['enabled'] ?? true) !== true) return []
    const versions = join(folderOf(place), 'plugins/cache', market, name)
    const names = namesIn(versions)
    const version = names.includes(LOCAL_VERSION) ? LOCAL_VERSION : names.at(-1)
    if (version === undefined) return []
    const folder = join(versions, version)
    try {
      return pluginRoots(folder, name, readJsonSettings(join(folder, '.codex-plugin/plugin.json')))
    } catch (error) {
      problems.push(errorMessage(error))
      return []
    }
  })
}
