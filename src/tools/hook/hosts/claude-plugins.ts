/** The plugins of Claude Code that are installed and enabled. */
import { existsSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path'
import { isRecord } from '../../../core/plain-data.js'
import { attempt } from '../attempt.js'
import type { HostPlace, SkillRoot, SkillRule } from './host.js'
import {
  isSamePath,
  namesIn,
  partOf,
  pluginRoots,
  readJsonSettings,
  readOrReport,
  type Settings,
  textsOf,
} from './host-settings.js'

const MANIFEST = '.claude-plugin/plugin.json'
const MARKETPLACE = '.claude-plugin/marketplace.json'
/** The end of the id of a plugin that lies in a folder of skills. */
const SKILLS_DIR = '@skills-dir'

export interface PluginSettings {
  /** The folder with what is installed. */
  folder: string
  /** `enabledPlugins` of all settings. */
  enabled: Settings
  /** Sentences on plugins that are left out are added here. */
  problems: string[]
}

/** The folders of skills of plugins that are installed for a place, and not disabled. */
export function claudePlugins(
  place: HostPlace,
  { folder, enabled, problems }: PluginSettings,
): SkillRoot[] {
  const { plugins } = readJsonSettings(join(folder, 'installed_plugins.json'))
  const entryOf = marketplaceReader(folder)
  return Object.entries(isRecord(plugins) ? plugins : {}).flatMap(([id, installations]) =>
    [installations].flat().flatMap(one => {
      if (!isRecord(one) || !isInstalledFor(place, one) || enabled[id] === false) return []
      const of = one['installPath']
      if (typeof of !== 'string' || !isAbsolute(of)) return []
      const read = (): SkillRoot[] => {
        const manifest = readJsonSettings(join(of, MANIFEST))
        const entry = entryOf(id)
        const isEnabled =
          enabled[id] ?? entry['defaultEnabled'] ?? manifest['defaultEnabled'] ?? true
        return isEnabled === true ? rootsOf(of, id, { manifest, entry }) : []
      }
      return readOrReport(problems, read, [])
    }),
  )
}

function isInstalledFor({ folders, cwd }: HostPlace, { scope, projectPath }: Settings): boolean {
  if (scope !== 'project' && scope !== 'local' && projectPath === undefined) return true
  return (
    typeof projectPath === 'string' &&
    [cwd, ...folders].some(folder => isSamePath(folder, projectPath))
  )
}

function rootsOf(
  of: string,
  id: string,
  { manifest, entry }: { manifest: Settings; entry: Settings },
): SkillRoot[] {
  const name = nameOf(id)
  const named = textsOf(manifest['skills'])
  const listed = textsOf(entry['skills'])
  if (named.length + listed.length === 0 && !existsSync(join(of, 'skills'))) {
    // A plugin without a folder of skills may be a skill itself.
    return [{ path: of, owner: 'plugin', of, prefix: name, isSkill: true, levels: 0 }]
  }
  const common = isListedOnly(of, entry['source'], listed) ? [] : ['skills']
  return pluginRoots({ of, name, paths: [...common, ...named, ...listed] })
}

/** Whether a plugin that shares the folder of its marketplace has only the skills that the marketplace lists for it. */
function isListedOnly(of: string, source: unknown, listed: readonly string[]): boolean {
  const paths = listed.map(plainPath)
  return (
    typeof source === 'string' &&
    plainPath(source) === '.' &&
    paths.some(path => existsSync(join(of, path))) &&
    !paths.includes('skills') &&
    !paths.includes('.')
  )
}

/** A path without `./` and slashes at its end. */
function plainPath(path: string): string {
  return normalize(path).replace(/[\\/]+$/, '') || '.'
}

/** Reads the entries of plugins in their marketplaces. Each marketplace is read once. */
function marketplaceReader(folder: string): (id: string) => Settings {
  const marketplaces = new Map<string, Settings>()
  let known: Settings | undefined
  const read = (market: string): Settings => {
    known ??= readJsonSettings(join(folder, 'known_marketplaces.json'))
    const location = partOf(known, market)['installLocation']
    const at = typeof location === 'string' ? location : join(folder, 'marketplaces', market)
    return isAbsolute(at) ? readJsonSettings(join(at, MARKETPLACE)) : {}
  }
  return id => {
    const market = id.slice(id.lastIndexOf('@') + 1)
    const marketplace = marketplaces.get(market) ?? read(market)
    marketplaces.set(market, marketplace)
    const plugins = marketplace['plugins']
    const entries: unknown[] = Array.isArray(plugins) ? plugins : []
    return entries.filter(isRecord).find(entry => entry['name'] === nameOf(id)) ?? {}
  }
}

function nameOf(id: string): string {
  const at = id.lastIndexOf('@')
  return at > 0 ? id.slice(0, at) : id
}

/** Rules for plugins that lie in folders of skills and are disabled. */
export function skillsDirRules(roots: readonly SkillRoot[], enabled: Settings): SkillRule[] {
  const names = Object.entries(enabled)
    .filter(([id, isEnabled]) => id.endsWith(SKILLS_DIR) && isEnabled !== true)
    .map(([id]) => nameOf(id))
  if (names.length === 0) return []
  return roots.flatMap(({ path }) =>
    namesIn(path)
      .filter(entry => names.includes(entry) || names.includes(manifestName(join(path, entry))))
      .map(entry => ({ folder: join(path, entry), isOffered: false })),
  )
}

function manifestName(folder: string): string {
  return attempt(() => String(readJsonSettings(join(folder, MANIFEST))['name']), '')
}
