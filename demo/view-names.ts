/** The views of the page. Without the DOM: the build writes their links. */

/** The views, as the navigation lists them. */
export const VIEWS = [
  'listing',
  'compare',
  'tests',
  'chat',
  'tokens',
  'prompts',
  'installed',
] as const
/** Views that the first screen leads to, below the answer. */
export const LEADS = ['listing', 'compare', 'tests'] as const satisfies readonly View[]
/** Views in which the reader stays when another library opens. */
export const CHECKS = ['listing', 'tests'] as const satisfies readonly View[]
export type View = (typeof VIEWS)[number]

export function viewHash(view: View): string {
  return `#/${view}`
}
