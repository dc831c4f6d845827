/** A seed that found something, and what it found. */
export type Found = readonly [world: string, seed: number, traces: number, what: string]

/** They run with every test. Their traces change with `steps.ts`; what they found has tests of its own beside the code. */
export const found: readonly Found[] = [
  [
    'store',
    101,
    10,
    'A skill and a copy of it that were installed one after the other were two, because the details of one named its folder',
  ],
  ['store', 303, 10, 'To remove or edit a folder of copies removed or edited the others too'],
]
