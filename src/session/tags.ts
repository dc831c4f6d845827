import { escapeAttribute } from '../prompt/escape.js'
import type { Skill } from '../skill/types.js'

/** Digits of a digest that a tag carries. */
const DIGITS = 12

const element = /<skill_content [^>]*>[\s\S]*?<\/skill_content>/g

/** The start of an opened skill in a prompt: it stays the same as long as the skill does, and no text of a skill can look like it. */
export function openingTag(skill: Pick<Skill, 'id' | 'name' | 'digest'>): string {
  const digest = skill.digest.slice('sha256:'.length).slice(0, DIGITS)
  return `<skill_content name="${escapeAttribute(skill.name)}" id="${escapeAttribute(skill.id)}" digest="${digest}">`
}

export const CLOSING_TAG = '</skill_content>'

/** Whether a text holds an opened skill, whole and as it is now. */
export function holdsOpened(text: string, skill: Pick<Skill, 'id' | 'name' | 'digest'>): boolean {
  const start = text.indexOf(openingTag(skill))
  return start >= 0 && text.indexOf(CLOSING_TAG, start) >= 0
}

/** A text without the opened skills in it. */
export function withoutOpened(text: string): string {
  return text.includes(CLOSING_TAG) ? text.replace(element, '') : text
}
