import { createByteWriter } from '../../core/bytes.js'
import type { Lexicon, TermEntry } from '../../search/index/lexicon.js'
import type { Segment } from '../../search/index/open.js'
import { writePostings } from '../../search/index/postings.js'
import type { Vectors } from '../../search/index/vectors.js'
import type { SearchedSegment } from '../../search/match/searched-segment.js'
import type { CheckedCandidate } from './checked-rows.js'
import { type RowRanking, shortHash, termHash, weightOf } from './ranking-bytes.js'

/** A segment in memory that only ranking reads. */
export function createSearched(
  parts: Pick<Segment, 'length' | 'lexicon'> & Partial<Segment>,
  ids: readonly string[],
): SearchedSegment {
  const segment: Segment = {
    head: { analyzer: '', scoring: '', skills: parts.length, terms: 0, postings: 0 },
    size: 0,
    names: { length: parts.length, get: () => '', startsWith: () => false },
    postings: new Uint8Array(0),
    sequenceOf: () => new Uint16Array(0),
    headOf: () => 0,
    messagesOf: () => [],
    ruledOutOf: () => undefined,
    vectors: undefined,
    bytes: new Uint8Array(0),
    ...parts,
  }
  const scores = new Float32Array(ids.length)
  return { key: '', segment, ids, dead: new Set(), upgradeVectors: undefined, scores }
}

/** Makes a segment of fetched rows, ranked by the same code as a library in memory. Postings of `terms` only. */
export function openRows(
  candidates: readonly CheckedCandidate[],
  terms: Iterable<string>,
  space: string | undefined,
) {
  const summaries = candidates.map(({ summary }) => summary)
  const rows = candidates.map(({ ranking }) => ranking)
  const { lexicon, postings } = indexTerms(rows, terms)
  const parts = {
    length: rows.length,
    lexicon,
    postings,
    names: {
      length: rows.length,
      get(index: number) {
        const { name = '', displayName = '', tags = [] } = summaries[index] ?? {}
        return [name, displayName, ...tags].map(text => text.replaceAll('\n', ' ')).join('\n')
      },
      startsWith: () => false,
    },
    sequenceOf: (skill: number) => (rows[skill] as RowRanking).sequence,
    headOf: (skill: number) => (rows[skill] as RowRanking).head,
    messagesOf: (skill: number) => (rows[skill] as RowRanking).messages,
    ruledOutOf: (skill: number) => (rows[skill] as RowRanking).ruledOut,
    vectors: space === undefined ? undefined : vectorsOf(rows, space),
  }
  const ids = summaries.map(({ id }) => id)
  return createSearched(parts, ids)
}

function indexTerms(
  rows: readonly RowRanking[],
  terms: Iterable<string>,
): { lexicon: Lexicon; postings: Uint8Array } {
  const out = createByteWriter(4_096)
  const entries = new Map<string, TermEntry>()
  for (const term of terms) {
    const hash = shortHash(termHash(term))
    const skills: number[] = []
    const weights: number[] = []
    for (const [skill, row] of rows.entries()) {
      const weight = weightOf(row, hash)
      if (weight === 0) continue
      skills.push(skill)
      weights.push(weight)
    }
    if (skills.length === 0) continue
    const start = out.length
    writePostings(out, skills, weights, rows.length)
    entries.set(term, { start, length: out.length - start, count: skills.length })
  }
  const lexicon: Lexicon = {
    find: term => entries.get(term),
    findPrefix(prefix, maxExtra, each) {
      for (const [term, entry] of entries) {
        if (term.startsWith(prefix) && utf8Length(term) <= utf8Length(prefix) + maxExtra) {
          each(term, entry)
        }
      }
    },
    *entries() {
      for (const [term, entry] of entries) yield { term, ...entry }
    },
  }
  return { lexicon, postings: out.finish() }
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length
}

function vectorsOf(rows: readonly RowRanking[], space: string): Vectors | undefined {
  const dimensions = Math.max(0, ...rows.map(({ vector }) => vector.length))
  if (dimensions === 0) return undefined
  const bytes = new Int8Array(rows.length * dimensions)
  const scales = new Float32Array(rows.length)
  for (const [skill, { vector, scale }] of rows.entries()) {
    if (vector.length !== dimensions) continue
    bytes.set(vector, skill * dimensions)
    scales[skill] = scale
  }
  return { space, dimensions, bytes, scales }
}
