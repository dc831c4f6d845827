/** What the first paint shows beside its texts: first-paint-plugin.ts writes it into the document, and layout.ts again. */

export const ADDRESSES = {
  github: 'https://github.com/skillshelf/skillshelf',
  docs: 'https://skillshelf.github.io/skillshelf/',
  npm: 'https://www.npmjs.com/package/skillshelf',
} as const

/** Keys of the search box by what they do. */
export const KEYS = { search: '/', select: '↑ ↓', open: 'Enter', close: 'Esc' } as const
