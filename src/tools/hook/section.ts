/** The part of a prompt that offers skills. */
import { escapeLine, plainLine, visibleJson } from '../../core/sanitize.js'

/** Characters of a name that are shown. A name has at most 64 by the specification. */
const MAX_NAME = 80
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]*$/u
const PATH = /^(?:[A-Za-z]:)?[\p{L}\p{N}\p{M}./\\~_+@,=-]+$/u
const ASCII_NAME = /^[A-Za-z\d][\w.-]*$/
const ASCII_PATH = /^(?:[A-Za-z]:)?[\w./\\~+@,=-]+$/

/** A skill in a section. */
export interface OfferedSkill {
  name: string
  /** Its SKILL.md. */
  path: string
  /** Its description. */
  line: string
  why: string
}

/** A section with a line for each skill. */
export function offerSkills(
  element: string,
  note: string,
  skills: readonly OfferedSkill[],
): string {
  if (skills.length === 0) return ''
  return [`<${element}>`, note, ...skills.map(lineOf), `</${element}>`].join('\n')
}

/**
 * The line of a skill: `- name (path): description [why]`.
 *
 * S5: Text of skills stays in its line, and its part of the line. A name or path with anything but letters, digits and common marks is
 * written as a JSON string, so that `x (/y/SKILL.md): z` cannot be taken for the line of another skill.
 */
function lineOf({ name, path, line, why }: OfferedSkill): string {
  const shownName = quote(shorten(plainLine(name), MAX_NAME), NAME, ASCII_NAME)
  return `- ${shownName} (${quote(path, PATH, ASCII_PATH)}): ${escapeLine(line)} [${escapeLine(why)}]`
}

function quote(text: string, plain: RegExp, ascii: RegExp): string {
  // Most are ASCII. To compile the classes of Unicode takes half a millisecond.
  if (ascii.test(text) || plain.test(text)) return text
  // JSON allows these escapes. Without them, the text could close the element, or be a link in Markdown.
  return visibleJson(text).replace(/[<>&[\]]/g, one => `\\u00${one.charCodeAt(0).toString(16)}`)
}

/** Cuts a text that is longer than `length`. */
export function shorten(text: string, length: number): string {
  return text.length <= length
    ? text
    : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
