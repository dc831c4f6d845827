import { findTerms } from 'skillshelf'
import { make } from './dom.js'

/** A description is shown from the start where its first lit word stands within this width: about two lines of a narrow column. */
const WIDTH = 80
/** Characters before the first lit word, where it is shown from there. */
const BEFORE = 45
const wide = /[\u1100-\u{3ffff}]/gu

/** A text with the terms in it lit up. */
export function lit(text: string, terms: readonly string[]): (Node | string)[] {
  const parts: (Node | string)[] = []
  let at = 0
  for (const { start, end } of findTerms(text, terms)) {
    parts.push(text.slice(at, start), make('mark', {}, text.slice(start, end)))
    at = end
  }
  parts.push(text.slice(at))
  return parts
}

/** Lights the terms up in what is shown already. */
export function light(root: Element, terms: readonly string[]): void {
  const nodes: Text[] = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  for (const node of nodes) {
    const parts = lit(node.data, terms)
    if (parts.length > 1) node.replaceWith(...parts)
  }
}

export function unlight(root: Element): void {
  for (const mark of root.querySelectorAll('mark')) mark.replaceWith(...mark.childNodes)
  root.normalize()
}

/** A long text from a little before its first lit word on: what stands far behind would be cut off. */
export function excerpt(text: string, terms: readonly string[]): string {
  const before = text.slice(0, findTerms(text, terms)[0]?.start ?? 0)
  if (before.length + (before.match(wide)?.length ?? 0) <= WIDTH) return text
  const near = before.slice(-BEFORE)
  // At a sentence or word, where there is one.
  const cut = /[.。！？]\s*(?=[^.。！？]*$)/u.exec(near) ?? /\s/u.exec(near)
  return `… ${near.slice(cut ? cut.index + cut[0].length : 0)}${text.slice(before.length)}`
}
