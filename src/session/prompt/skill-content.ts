import { escapeAttribute } from '../../core/sanitize.js'
import type { Skill } from '../../skill/types.js'

/** Digits of a digest that a tag carries. */
const DIGITS = 12

/** Whole: one that was cut does not end with the next one's end. */
const element = /<skill_content [^>]*>(?:(?!<skill_content )[\s\S])*?<\/skill_content>/g

/** The start of an opened skill in a prompt: it stays the same as long as the skill does, and no text of a skill can look like it. */
export function openingTag(skill: Pick<Skill, 'id' | 'name' | 'digest'>): string {
  const digest = skill.digest.slice('sha256:'.length).slice(0, DIGITS)
  return `<skill_content name="${escapeAttribute(skill.name)}" id="${escapeAttribute(skill.id)}" digest="${digest}">`
}

/** A skill, and what a tool gave of it: `''` where it stands in the head of the prompt. */
export interface SkillContent {
  skill: Pick<Skill, 'id' | 'name' | 'digest'>
  said: string
}

export const CLOSING_TAG = '</skill_content>'

/** Whether a text holds an opened skill, whole and as it is now. */
export function containsSkill(text: string, skill: Pick<Skill, 'id' | 'name' | 'digest'>): boolean {
  const tag = openingTag(skill)
  return [...text.matchAll(element)].some(([one]) => one.startsWith(tag))
}

/** A text without what tools gave of these skills, as they are now: each has `instead` in its place. */
export function withoutSkills(text: string, opened: readonly SkillContent[], instead = ''): string {
  const isOne = (found: string): boolean => opened.some(({ skill }) => found.startsWith(openingTag(skill)))
  const bare = text.includes(CLOSING_TAG) ? text.replace(element, one => (isOne(one) ? instead : one)) : text
  return opened.reduce((rest, { said }) => (said === '' ? rest : rest.replaceAll(said, () => instead)), bare)
}
