// Skills are untrusted text. Everything that shows one goes through this file: prompts, tool results, terminals and pages.

/** Lone surrogates and noncharacters, which UTF-8 and XML cannot hold. */
const INVALID =
  /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g
/** Controls except tab and line feed, and every character that leaves no mark: joiners, selectors, bidirectional marks, tags, fillers. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/gu

/** Scripts that shape letters by zero-width joiners and non-joiners: Persian, Hindi, Malayalam and others. */
const JOINING = String.raw`\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}`
/** Scripts without spaces, where a zero-width space marks the end of a word. */
const SPACELESS = String.raw`\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`

/** Where a hidden character is part of ordinary text: the character, what comes before it, and what comes after it. */
const LEGITIMATE: readonly (readonly [one: RegExp, before: RegExp, after: RegExp])[] = [
  // Emoji of several parts, such as a family.
  [
    /\u200d/,
    /(?:\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})$/u,
    /^\p{Extended_Pictographic}/u,
  ],
  [/[\u200c\u200d]/, new RegExp(`[${JOINING}]$`, 'u'), /^/],
  [/\u200b/, new RegExp(`[${SPACELESS}]$`, 'u'), new RegExp(`^[${SPACELESS}]`, 'u')],
  // Emoji or text presentation, keycaps, variants of ideographs, and of Mongolian letters.
  [/[\ufe0e\ufe0f]/, /\p{Extended_Pictographic}$/u, /^/],
  [/\ufe0f/, /[#*0-9]$/, /^\u20e3/],
  [/[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u, /\p{Script=Han}$/u, /^/],
  [/[\u180b-\u180f]/, /\p{Script=Mong}$/u, /^/],
  [/\r/, /^/, /^\n/],
]
/** UTF-16 units of the longest text that a rule looks at. */
const NEIGHBOR = 4

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Replaces hidden characters by their code points, such as `[U+202E]`, and normalizes line endings to line feeds. Characters that ordinary
 * text needs stay: joiners in emoji and in scripts that join letters, and the variation selectors of emoji and ideographs. Tag characters
 * never stay: they spell hidden text, even in the flags of regions.
 * @param text Untrusted text that a page or terminal shows, such as the name of a skill or of its files.
 * @returns The text, in which every character leaves a mark.
 * @example
 * ```ts
 * showHidden('photo\u202egnp.exe') // 'photo[U+202E]gnp.exe'
 * ```
 */
export function showHidden(text: string): string {
  return showHiddenKeepingLines(lineFeeds(text))
}

/** Line ends as Python reads them in text files. */
export function lineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** As `showHidden`, but keeps CRLF line endings. */
export function showHiddenKeepingLines(text: string): string {
  return replaceHidden(
    text.replace(INVALID, '\ufffd'),
    one => `[U+${(one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`,
  )
}

/** Removes hidden characters. Those that ordinary text needs stay, as in `showHidden`. */
export function removeHidden(text: string): string {
  return replaceHidden(text.replace(/[\r\u2028\u2029]/g, '\n').replace(INVALID, ''), () => '')
}

function replaceHidden(text: string, replacement: (one: string) => string): string {
  return text.replace(HIDDEN, (one, offset: number) => {
    const before = text.slice(Math.max(0, offset - NEIGHBOR), offset)
    const after = text.slice(offset + one.length, offset + one.length + NEIGHBOR)
    const isLegitimate = LEGITIMATE.some(
      rule => rule[0].test(one) && rule[1].test(before) && rule[2].test(after),
    )
    return isLegitimate ? one : replacement(one)
  })
}

/** Folds a text to one line and shows its hidden characters. Markdown inside the line is kept. */
export function plainLine(text: string): string {
  return showHidden(text.trim().replace(/\s+/g, ' '))
}

/** As `plainLine`, for a name or description in a prompt without elements: it has no tag that a model could obey. */
export function taglessLine(text: string): string {
  return plainLine(text).replace(/<(?=[a-z/!?|])/gi, '&lt;')
}

/** As `plainLine`, for a line of its own in Markdown: it cannot start a heading, list, quote, fence or HTML block. */
export function markdownLine(text: string): string {
  return taglessLine(text).replace(/^(?:(?=[#>*+=_~`|<-])|\d+(?=[.)]))/, start => `${start}\\`)
}

/**
 * Escapes a text for the content of an XML element, so that it can neither close the element nor hide anything.
 * Quotes and most `>` are kept: XML allows them, and code stays readable and cheap in tokens.
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

/** Serializes a value as JSON, with every hidden character as a `\u` escape. @param indent Spaces per level. Default: one line. */
export function visibleJson(value: unknown, indent?: number): string {
  return replaceHidden(JSON.stringify(value, undefined, indent), one =>
    one
      .split('')
      .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Text and files of skills are untrusted: a browser that opens a response directly runs no script and loads nothing. */
export const SANDBOX_POLICY = "sandbox; default-src 'none'"

/** Headers of every response that may hold text or files of skills, errors included. */
export const UNTRUSTED = {
  'content-security-policy': SANDBOX_POLICY,
  'x-content-type-options': 'nosniff',
}
