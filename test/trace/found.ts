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
  ['pieces', 58_632_065, 7, 'An opened skill in pieces kept the copies that it no longer had'],
  ['pieces', 58_632_066, 15, 'A sweep failed while a publish removed what it replaced'],
  [
    'pieces',
    1_513_182_244,
    18,
    'A skill was reported twice: by a refresh, and by the step to the whole library beside it',
  ],
  [
    'tree',
    1_565_845_715,
    8,
    'A skill that changed while its folder was read was listed as a copy of one whose other file differed',
  ],
  [
    'pieces in R2',
    1_565_845_723,
    2,
    'A sweep did not put back the catalog that it had removed, when the library was published again meanwhile',
  ],
  [
    'copy of pieces',
    136_905_887,
    5,
    'A tab with an older copy wrote its version over that of a newer one, which hid a host that went back',
  ],
]
