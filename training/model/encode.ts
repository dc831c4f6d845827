/** Encodes pairs of texts as rows of the model, in files that train.py reads. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf } from '../../src/core/byte-sections.js'
import { analyze, TERM } from '../../src/core/text/analyze.js'
import {
  EUROPEAN,
  PARTS,
  type Part,
  partsOf,
  partsOfTerm,
  stemsOf,
} from '../../src/search/model/script-parts.js'
import { KINDS, type Pair } from './pair.js'
import type { Vocabulary } from './vocabulary.js'

/** Terms of a text that are read. */
const MAX_TERMS = 160
/** Characters of a text that teachers may read. */
const MAX_CHARACTERS = 600

/**
 * Writes what train.py reads:
 *
 * | file | content |
 * |---|---|
 * | terms.json | the terms of all parts, one list; a term's row is its index |
 * | texts.json | the texts |
 * | rows.bin | i32: the rows of all texts, one after the other |
 * | stems.bin | i32: the same, with the stem of a word in place of its row where it has one |
 * | starts.bin | u32 × (texts + 1): where each text begins in them |
 * | pairs.bin | i32 × 4 per pair: kind, left text, right text, group; pairs of a group are not negatives of each other |
 * | kinds.json | the names of the kinds |
 */
export function writeTrainingFiles(
  pairs: readonly Pair[],
  vocabulary: Vocabulary,
  folder: string,
): number {
  const offsets = new Map<Part, Map<string, number>>()
  const terms: string[] = []
  for (const part of PARTS) {
    offsets.set(
      part,
      new Map(vocabulary[part].terms.map((term, index) => [term, terms.length + index])),
    )
    terms.push(...vocabulary[part].terms)
  }
  const rows: number[] = []
  const stems: number[] = []
  const starts = [0]
  const texts: string[] = []
  const numbers = new Map<string, number>()
  const encode = (text: string, language?: string): number | undefined => {
    let number = numbers.get(text)
    if (number === undefined) {
      const before = rows.length
      const parts = new Set(partsOf(text))
      if (language && EUROPEAN.has(language)) parts.add('european')
      let count = 0
      analyze(text, (term, kind) => {
        if (!(kind & TERM) || count++ >= MAX_TERMS) return
        const tried = partsOfTerm(term, parts)
        const last = offsets.get(tried.at(-1) as Part)
        const row = tried
          .map(part => offsets.get(part)?.get(term))
          .find(found => found !== undefined)
        const stem = stemsOf(term)
          .map(one => last?.get(one))
          .find(found => found !== undefined)
        if (row === undefined && stem === undefined) return
        rows.push((row ?? stem) as number)
        stems.push((stem ?? row) as number)
      })
      number = rows.length === before ? -1 : texts.length
      numbers.set(text, number)
      if (number >= 0) {
        texts.push(text.slice(0, MAX_CHARACTERS).replace(/\p{Surrogate}/gu, ''))
        starts.push(rows.length)
      }
    }
    return number < 0 ? undefined : number
  }
  const groups = new Map<string, number>()
  const encoded: number[] = []
  for (const { kind, a, b, group, language } of pairs) {
    const left = encode(a, language)
    const right = encode(b)
    if (left === undefined || right === undefined) continue
    const name = group || `text ${right}`
    if (!groups.has(name)) groups.set(name, groups.size)
    encoded.push(KINDS.indexOf(kind), left, right, groups.get(name) as number)
  }
  mkdirSync(folder, { recursive: true })
  const write = (name: string, content: string | Uint8Array): void =>
    writeFileSync(join(folder, name), content)
  write('terms.json', JSON.stringify(terms))
  write('texts.json', JSON.stringify(texts))
  write('kinds.json', JSON.stringify(KINDS))
  write('rows.bin', bytesOf(Int32Array.from(rows)))
  write('stems.bin', bytesOf(Int32Array.from(stems)))
  write('starts.bin', bytesOf(Uint32Array.from(starts)))
  write('pairs.bin', bytesOf(Int32Array.from(encoded)))
  return encoded.length / 4
}
