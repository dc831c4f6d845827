/** The views of the page. Without the DOM: the build writes their links. */

/** The views that the navigation lists. */
export const LISTED_VIEWS = ['chat', 'tokens', 'prompts', 'tests', 'installed'] as const
export const VIEWS = [...LISTED_VIEWS, 'compare'] as const
export type View = (typeof VIEWS)[number]

export function viewHash(view: View): string {
  return `#/${view}`
}
