/** Encodes pairs as numbers in shared memory. */
import { analyze, TERM } from '../../src/text/analyze.js'
import { KINDS, type Pair } from './pairs.js'

/** Flat arrays of pairs. Text `2 p` is the left one of pair p, `2 p + 1` the right one. */
export interface Encoded {
  /** Row numbers of all texts, one after the other. */
  rows: Uint16Array<SharedArrayBuffer>
  /** Offset of each text in `rows`, and the end of the last. */
  starts: Uint32Array<SharedArrayBuffer>
  /** Group of each text. Texts of one group are not negatives of each other. */
  groups: Uint32Array<SharedArrayBuffer>
  /** Index into `KINDS` of each pair. */
  kinds: Uint8Array<SharedArrayBuffer>
}

/** Maximum terms of a text. */
const MOST = { words: 128, grams: 256 }
const han = /\p{Script=Han}/u

/** Encodes pairs, without those with a side that has no known term. */
export function encodePairs(pairs: readonly Pair[], rowOf: (term: string) => number | undefined): Encoded {
  const rows: number[] = []
  const starts: number[] = [0]
  const groups: number[] = []
  const kinds: number[] = []
  const groupNumbers = new Map<string, number>()
  const groupOf = (name: string): number => {
    let number = groupNumbers.get(name)
    if (number === undefined) {
      number = groupNumbers.size
      groupNumbers.set(name, number)
    }
    return number
  }
  for (const { kind, a, b, group } of pairs) {
    const [one, two] = [a, b].map(text => encode(text, rowOf)) as [number[], number[]]
    if (one.length === 0 || two.length === 0) continue
    for (const text of [one, two]) {
      rows.push(...text)
      starts.push(rows.length)
    }
    groups.push(groupOf(one.join()), groupOf(group === '' ? two.join() : `=${group}`))
    kinds.push(KINDS.indexOf(kind))
  }
  return {
    rows: shared(Uint16Array<SharedArrayBuffer>, rows),
    starts: shared(Uint32Array<SharedArrayBuffer>, starts),
    groups: shared(Uint32Array<SharedArrayBuffer>, groups),
    kinds: shared(Uint8Array<SharedArrayBuffer>, kinds),
  }
}

function encode(text: string, rowOf: (term: string) => number | undefined): number[] {
  const most = han.test(text) ? MOST.grams : MOST.words
  const rows: number[] = []
  analyze(text, (term, kind) => {
    if (!(kind & TERM) || rows.length >= most) return
    const row = rowOf(term)
    if (row !== undefined) rows.push(row)
  })
  return rows
}

interface Numbers<T> {
  new (buffer: SharedArrayBuffer): T
  readonly BYTES_PER_ELEMENT: number
}

/** Copies numbers to shared memory. */
export function shared<T extends { set(values: ArrayLike<number>): void }>(
  type: Numbers<T>,
  values: ArrayLike<number>,
): T {
  const array = new type(new SharedArrayBuffer(values.length * type.BYTES_PER_ELEMENT))
  array.set(values)
  return array
}
