import { escapeAttribute, escapeLine } from '../../core/sanitize.js'
import type { Skill } from '../../skill/skill.js'

const DIGEST_DIGITS = 12
/** Files that a list of a skill names. */
export const LISTED_FILES = 60
export const CLOSING_TAG = '</skill_content>'
const OPENING = '<skill_content '

type SkillVersion = Pick<Skill, 'id' | 'name' | 'digest'>

/** An open skill, and the tool result with its instructions: `''` in dialects that put them into the system prompt. */
export interface SkillContent {
  skill: SkillVersion
  toolResult: string
}

/** The opening tag of an open skill, which names it and its version. Escaped skill texts cannot contain it. */
export function openingTag(skill: SkillVersion): string {
  const digest = skill.digest.slice('sha256:'.length).slice(0, DIGEST_DIGITS)
  return `<skill_content name="${escapeAttribute(skill.name)}" id="${escapeAttribute(skill.id)}" digest="${digest}">`
}

/**
 * Names the first files of a skill, scripts before others, and says how many more there are. An empty list without files.
 * @param how How the model finds the others.
 */
export function resourceLines(files: Skill['files'], limit: number, how = ''): string[] {
  if (files.length === 0) return []
  const isScript = ({ kind }: Skill['files'][number]): boolean => kind === 'script'
  const listed = [...files.filter(isScript), ...files.filter(file => !isScript(file))].slice(
    0,
    limit,
  )
  const more = files.length - listed.length
  return [
    '<skill_resources>',
    ...listed.map(({ path }) => `<file>${escapeLine(path)}</file>`),
    ...(more === 0
      ? []
      : [
          `<more>${more} ${listed.length === 0 ? '' : 'more '}file${more === 1 ? '' : 's'}${how}</more>`,
        ]),
    '</skill_resources>',
  ]
}

/**
 * Cuts a list of files that a dialect adds to a skill, and says how many more there are.
 * @param tool Name of the tool that lists a folder.
 */
export function listFiles<File>(
  files: readonly File[],
  line: (file: File) => string,
  tool: string,
): string[] {
  const more = files.length - LISTED_FILES
  return [
    ...files.slice(0, LISTED_FILES).map(line),
    ...(more > 0 ? [`… and ${more} more: ${tool} with the path of a folder lists it`] : []),
  ]
}

/** Whether a text contains the complete content of this version of a skill. */
export function containsSkill(text: string, skill: SkillVersion): boolean {
  const tag = openingTag(skill)
  return elementsOf(text).some(({ start }) => text.startsWith(tag, start))
}

/** Replaces the contents of these skills, in this version, by `replacement`. */
export function withoutSkills(
  text: string,
  contents: readonly SkillContent[],
  replacement = '',
): string {
  const tags = contents.map(({ skill }) => openingTag(skill))
  let rest = ''
  let kept = 0
  for (const { start, end } of elementsOf(text)) {
    if (!tags.some(tag => text.startsWith(tag, start))) continue
    rest += text.slice(kept, start) + replacement
    kept = end
  }
  rest += text.slice(kept)
  for (const { toolResult } of contents) {
    if (toolResult !== '') rest = rest.replaceAll(toolResult, () => replacement)
  }
  return rest
}

/** The whole elements of a text. Without a regular expression, which would take quadratic time over unclosed tags. */
function elementsOf(text: string): { start: number; end: number }[] {
  const elements: { start: number; end: number }[] = []
  let start = text.indexOf(OPENING)
  let close = -1
  while (start >= 0) {
    const next = text.indexOf(OPENING, start + 1)
    // The closing tag has a `>` of its own, so it cannot end the opening tag.
    if (close < start) close = text.indexOf(CLOSING_TAG, start)
    if (close < 0) break
    if (next < 0 || close < next) {
      const tagEnd = text.indexOf('>', start)
      if (tagEnd < close) elements.push({ start, end: close + CLOSING_TAG.length })
    }
    start = next
  }
  return elements
}
