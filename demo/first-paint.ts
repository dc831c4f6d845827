/** What the first paint shows beside its texts: first-paint-plugin.ts writes it into the document, and layout.ts again. */

export const GITHUB = 'https://github.com/skillshelf/skillshelf'
export const DOCS = 'https://skillshelf.github.io/skillshelf/'

/** Keys of the search box by what they do. */
export const KEYS = { search: '/', select: '↑ ↓', open: 'Enter', close: 'Esc' } as const
