import { showHidden } from 'skillshelf'

export type Child = Node | string | undefined | false

/**
 * Creates an element. Strings become text nodes, never markup. Attributes that are `undefined` are omitted.
 * S5: hidden characters are shown as `[U+202E]`, in text and in attributes: labels, titles, names of downloads.
 */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(name, showHidden(value))
  }
  for (const child of children) {
    if (typeof child === 'string') element.append(showHidden(child))
    else if (child) element.append(child)
  }
  return element
}

/** Creates a button that calls `onClick`. */
export function makeButton(
  text: string,
  onClick: () => void,
  attributes: Readonly<Record<string, string | undefined>> = {},
): HTMLButtonElement {
  const button = make('button', { type: 'button', class: 'button', ...attributes }, text)
  button.addEventListener('click', onClick)
  return button
}

/**
 * Returns the element of index.html with this id.
 * @throws Error if it is missing or of another kind, which is a bug in the page
 */
export function byId<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`The page has no #${id}`)
  return element
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
