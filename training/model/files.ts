/** Writes the files of the model. The format is described in src/search/model/format.ts. */

import { bytesOf, writeJsonSection, writeSections } from '../../src/core/byte-sections.js'
import { createByteWriter } from '../../src/core/bytes.js'
import { digestOf } from '../../src/core/digest.js'
import { createTermWriter, startsBlock } from '../../src/core/front-coding.js'
import { ANALYZER } from '../../src/core/text/analyze.js'
import { MODEL_FORMAT, type ModelHead } from '../../src/search/model/format.js'
import { PARTS, type Part } from '../../src/search/model/script-parts.js'
import { packRow } from './quantize.js'

/** Document counts are stored in steps of an eighth of a doubling. */
const STEPS = 8

/** The trained rows of one part: `rows.length / terms.length` dimensions, terms in UTF-16 order. */
export interface PartTable {
  terms: readonly string[]
  rows: Float32Array
  /** Documents that have each term. */
  counts: readonly number[]
  documents: number
}

type Bytes = Uint8Array<ArrayBuffer>
export type ModelFiles = Record<Part, Bytes>

/** Writes the files of a model, one for each part. */
export function writeModel(
  tables: Readonly<Record<Part, PartTable>>,
  { dimensions, seed }: { dimensions: number; seed: number },
): ModelFiles {
  const packed = PARTS.map(part => ({
    part,
    table: tables[part],
    rows: packRows(tables[part], dimensions),
    vocabulary: writeVocabulary(tables[part].terms),
  }))
  // The digest of the content names the weights, so vectors stored under that name always belong to them.
  const digests = packed.map(({ rows, vocabulary }) =>
    [vocabulary.terms, rows.rows, bytesOf(rows.scales)].map(digestOf).join(),
  )
  const weights = digestOf(digests.join()).slice(7, 19)
  return Object.fromEntries(
    packed.map(({ part, table, rows, vocabulary }) => {
      const head: ModelHead = {
        format: MODEL_FORMAT,
        analyzer: ANALYZER,
        weights,
        part,
        dimensions,
        rows: table.terms.length,
        documents: table.documents,
        steps: STEPS,
        seed,
      }
      const bytes = writeSections({
        head: writeJsonSection(head),
        voca: vocabulary.terms,
        vocb: bytesOf(vocabulary.blocks),
        docs: Uint8Array.from(table.counts, count =>
          Math.round(Math.log2(Math.max(1, count)) * STEPS),
        ),
        scal: bytesOf(rows.scales),
        rows: rows.rows,
      })
      return [part, bytes]
    }),
  ) as ModelFiles
}

/**
 * Front-codes terms by UTF-16 unit.
 * @throws RangeError if the terms are not sorted, or repeat
 */
export function writeVocabulary(terms: readonly string[]): { terms: Bytes; blocks: Uint32Array } {
  const out = createByteWriter(65_536)
  const writer = createTermWriter(out, 'varint')
  const blocks: number[] = []
  let previous = ''
  for (const [row, term] of terms.entries()) {
    if (previous !== '' && term <= previous) {
      throw new RangeError('The terms of a vocabulary must be sorted')
    }
    if (startsBlock(row)) blocks.push(out.length)
    writer.add(
      Array.from({ length: term.length }, (_, index) => term.charCodeAt(index)),
      term.length,
    )
    previous = term
  }
  return { terms: out.finish(), blocks: Uint32Array.from(blocks) }
}

function packRows(
  { terms, rows }: PartTable,
  dimensions: number,
): { rows: Bytes; scales: Uint16Array<ArrayBuffer> } {
  const size = dimensions / 2
  const packed = new Uint8Array(terms.length * size)
  const scales = new Uint16Array(terms.length)
  for (let row = 0; row < terms.length; row++) {
    scales[row] = packRow(
      rows.subarray(row * dimensions, (row + 1) * dimensions),
      packed.subarray(row * size, (row + 1) * size),
    )
  }
  return { rows: packed, scales }
}
