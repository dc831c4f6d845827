import { SCORE_STEPS } from './format.js'

/** Splits normalized text into the rows of its most probable pieces (SentencePiece's unigram model). */
export type Segmenter = (text: string) => number[]

/** Marks the start of a word. */
export const WORD_START = '\u2581'
const ROOT = 0
const NO_PIECE = -1

/**
 * @param pieces By row. Empty ones match no text.
 * @param scores Log probability of each piece, times -2048.
 */
export function createSegmenter(
  pieces: readonly string[],
  scores: Uint16Array,
  unknown: { row: number; score: number },
): Segmenter {
  const trie = buildTrie(pieces)
  return text => {
    const best = new Float64Array(text.length + 1).fill(Number.NEGATIVE_INFINITY)
    const starts = new Int32Array(text.length + 1)
    const rows = new Int32Array(text.length + 1)
    best[0] = 0
    const offer = (from: number, to: number, row: number, score: number): void => {
      if (score <= (best[to] as number)) return
      best[to] = score
      starts[to] = from
      rows[to] = row
    }
    for (let from = 0; from < text.length; from++) {
      const base = best[from] as number
      // Inside of a surrogate pair.
      if (base === Number.NEGATIVE_INFINITY) continue
      const next = from + ((text.codePointAt(from) as number) > 0xffff ? 2 : 1)
      let single = false
      let node = ROOT
      for (let to = from; to < text.length; ) {
        node = trie.child(node, text.charCodeAt(to++))
        if (node === ROOT) break
        const row = trie.rows[node] as number
        if (row === NO_PIECE) continue
        offer(from, to, row, base - (scores[row] as number) / SCORE_STEPS)
        if (to === next) single = true
      }
      if (!single) offer(from, next, unknown.row, base + unknown.score)
    }
    const path: number[] = []
    for (let to = text.length; to > 0; to = starts[to] as number) path.push(rows[to] as number)
    return path.reverse()
  }
}

/** A trie of UTF-16 units in typed arrays: a tenth of the memory of nested maps. */
function buildTrie(pieces: readonly string[]): {
  /** The node after `unit`, or the root if there is none. */
  child(node: number, unit: number): number
  /** The piece that ends at a node, or -1. */
  rows: Int32Array
} {
  const most = pieces.reduce((sum, { length }) => sum + length, 1)
  const parents = new Uint32Array(most)
  const units = new Uint16Array(most)
  const rows = new Int32Array(most).fill(NO_PIECE)
  let slots = 1
  while (slots < most * 1.5) slots *= 2
  const table = new Uint32Array(slots)
  const mask = slots - 1
  /** The slot of a child, or the free one where it belongs. */
  const slotOf = (node: number, unit: number): number => {
    let hash = Math.imul(node, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)
    hash ^= hash >>> 15
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const child = table[slot] as number
      if (child === ROOT || (parents[child] === node && units[child] === unit)) return slot
    }
  }
  let nodes = 1
  for (const [row, piece] of pieces.entries()) {
    let node = ROOT
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at)
      const slot = slotOf(node, unit)
      let child = table[slot] as number
      if (child === ROOT) {
        child = nodes++
        parents[child] = node
        units[child] = unit
        table[slot] = child
      }
      node = child
    }
    if (node !== ROOT) rows[node] = row
  }
  return { child: (node, unit) => table[slotOf(node, unit)] as number, rows: rows.slice(0, nodes) }
}
