/** The views of the page. Without the DOM: the build writes their links. */

/** The views, as the navigation lists them. */
export const VIEWS = ['compare', 'chat', 'tokens', 'prompts', 'tests', 'installed'] as const
export type View = (typeof VIEWS)[number]

export function viewHash(view: View): string {
  return `#/${view}`
}
