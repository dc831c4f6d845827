import { showHidden } from '../../core/sanitize.js'

export type Child = Node | string | undefined | false

/** Creates an element. Strings become text nodes, never markup, with hidden characters shown as `[U+202E]`. Attributes that are `undefined` are omitted. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, value)
  }
  for (const child of children) {
    if (typeof child === 'string') element.append(showHidden(child))
    else if (child) element.append(child)
  }
  return element
}

export function makeButton(
  part: string,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const button = make('button', { part, type: 'button' }, ...children)
  button.addEventListener('click', onClick)
  return button
}

const ICONS = {
  search: 'M11 11l3.5 3.5M7 12.5a5.5 5.5 0 1 1 0-11 5.5 5.5 0 0 1 0 11z',
  clear: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3L5 8l5 5',
} as const

export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  for (const [key, value] of Object.entries({
    viewBox: '0 0 16 16',
    class: `icon ${name}`,
    'aria-hidden': 'true',
  })) {
    svg.setAttribute(key, value)
  }
  const path = document.createElementNS(svg.namespaceURI, 'path')
  path.setAttribute('d', ICONS[name])
  svg.append(path)
  return svg
}
