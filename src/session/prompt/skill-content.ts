import { escapeAttribute } from '../../core/sanitize.js'
import type { Skill } from '../../skill/types.js'

const DIGEST_DIGITS = 12
export const CLOSING_TAG = '</skill_content>'
/** A whole element. An element without its end does not extend into the next one. */
const ELEMENT = /<skill_content [^>]*>(?:(?!<skill_content )[\s\S])*?<\/skill_content>/g

type SkillVersion = Pick<Skill, 'id' | 'name' | 'digest'>

/** An open skill, and the tool result with its instructions: `''` in dialects that put them into the system prompt. */
export interface SkillContent {
  skill: SkillVersion
  toolResult: string
}

/**
 * Returns the opening tag of an open skill. It identifies the skill and its version in a conversation. Skill texts are
 * escaped, so they cannot contain it.
 */
export function openingTag(skill: SkillVersion): string {
  const digest = skill.digest.slice('sha256:'.length).slice(0, DIGEST_DIGITS)
  return `<skill_content name="${escapeAttribute(skill.name)}" id="${escapeAttribute(skill.id)}" digest="${digest}">`
}

/** Whether a text contains the complete content of this version of a skill. */
export function containsSkill(text: string, skill: SkillVersion): boolean {
  const tag = openingTag(skill)
  return [...text.matchAll(ELEMENT)].some(([element]) => element.startsWith(tag))
}

/** Replaces the contents of these skills, in this version, by `replacement`. */
export function withoutSkills(text: string, contents: readonly SkillContent[], replacement = ''): string {
  const isOneOf = (element: string): boolean => contents.some(({ skill }) => element.startsWith(openingTag(skill)))
  const withoutElements = text.includes(CLOSING_TAG)
    ? text.replace(ELEMENT, element => (isOneOf(element) ? replacement : element))
    : text
  return contents.reduce(
    (rest, { toolResult }) => (toolResult === '' ? rest : rest.replaceAll(toolResult, () => replacement)),
    withoutElements,
  )
}
