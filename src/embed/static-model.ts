import { SkillshelfError } from '../core/errors.js'
import { analyze, TERM } from '../text/analyze.js'
import { removeNegatedClauses } from '../text/negation.js'
import { fromHalf, type ModelFile, type Part, partOf, readModelFile, ZERO_LEVEL } from './format.js'
import { normalize } from './normalize.js'
import type { EmbeddedSkill, SkillModel } from './types.js'
import { openVocabulary, type Vocabulary } from './vocabulary.js'

/** The files of a model. Without the `Rest` files it has its first dimensions only; without `han` it has words only. */
export interface StaticModelFiles {
  latin: Uint8Array
  latinRest?: Uint8Array | undefined
  han?: Uint8Array | undefined
  hanRest?: Uint8Array | undefined
}

/** A model with one row of weights per term: the vector of a text is the normalized sum of its rows. */
export interface StaticModel extends SkillModel {
  /** True if the grams of ideographs, kana and Hangul are loaded. */
  readonly hasHan: boolean
  /** The vector of a skill: name and description, plus half the weight of the body and of the messages (measured). */
  skillVector(skill: EmbeddedSkill, into?: Float32Array): Float32Array
}

/** Maximum terms read from a body, and characters per term in the text they are read from. */
const BODY_TERMS = 600
const CHARACTERS_PER_TERM = 40
const BODY_WEIGHT = 0.5
const MESSAGES_WEIGHT = 0.5

interface Table {
  vocabulary: Vocabulary
  files: readonly ModelFile[]
}

/**
 * Opens a model from its bytes, in pure TypeScript without WebAssembly.
 * @throws SkillshelfError `format` for files that are corrupt or of different models, `invalid-input` for files passed as another part
 */
export function openStaticModel(files: StaticModelFiles): StaticModel {
  const latin = openTable('latin', files.latin, files.latinRest)
  const han = files.han && openTable('han', files.han, files.hanRest)
  const { format, weights } = (latin.files[0] as ModelFile).head
  const dimensions = dimensionsOf(latin)
  if (han && dimensionsOf(han) !== dimensions)
    throw new SkillshelfError('invalid-input', 'The parts of the model have different dimensions', {
      hint: 'pass the remaining dimensions of both parts, or of neither',
    })
  if (han && han.files[0]?.head.weights !== weights) throw differentModels()

  const addText = (text: string, into: Float32Array, maxTerms = Number.POSITIVE_INFINITY): void => {
    let count = 0
    analyze(text, (term, kind) => {
      if (!(kind & TERM) || count++ >= maxTerms) return
      const table = partOf(term) === 'latin' ? latin : han
      const row = table ? table.vocabulary.find(term) : -1
      if (table && row >= 0) addRow(table, row, into)
    })
  }
  const part = new Float32Array(dimensions)
  const sum = new Float32Array(dimensions)
  const addWeighted = (vector: Float32Array, weight: number, into: Float32Array): void => {
    for (let index = 0; index < dimensions; index++)
      into[index] = (into[index] as number) + weight * (vector[index] as number)
  }

  return {
    space: `${format}/${weights}/${dimensions}`,
    dimensions,
    hasHan: han !== undefined,
    vectorOf(text, into = new Float32Array(dimensions)) {
      into.fill(0)
      addText(text, into)
      return normalize(into)
    },
    skillVector({ name, description, messages = [], body }, into = new Float32Array(dimensions)) {
      into.fill(0)
      addText(name, into)
      addText(removeNegatedClauses(description), into)
      normalize(into)
      part.fill(0)
      addText(body.slice(0, BODY_TERMS * CHARACTERS_PER_TERM), part, BODY_TERMS)
      addWeighted(normalize(part), BODY_WEIGHT, into)
      sum.fill(0)
      for (const message of messages) {
        part.fill(0)
        addText(message, part)
        addWeighted(normalize(part), 1, sum)
      }
      addWeighted(normalize(sum), MESSAGES_WEIGHT, into)
      return normalize(into)
    },
  }
}

function openTable(part: Part, firstBytes: Uint8Array, restBytes: Uint8Array | undefined): Table {
  const files = [firstBytes, ...(restBytes ? [restBytes] : [])].map(readModelFile)
  const [first, rest] = files as [ModelFile, ModelFile?]
  if (first.head.part !== part || !first.vocabulary || (rest && rest.head.part !== part))
    throw new SkillshelfError('invalid-input', `This is not the ${part} part of a model`)
  if (rest && (rest.head.weights !== first.head.weights || rest.head.dimensions[0] !== first.head.dimensions[1]))
    throw differentModels()
  const { terms, blocks } = first.vocabulary
  return { vocabulary: openVocabulary(terms, blocks, first.head.rows), files }
}

function dimensionsOf({ files }: Table): number {
  return (files.at(-1) as ModelFile).head.dimensions[1]
}

function differentModels(): SkillshelfError {
  return new SkillshelfError('format', 'The model files belong to different models', {
    hint: 'take all files from one version of skillshelf',
  })
}

function addRow({ files }: Table, row: number, into: Float32Array): void {
  for (const { head, rows, scales } of files) {
    const [from, to] = head.dimensions
    const scale = fromHalf(scales[row] as number)
    const size = (to - from) >> 1
    const start = row * size
    for (let index = 0; index < size; index++) {
      const packed = rows[start + index] as number
      const low = from + index * 2
      into[low] = (into[low] as number) + ((packed & 15) - ZERO_LEVEL) * scale
      into[low + 1] = (into[low + 1] as number) + ((packed >> 4) - ZERO_LEVEL) * scale
    }
  }
}
