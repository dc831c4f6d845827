/** What the page marks while a transformer joins: the start of each part, and the end. */
export const MARKS = ['quiet', 'loading', 'reading', 'joined'] as const
