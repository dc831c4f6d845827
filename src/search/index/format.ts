/**
 * A segment: a container of sections (see core/sections.ts).
 *
 * | tag  | content |
 * |------|---------|
 * | head | JSON: `SegmentHead` |
 * | name | column (see column.ts): name, display name and tags of each skill, one a line |
 * | lexi | the terms in code point order, front-coded (see lexicon.ts) |
 * | lexb | u32 × 2 per block of terms: its offset in `lexi`, the offset of its postings in `post` |
 * | post | per term: (varint distance to the previous skill, u8 weight) …, or u8 weight of every skill (see postings.ts) |
 * | seqo | u32 × (skills + 1): offset of each skill's sequence in `seqs` |
 * | seqs | u16 fingerprints of the words of each skill in order: the forward list |
 * | seqb | u16 per skill: number of fingerprints from name, tags and description |
 * | mess | column: the messages of each skill, one a line; absent if no skill has messages |
 * | v…   | the vectors, if the segment was built with an embedder (see vectors.ts) |
 */
export interface SegmentHead {
  analyzer: string
  /** The meaning of a weight byte; see weights.ts. */
  scoring: string
  skills: number
  terms: number
  postings: number
}
