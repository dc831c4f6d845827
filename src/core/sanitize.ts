// Skills are untrusted text. Everything that shows one goes through this file: prompts, tool results, terminals and pages.

/** Lone surrogates and noncharacters, which UTF-8 and XML cannot hold. */
const INVALID = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g
/** Controls except tab and line feed, bidirectional marks, line separators, and the invisible tag characters of plane 14. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Replaces hidden characters by their code points, such as `[U+202E]`, and normalizes line endings to line feeds. */
export function showHidden(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVALID, '\ufffd')
    .replace(HIDDEN, one => `[U+${(one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/**
 * Removes hidden characters, including terminal escape codes, and normalizes line endings to line feeds.
 * @param replacement Put in place of each hidden character. Default `''`.
 */
export function stripHidden(text: string, replacement = ''): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(HIDDEN, replacement)
}

/** Folds a text to one line and shows its hidden characters. Markdown inside the line is kept. */
export function plainLine(text: string): string {
  return showHidden(text.trim().replace(/\s+/g, ' '))
}

/** As `plainLine`, for a line of its own in Markdown: it cannot start a heading, list, quote, fence or HTML block. */
export function markdownLine(text: string): string {
  return plainLine(text).replace(/^(?:(?=[#>*+=_~`|<-])|\d+(?=[.)]))/, start => `${start}\\`)
}

/**
 * Escapes a text for the content of an XML element, so that it can neither close the element nor hide anything.
 * Quotes and most `>` are kept: XML allows them, and code stays readable and cheap in tokens.
 *
 * @param text Untrusted text, such as the instructions of a skill.
 * @returns The escaped text, with hidden characters shown as `[U+202E]`.
 * @example
 * ```ts
 * escapeText('if (a < b)') // 'if (a &lt; b)'
 * ```
 */
export function escapeText(text: string): string {
  return showHidden(text).replace(/[&<]|(?<=\]\])>/g, one => ENTITIES[one] as string)
}

/** Escapes a name or description for one line of a prompt. Markdown renderers find no link or image in it. */
export function escapeLine(text: string): string {
  return escapeText(plainLine(text)).replace(/\](?=[(:]|\[(?!U\+))/g, '&#93;')
}

/**
 * Escapes a text for a quoted XML attribute.
 *
 * @param text Untrusted text, such as the name of a skill.
 * @returns The escaped text on one line.
 * @example
 * ```ts
 * `<skill name="${escapeAttribute(skill.name)}">`
 * ```
 */
export function escapeAttribute(text: string): string {
  return escapeLine(text).replace(/[>"']/g, one => ENTITIES[one] as string)
}

/** Serializes a value as one line of JSON, with every invisible character as a `\u` escape. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, one =>
    one
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
