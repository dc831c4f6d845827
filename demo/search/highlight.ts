import { findTerms } from 'skillshelf/match'
import { make } from '../dom.js'

/** Columns before the first term that an uncut description may have: about two lines in a narrow window. */
const MAX_LEAD = 80
/** Terms of one text that are highlighted. */
const MAX_MARKS = 500
/** Characters that an excerpt keeps before the first term. */
const EXCERPT_LEAD = 45
const wide = /[\u1100-\u{3ffff}]/gu

/**
 * A text with its terms in `<mark>` elements. S6: with `dir=auto`, the time of the browser is the square of their number, so that only the
 * first ones of a long text are highlighted.
 */
export function highlight(text: string, terms: readonly string[]): (Node | string)[] {
  const parts: (Node | string)[] = []
  let offset = 0
  for (const { start, end } of findTerms(text, terms).slice(0, MAX_MARKS)) {
    parts.push(text.slice(offset, start), make('mark', {}, text.slice(start, end)))
    offset = end
  }
  parts.push(text.slice(offset))
  return parts
}

/** Highlights the terms in the text of an element. */
export function addHighlights(root: Element, terms: readonly string[]): void {
  const nodes: Text[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  for (const node of nodes) {
    const parts = highlight(node.data, terms)
    if (parts.length > 1) node.replaceWith(...parts)
  }
}

export function removeHighlights(root: Element): void {
  for (const mark of root.querySelectorAll('mark')) mark.replaceWith(...mark.childNodes)
  root.normalize()
}

/** Cuts the beginning of a text whose first term would be too far down to be visible. */
export function excerpt(text: string, terms: readonly string[]): string {
  const before = text.slice(0, findTerms(text, terms)[0]?.start ?? 0)
  if (before.length + (before.match(wide)?.length ?? 0) <= MAX_LEAD) return text
  const lead = before.slice(-EXCERPT_LEAD)
  // Prefer the start of a sentence, then of a word.
  const cut = /[.。！？]\s*(?=[^.。！？]*$)/u.exec(lead) ?? /\s/u.exec(lead)
  return `… ${lead.slice(cut ? cut.index + cut[0].length : 0)}${text.slice(before.length)}`
}
