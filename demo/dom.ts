import { type Child, make } from '../src/ui/element/dom.js'

export { type Child, make }

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
