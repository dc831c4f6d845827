/** Characters (UTF-16 units) of a published description, at most. */
export const MOST_DESCRIPTION = 1_024
/** How far back a blank is looked for before a word is cut. */
const BACK = 64

/** A description that fits, with an ellipsis where it was cut: between words, or where there are none between characters. */
export function shorten(description: string): string {
  if (description.length <= MOST_DESCRIPTION) return description
  const room = description.slice(0, MOST_DESCRIPTION - 1)
  const blank = /\s/.test(description.charAt(room.length)) ? room.length : room.search(/\s\S*$/)
  const kept = blank >= room.length - BACK ? room.slice(0, blank) : room.replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}
