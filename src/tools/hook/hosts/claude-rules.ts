/** The rules on skills in settings of Claude Code. */
import type { SkillRule } from './host.js'
import type { Settings } from './host-settings.js'
import { fitsPattern } from './name-pattern.js'

/**
 * `skillOverrides`: the state of a skill by its name. `name-only` hides the description, but the model may open the skill. Skills of plugins
 * have no state. A name that can only be one of a plugin is off if it says so: somebody does not want it.
 */
export function skillOverrides(overrides: Settings): SkillRule[] {
  return Object.entries(overrides).flatMap(([name, state]): SkillRule[] => {
    const isOffered = state === 'on' || state === 'name-only'
    const isOfPlugin = name.includes(':') && !isOffered
    return [
      { owner: 'user', name, isOffered },
      { owner: 'project', name, isOffered },
      ...(isOfPlugin ? [{ owner: 'plugin', name, isOffered } as const] : []),
    ]
  })
}

/** A rule: the name of a tool, in which `*` stands for any text, and what it may not do. */
const RULE = /^([\w*]+)\s*(?:\((.*)\))?$/s
const TOOL = 'skill'
/** The start of a rule on the parameter of the tool. */
const PARAMETER = /^skill\s*:/i

/**
 * `permissions.deny`: `Skill` forbids all skills, `Skill(name)` one, `Skill(name *)` one with any arguments. `Skill(name:*)` is the same, or
 * all skills of a plugin. `Skill(skill:name)` names the parameter of the tool.
 */
export function deniedSkills(rules: readonly string[]): SkillRule[] {
  return rules.flatMap((rule): SkillRule[] => {
    const [isRule, tool = '', content = ''] = RULE.exec(rule.trim()) ?? []
    if (isRule === undefined || !fitsPattern(tool.toLowerCase(), TOOL)) return []
    const text = content.trim().replace(/^(["'])(.*)\1$/s, '$2')
    const base = withoutArguments(text)
    const name = (base ?? text).trim().replace(/^\//, '')
    const names = [name === '' ? '*' : name]
    if (base !== undefined) names.push(`${name}:*`)
    if (PARAMETER.test(name)) names.push(name.replace(PARAMETER, '').trim())
    return names.map(one => ({ name: one, isOffered: false }))
  })
}

/** The text before ` *` or `:*`, the end of a rule for any arguments. */
function withoutArguments(text: string): string | undefined {
  if (!/[\s:]\*$/.test(text)) return undefined
  const base = text.slice(0, -1)
  return base.endsWith(':') ? base.slice(0, -1) : base
}
