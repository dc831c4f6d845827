/** A seed that found something, and what it found. */
export type Found = readonly [world: string, seed: number, traces: number, what: string]

/** They run with every test. Their traces change with `steps.ts`; what they found has tests of its own beside the code. */
export const found: readonly Found[] = [
  [
    'store',
    303,
    10,
    'A skill and a copy of it, installed one after the other, were two: the details of one named its folder',
  ],
  ['store', 504, 5, 'To edit or remove one folder of copies changed or removed the others too'],
]
