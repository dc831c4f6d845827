import type { Diagnostic } from './diagnostics.js'
import type { SkillMetadata } from './skill.js'

/** Longest description that the specification allows, in characters. */
const MAX_DESCRIPTION = 1_024
/** A value without it, such as the > of a quoted block scalar, says nothing. */
const HAS_WORD = /[\p{L}\p{N}]/u

/** Adds a missing name and description from the folder and the body if `infer`, else `''`, and reports what is missing. */
export function inferMissing(
  read: Partial<SkillMetadata>,
  { body, folder, infer }: { body: string; folder: string | undefined; infer: boolean },
): { metadata: SkillMetadata; diagnostics: Diagnostic[] } {
  const inferred: ('name' | 'description')[] = []
  const diagnostics: Diagnostic[] = []
  const field = (key: 'name' | 'description', inferValue: () => string | undefined): string => {
    const given = read[key]?.trim()
    if (given && HAS_WORD.test(given)) return given
    const value = (infer && inferValue()?.trim()) || ''
    if (value) inferred.push(key)
    diagnostics.push({
      code: value ? `${key}-inferred` : `${key}-missing`,
      severity: value ? 'warning' : 'error',
      message: `The skill has no ${key}${given ? `, only ${JSON.stringify(given.slice(0, 60))}` : ''}${value && `; ${JSON.stringify(value.slice(0, 60))} is used instead`}`,
      line: 1,
      hint: `add ${key}: to the frontmatter`,
    })
    return value
  }
  const name = field('name', () => folder || firstHeading(body))
  const description = field('description', () => firstParagraph(body) ?? firstHeading(body))
  return {
    metadata: { ...read, name, description, ...(inferred.length > 0 ? { inferred } : {}) },
    diagnostics,
  }
}

/** The first heading of a Markdown text, as plain text. */
export function firstHeading(body: string): string | undefined {
  for (const line of proseLines(body)) {
    const match = /^#{1,6}[ \t]+(.+?)[ \t#]*$/.exec(line.slice(0, MAX_DESCRIPTION))
    if (match?.[1]) return plain(match[1])
  }
  return undefined
}

/** The first paragraph of a Markdown text, as plain text, or else its first list item or quote. */
export function firstParagraph(body: string): string | undefined {
  const paragraph: string[] = []
  for (const line of proseLines(body)) {
    const text = line.trim()
    const prose =
      text !== '' && !/^(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>|\||<|!\[|\[!|={3,}|[-*_]{3,}$)/.test(text)
    if (prose) paragraph.push(text)
    else if (paragraph.length > 0) break
  }
  const text =
    plain(paragraph.join(' ')) ||
    plain(
      proseLines(body)
        .map(line => line.trim().replace(/^(?:[-*+>]|\d+[.)])\s+/, ''))
        .find(line => /\p{L}/u.test(line) && !/^[#<|!=]/.test(line)) ?? '',
    )
  return text === '' ? undefined : text.slice(0, MAX_DESCRIPTION).replace(/[\uD800-\uDBFF]$/, '')
}

/** The lines outside code blocks and comments, of the first 20,000 characters. */
function proseLines(body: string): string[] {
  let inCode = false
  return withoutComments(body.slice(0, 20_000))
    .split(/\r\n?|\n/)
    .filter(line => {
      if (/^\s*(?:```|~~~)/.test(line)) {
        inCode = !inCode
        return false
      }
      return !inCode
    })
}

function withoutComments(text: string): string {
  let kept = ''
  let at = 0
  for (;;) {
    const open = text.indexOf('<!--', at)
    const close = open < 0 ? -1 : text.indexOf('-->', open + 4)
    if (close < 0) return kept + text.slice(at)
    kept += text.slice(at, open)
    at = close + 3
  }
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)/g, '$1')
    .replace(/(\*\*|__|`)(.+?)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()
}
