/** The rows of the texts of a batch, by text and by row. */
import type { Memory } from './memory.js'

export interface Occurrences {
  /** Rows of text t: `rows[starts[t]] .. rows[starts[t + 1]]`. Text `2 i` is the left one of the batch's pair i. */
  rows: Uint16Array
  starts: Uint32Array
  /** Distinct rows, and the texts of the n-th: `texts[textStarts[n]] .. texts[textStarts[n + 1]]`. */
  touched: Uint16Array
  readonly count: number
  texts: Uint16Array
  textStarts: Uint32Array
  read(step: number): void
}

const MOST_TERMS = 256

/** Computed by each thread, which is faster than sharing. */
export function createOccurrences({ settings, encoded, order }: Memory): Occurrences {
  const { batch, rows: tableRows, dropout, seed } = settings
  const room = batch * 2 * MOST_TERMS
  const rows = new Uint16Array(room)
  const starts = new Uint32Array(batch * 2 + 1)
  const touched = new Uint16Array(tableRows)
  const texts = new Uint16Array(room)
  const textStarts = new Uint32Array(tableRows + 1)
  const slots = new Int32Array(tableRows).fill(-1)
  const counts = new Uint32Array(tableRows + 1)
  const limit = dropout * 2 ** 32
  let count = 0

  const isLeftOut = (step: number, text: number, at: number): boolean => {
    let hash = Math.imul(seed + step, 0x9e3779b1) ^ Math.imul(text + 1, 0x85ebca6b) ^ Math.imul(at + 1, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
    return (hash ^ (hash >>> 15)) >>> 0 < limit
  }

  return {
    rows,
    starts,
    touched,
    texts,
    textStarts,
    get count() {
      return count
    },
    read(step) {
      for (let index = 0; index < count; index++) slots[touched[index] as number] = -1
      count = 0
      let end = 0
      for (let text = 0; text < batch * 2; text++) {
        const pair = order[step * batch + (text >> 1)] as number
        const from = encoded.starts[pair * 2 + (text & 1)] as number
        const to = encoded.starts[pair * 2 + (text & 1) + 1] as number
        const start = end
        for (let at = from; at < to; at++) {
          // A text keeps at least its last term.
          if (limit > 0 && !(at + 1 === to && end === start) && isLeftOut(step, text, at - from)) continue
          const row = encoded.rows[at] as number
          rows[end++] = row
          let slot = slots[row] as number
          if (slot < 0) {
            slot = count++
            slots[row] = slot
            touched[slot] = row
            counts[slot] = 0
          }
          counts[slot] = (counts[slot] as number) + 1
        }
        starts[text + 1] = end
      }
      textStarts[0] = 0
      for (let slot = 0; slot < count; slot++) {
        textStarts[slot + 1] = (textStarts[slot] as number) + (counts[slot] as number)
        counts[slot] = textStarts[slot] as number
      }
      for (let text = 0; text < batch * 2; text++)
        for (let at = starts[text] as number; at < (starts[text + 1] as number); at++) {
          const slot = slots[rows[at] as number] as number
          const to = counts[slot] as number
          texts[to] = text
          counts[slot] = to + 1
        }
    },
  }
}
