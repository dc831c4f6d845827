const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Lone surrogates, and what XML has no character for. */
const unfit = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|[\ufffe\uffff]/g
/** Controls but for tab and line feed; marks that turn the direction of text; the invisible tags of plane 14. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu

/** What a person would not see is shown by its number, `[U+202E]`. Line ends become line feeds. */
export function showHidden(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(unfit, '\ufffd')
    .replace(hidden, one => `[U+${(one.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}]`)
}

/**
 * A text of a skill, fit for an element of a prompt: it cannot end its element, and nothing in it is hidden. Quotes and most `>` stay, as XML
 * lets them: code stays readable, and costs a model no more than it must.
 */
export function escapeText(text: string): string {
  return showHidden(text).replace(/[&<]|(?<=\]\])>/g, one => ENTITIES[one] as string)
}

/** The same on one line, for names and descriptions; who renders it as Markdown gets no link and no image from it. */
export function escapeLine(text: string): string {
  return escapeText(text.trim().replace(/\s+/g, ' ')).replace(/\](?=[(:]|\[(?!U\+))/g, '&#93;')
}

/** The same between the quotes of an attribute. */
export function escapeAttribute(text: string): string {
  return escapeLine(text).replace(/[>"']/g, one => ENTITIES[one] as string)
}
