/** The rules on skills in settings of Claude Code. */
import type { SkillRule } from './host.js'
import type { Settings } from './host-settings.js'

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
const RULE = /^\s*([\w*]+)\s*(?:\((.*)\))?\s*$/s
const TOOL = 'skill'
/** The end of a rule for any arguments. */
const ANY_ARGUMENTS = /(?:\s+|:)\*$/

/**
 * `permissions.deny`: `Skill` forbids all skills, `Skill(name)` one, `Skill(name *)` one with any arguments. `Skill(name:*)` is the same, or
 * all skills of a plugin. `Skill(skill:name)` names the parameter of the tool.
 */
export function deniedSkills(rules: readonly string[]): SkillRule[] {
  return rules.flatMap((rule): SkillRule[] => {
    const [isRule, tool = '', content = ''] = RULE.exec(rule) ?? []
    if (isRule === undefined || !fitsTool(tool.toLowerCase())) return []
    const text = content.trim().replace(/^(["'])(.*)\1$/s, '$2')
    const name = text.replace(ANY_ARGUMENTS, '').trim().replace(/^\//, '')
    const names = [name === '' ? '*' : name]
    if (ANY_ARGUMENTS.test(text)) names.push(`${name}:*`)
    const [, value] = /^skill\s*:\s*(.+)$/i.exec(name) ?? []
    if (value !== undefined) names.push(value)
    return names.map(one => ({ name: one, isOffered: false }))
  })
}

function fitsTool(pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(TOOL)
}
