/** The extensions of Gemini CLI that are installed and not disabled. */
import { isAbsolute, join } from 'node:path'
import type { HostPlace, SkillRoot } from './host.js'
import {
  namesIn,
  partOf,
  readJsonSettings,
  readOrReport,
  realPathOf,
  type Settings,
  textsOf,
} from './host-settings.js'

export interface ExtensionSettings {
  /** The folder with what is installed. */
  folder: string
  /** All settings that apply, the strongest last. */
  settings: readonly Settings[]
  /** Sentences on extensions that are left out are added here. */
  problems: string[]
}

/** Where an extension was installed from. A link leads to the folder of its author. */
const METADATA = '.gemini-extension-install.json'
const FROM_GIT = ['git', 'github-release']

/** The folders of skills of extensions. Their skills have no prefix. */
export function extensionsOf(
  place: HostPlace,
  { folder, settings, problems }: ExtensionSettings,
): SkillRoot[] {
  if (settings.some(one => partOf(one, 'admin', 'extensions')['enabled'] === false)) return []
  const enablement = readJsonSettings(join(folder, 'extension-enablement.json'))
  const allowed = settings.flatMap(allowedIn)
  const isGitBlocked = settings.some(one => partOf(one, 'security')['blockGitExtensions'] === true)
  return namesIn(folder).flatMap((entry): SkillRoot[] => {
    const read = (): SkillRoot[] => {
      const { type, source } = readJsonSettings(join(folder, entry, METADATA))
      const from = typeof source === 'string' ? source : ''
      if (
        allowed.length > 0 &&
        !allowed.some(pattern => new RegExp(pattern).test(realPathOf(from)))
      )
        return []
      if (allowed.length === 0 && isGitBlocked && FROM_GIT.includes(String(type))) return []
      const of = type === 'link' && isAbsolute(from) ? from : join(folder, entry)
      const { name = entry } = readJsonSettings(join(of, 'gemini-extension.json'))
      const overrides = textsOf(partOf(enablement, String(name))['overrides'])
      const places = [place.cwd, realPathOf(place.cwd)]
      if (!places.every(cwd => isEnabled(overrides, cwd))) return []
      return [{ path: join(of, 'skills'), owner: 'plugin', of, isSkill: true }]
    }
    return readOrReport(problems, read, [])
  })
}

/** Patterns of the sources that settings allow. None: all. */
export function allowedIn(settings: Settings): string[] {
  return textsOf(partOf(settings, 'security')['allowedExtensions'])
}

/** Rules name folders. `!` disables, a `*` stands for any text, and the last that fits decides. */
function isEnabled(overrides: readonly string[], cwd: string): boolean {
  const here = withSlashes(cwd)
  let isOn = true
  for (const override of overrides) {
    const isDisabled = override.startsWith('!')
    const rule = isDisabled ? override.slice(1) : override
    // In doubt it is disabled: a rule without a slash at its end fits no folder in Gemini CLI.
    const fits = ruleExpression(rule).test(here) || (isDisabled && withSlashes(rule) === here)
    if (fits) isOn = !isDisabled
  }
  return isOn
}

/** `/a/*` fits `/a/` and what is below. */
function ruleExpression(rule: string): RegExp {
  const escaped = rule.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${escaped.replace(/(\/?)\*/g, '(?:$1.*)?')}$`)
}

function withSlashes(path: string): string {
  const slashed = path.replaceAll('\\', '/').replace(/\/*$/, '/')
  return slashed.startsWith('/') ? slashed : `/${slashed}`
}
