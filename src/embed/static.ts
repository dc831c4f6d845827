import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { analyze, TERM } from '../text/analyze.js'
import { idfOf } from '../text/idf.js'
import { removeNegatedClauses } from '../text/negation.js'
import { type ModelFile, type Part, partOf, readModelFile } from './format.js'
import { fromHalf, MIDDLE } from './quantize.js'
import type { Embedder } from './types.js'
import { makeUnit } from './unit.js'
import { openVocabulary, type Vocabulary } from './vocabulary.js'

/** The files of a model. Without the rest it has its first dimensions only, without `han` it knows words alone. */
export interface StaticParts {
  latin: Uint8Array
  latinRest?: Uint8Array | undefined
  han?: Uint8Array | undefined
  hanRest?: Uint8Array | undefined
}

/** What of a skill becomes a vector. */
export interface SkillText {
  name: string
  description: string
  /** The text after the frontmatter. */
  body: string
}

/** One row per term: a text's vector is the sum of its rows, made unit length. */
export interface StaticModel extends Embedder {
  /** Names the weights and dimensions: vectors of the same space can be compared, whatever parts were loaded. */
  readonly space: string
  /** Whether grams of ideographs, kana, Hangul and the like are known. */
  readonly hasHan: boolean
  /** The vector of a text, synchronously: unit length, or zeros where no term is known. */
  vectorOf(text: string, into?: Float32Array): Float32Array
  /** The vector of a skill: unit(name and description) + .5 unit(body), made unit length (measured; see DESIGN.md). */
  skillVector(skill: SkillText, into?: Float32Array): Float32Array
  /** How rare a term is in skills at large, as `rarity` counts it; `undefined` where it is in no loaded part. */
  idf(term: string): number | undefined
}

/** Terms of a body that are read. */
const BODY_TERMS = 600
const BODY_WEIGHT = 0.5
/** Texts between two looks at the signal. */
const SLICE = 256

/** One part in use: its vocabulary, and the dimensions that were loaded. */
interface Table {
  vocabulary: Vocabulary
  files: readonly ModelFile[]
}

/** Opens a model from its bytes. Pure TypeScript: no eval, no WebAssembly, nothing to wait for. */
export function openStatic(parts: StaticParts): StaticModel {
  const latin = openPart('latin', parts.latin, parts.latinRest)
  const han = parts.han && openPart('han', parts.han, parts.hanRest)
  const head = (latin.files[0] as ModelFile).head
  const dimensions = lengthOf(latin)
  if (han && lengthOf(han) !== dimensions)
    throw new SkillshelfError('invalid-input', 'The parts of the model have different dimensions', {
      hint: 'give the rest of both parts, or of none',
    })
  if (han && han.files[0]?.head.weights !== head.weights) throw mixed()

  const addTerm = (term: string, into: Float32Array): void => {
    const table = partOf(term) === 'latin' ? latin : han
    const row = table ? table.vocabulary.find(term) : -1
    if (table && row >= 0) addRow(table, row, into)
  }
  const add = (text: string, into: Float32Array, most = Number.POSITIVE_INFINITY): void => {
    let seen = 0
    analyze(text, (term, kind) => {
      if (kind & TERM && seen++ < most) addTerm(term, into)
    })
  }
  const vectorOf = (text: string, into = new Float32Array(dimensions)): Float32Array => {
    into.fill(0)
    add(text, into)
    return makeUnit(into)
  }
  const body = new Float32Array(dimensions)

  return {
    id: `${head.format}/${head.weights}/${dimensions}${han ? '+han' : ''}`,
    space: `${head.format}/${head.weights}/${dimensions}`,
    dimensions,
    languages: han ? 'all' : ['en'],
    hasHan: han !== undefined,
    vectorOf,
    skillVector(skill, into = new Float32Array(dimensions)) {
      into.fill(0)
      add(skill.name, into)
      add(removeNegatedClauses(skill.description), into)
      makeUnit(into)
      body.fill(0)
      add(skill.body.slice(0, BODY_TERMS * 40), body, BODY_TERMS)
      makeUnit(body)
      for (let at = 0; at < dimensions; at++) into[at] = (into[at] as number) + BODY_WEIGHT * (body[at] as number)
      return makeUnit(into)
    },
    idf(term) {
      const file = (partOf(term) === 'latin' ? latin : han)?.files[0]
      const row = (partOf(term) === 'latin' ? latin : han)?.vocabulary.find(term) ?? -1
      if (!file?.counts || row < 0) return undefined
      return idfOf(
        file.head.documents,
        Math.min(file.head.documents, 2 ** ((file.counts[row] as number) / file.head.steps)),
      )
    },
    async embed(texts, { signal, onProgress } = {}) {
      const vectors = new Float32Array(texts.length * dimensions)
      for (const [at, text] of texts.entries()) {
        if (at % SLICE === 0) throwIfAborted(signal)
        vectorOf(text, vectors.subarray(at * dimensions, (at + 1) * dimensions))
        if ((at + 1) % SLICE === 0 || at + 1 === texts.length)
          onProgress?.({ phase: 'embed', done: at + 1, total: texts.length })
      }
      return vectors
    },
  }
}

function openPart(part: Part, first: Uint8Array, rest: Uint8Array | undefined): Table {
  const files = [first, ...(rest ? [rest] : [])].map(readModelFile)
  const [one, two] = files as [ModelFile, ModelFile?]
  if (one.head.part !== part || !one.vocabulary || (two && two.head.part !== part))
    throw new SkillshelfError('invalid-input', `This is not the ${part} part of a model`)
  if (two && (two.head.weights !== one.head.weights || two.head.dimensions[0] !== one.head.dimensions[1])) throw mixed()
  const { terms, blocks } = one.vocabulary
  return { vocabulary: openVocabulary(terms, blocks, one.head.rows), files }
}

function lengthOf({ files }: Table): number {
  return (files.at(-1) as ModelFile).head.dimensions[1]
}

function mixed(): SkillshelfError {
  return new SkillshelfError('format', 'These files are of different models', {
    hint: 'take all files from one version of skillshelf',
  })
}

/** Adds one row, two weights a byte. */
function addRow({ files }: Table, row: number, into: Float32Array): void {
  for (const { head, rows, scales } of files) {
    const [from, to] = head.dimensions
    const scale = fromHalf(scales[row] as number)
    const bytes = (to - from) >> 1
    const start = row * bytes
    for (let at = 0; at < bytes; at++) {
      const two = rows[start + at] as number
      const low = from + at * 2
      into[low] = (into[low] as number) + ((two & 15) - MIDDLE) * scale
      into[low + 1] = (into[low + 1] as number) + ((two >> 4) - MIDDLE) * scale
    }
  }
}
