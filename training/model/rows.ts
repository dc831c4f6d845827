/** Divides a part of the model into a start file and pieces. The format is described in src/search/model/format.ts. */

import { bytesOf, writeJsonSection, writeSections } from '../../src/core/byte-sections.js'
import { digestOf, shortDigest } from '../../src/core/digest.js'
import { type ModelFile, readModelFile } from '../../src/search/model/format.js'
import { isGrams } from '../../src/search/model/script-parts.js'
import { writeFilter } from '../../src/search/model/term-filter.js'
import { readTerms } from '../../src/search/model/vocabulary.js'
import { writeVocabulary } from './files.js'

/** Terms of the start file. Runs of characters are known more evenly than words, so the frequent ones help less. */
const FREQUENT_WORDS = 600
const FREQUENT_GRAMS = 300
/** Bytes of a piece, about. */
const PIECE_BYTES = 4_096

type Bytes = Uint8Array<ArrayBuffer>

/** A part of the model in rows. */
export interface ModelRows {
  start: Bytes
  /** By their `shortDigest`. */
  pieces: ReadonlyMap<string, Bytes>
}

/** @param bytes The file of the whole part. */
export function divideModel(bytes: Uint8Array): ModelRows {
  const file = readModelFile(bytes)
  const terms = readTerms(file.vocabulary.bytes, file.head.rows)
  const byCount = [...terms.keys()].sort(
    (a, b) => (file.counts[b] as number) - (file.counts[a] as number) || a - b,
  )
  const hasGrams = terms.some(isGrams)
  const frequent = new Set(byCount.slice(0, hasGrams ? FREQUENT_GRAMS : FREQUENT_WORDS))
  const rest = [...terms.keys()].filter(row => !frequent.has(row))
  const perPiece = Math.ceil(PIECE_BYTES / (bytes.length / file.head.rows))
  const pieces = new Map<string, Bytes>()
  const firstTerms: string[] = []
  for (let from = 0; from < rest.length; from += perPiece) {
    const rows = rest.slice(from, from + perPiece)
    const piece = writeSections(tableOf(file, terms, rows))
    pieces.set(shortDigest(digestOf(piece)), piece)
    firstTerms.push(terms[rows[0] as number] as string)
  }
  const rows = [...frequent].sort((a, b) => a - b)
  const start = writeSections({
    head: writeJsonSection({ ...file.head, rows: rows.length }),
    ...tableOf(file, terms, rows),
    frst: new TextEncoder().encode(firstTerms.join('\n')),
    digs: Buffer.from([...pieces.keys()].join(''), 'hex'),
    ...(hasGrams ? { filt: writeFilter(rest.map(row => terms[row] as string)) } : {}),
  })
  return { start, pieces }
}

/** The sections of some rows. @param rows In ascending order. */
function tableOf(
  { head, counts, scales, rows: weights }: ModelFile,
  terms: readonly string[],
  rows: readonly number[],
): Record<string, Uint8Array> {
  const size = head.dimensions / 2
  const packed = new Uint8Array(rows.length * size)
  for (const [index, row] of rows.entries()) {
    packed.set(weights.subarray(row * size, (row + 1) * size), index * size)
  }
  const vocabulary = writeVocabulary(rows.map(row => terms[row] as string))
  return {
    voca: vocabulary.terms,
    vocb: bytesOf(vocabulary.blocks),
    docs: Uint8Array.from(rows, row => counts[row] as number),
    scal: bytesOf(Uint16Array.from(rows, row => scales[row] as number)),
    rows: packed,
  }
}
