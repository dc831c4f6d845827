import { showHidden } from '../core/sanitize.js'

/**
 * A text of a skill on one line of a document that is not XML: it starts no line of its own, and what a person would not see is shown by
 * its number. Marks of Markdown inside the line stay.
 */
export function plainLine(text: string): string {
  return showHidden(text.trim().replace(/\s+/g, ' '))
}

/** The same where it is the whole line of a Markdown document: it is no heading, list, quote, fence or mark-up either. */
export function plainParagraph(text: string): string {
  return plainLine(text).replace(/^(?:(?=[#>*+=_~`|<-])|\d+(?=[.)]))/, start => `${start}\\`)
}
