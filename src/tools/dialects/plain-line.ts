import { escapeText } from '../../prompt/escape.js'

const CHARACTERS: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/**
 * A text of a skill on one line of a document that is not XML: it starts no line of its own, and what a person would not see is shown by
 * its number. Marks of Markdown inside the line stay.
 */
export function plainLine(text: string): string {
  return escapeText(text.trim().replace(/\s+/g, ' ')).replace(
    /&(?:amp|lt|gt|quot|#39);/g,
    entity => CHARACTERS[entity] as string,
  )
}

/** The same where it is the whole line of a Markdown document: it is no heading, list, quote, fence or mark-up either. */
export function plainParagraph(text: string): string {
  return plainLine(text).replace(/^(?:(?=[#>*+=_~`|<-])|\d+(?=[.)]))/, start => `${start}\\`)
}
