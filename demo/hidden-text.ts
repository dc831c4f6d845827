import { showHidden } from 'skillshelf'

/** Attributes of rendered Markdown that are shown. */
const SHOWN = ['alt', 'title']

/** Replaces the text of an element, with hidden characters shown as `[U+202E]`. */
export function setText(element: HTMLElement, text: string): void {
  element.textContent = showHidden(text)
}

/**
 * S5: shows the hidden characters of content that was not created by `make`, in its text and in the attributes that are shown. A joiner that
 * its neighbors need stays, although these may be in another element: Persian suffixes follow a bold word so.
 */
export function showHiddenIn(content: DocumentFragment): void {
  const nodes: Text[] = []
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) nodes.push(walker.currentNode as Text)
  // As they were before any of them changes.
  const originals = nodes.map(node => node.data)
  for (const [index, node] of nodes.entries()) {
    const before = visible([...(originals[index - 1] ?? '').slice(-NEIGHBOR)].slice(-2))
    const after = visible([...(originals[index + 1] ?? '').slice(0, NEIGHBOR)].slice(0, 2))
    const shown = showHidden(before + node.data + after)
    node.data = shown.slice(before.length, shown.length - after.length)
  }
  for (const name of SHOWN) {
    for (const element of content.querySelectorAll(`[${name}]`)) {
      element.setAttribute(name, showHidden(element.getAttribute(name) ?? ''))
    }
  }
}

/** UTF-16 units that hold two characters for sure. */
const NEIGHBOR = 8

/** The characters, or nothing if one of them is hidden itself. */
function visible(characters: readonly string[]): string {
  const text = characters.join('')
  return showHidden(text) === text ? text : ''
}
