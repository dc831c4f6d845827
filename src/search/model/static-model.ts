import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { analyze, TERM } from '../../core/text/analyze.js'
import { removeNegatedClauses } from '../../core/text/description-negation.js'
import { fromHalf, type ModelFile, readModelFile, ZERO_LEVEL } from './format.js'
import {
  isEuropean,
  isGrams,
  PARTS,
  type Part,
  partsOf,
  partsOfTerm,
  stemsOf,
} from './script-parts.js'
import type { EmbeddedSkill, SkillModel } from './skill-model.js'
import { normalize } from './unit-vectors.js'

/** The files of a model by part. A text that needs another part has no vector: a poorer one would not be comparable. */
export type StaticModelFiles = { readonly latin: Uint8Array } & {
  readonly [P in Part]?: Uint8Array | undefined
}

/** A model with one row of weights per term: the vector of a text is the normalized sum of its rows. */
export interface StaticModel extends SkillModel {
  readonly parts: ReadonlySet<Part>
  /** The vector of a skill: name and description, as much of the messages, and half as much of the body (measured). */
  skillVector(skill: EmbeddedSkill, into?: Float32Array): Float32Array
  /** Share of the terms of a text that the model knows, 0 to 1. */
  coverage(text: string): number
}

/** Maximum terms read from a body, and characters per term in the text they are read from. */
const BODY_TERMS = 600
const CHARACTERS_PER_TERM = 40
const BODY_WEIGHT = 0.5
const MESSAGES_WEIGHT = 0.5

interface Row {
  file: ModelFile
  row: number
}

/**
 * Opens a model from its bytes, in pure TypeScript without WebAssembly.
 * @throws SkillshelfError `format` for files that are corrupt or of different models, `invalid-input` for files passed as another part
 */
export function openStaticModel(files: StaticModelFiles): StaticModel {
  const opened = new Map<Part, ModelFile>()
  for (const part of PARTS) {
    const bytes = files[part]
    if (bytes) opened.set(part, openPart(part, bytes))
  }
  const { head } = opened.get('latin') as ModelFile
  const { dimensions } = head
  for (const { head: other } of opened.values()) {
    if (other.weights !== head.weights || other.dimensions !== dimensions) {
      throw new SkillshelfError('format', 'The model files belong to different models', {
        hint: 'take all files from one version of skillshelf',
      })
    }
  }

  const findIn = (part: Part | undefined, term: string): Row | undefined => {
    const file = part && opened.get(part)
    const row = file?.vocabulary.find(term) ?? -1
    return file && row >= 0 ? { file, row } : undefined
  }
  const findRow = (term: string, tried: readonly Part[]): Row | undefined => {
    let found: Row | undefined
    for (const part of tried) found ??= findIn(part, term)
    if (found) return found
    for (const stem of stemsOf(term)) found ??= findIn(tried.at(-1), stem)
    return found
  }
  /** Returns `false` if a part that the terms need is missing. */
  const eachTerm = (
    { text, maxTerms = Number.POSITIVE_INFINITY }: Text,
    each: (row: Row | undefined, term: string) => void,
  ): boolean => {
    const parts = new Set<Part>(isEuropean(text) ? ['european'] : [])
    let count = 0
    let isComplete = true
    analyze(text, (term, kind) => {
      if (!(kind & TERM) || count++ >= maxTerms) return
      const tried = partsOfTerm(term, parts)
      if (tried.every(part => opened.has(part))) each(findRow(term, tried), term)
      else isComplete = false
    })
    return isComplete
  }
  /** Writes the vector of a text: zeros if a part is missing. */
  const embed = (text: Text, into: Float32Array): boolean => {
    into.fill(0)
    const isComplete = eachTerm(text, found => found && addRow(found, into))
    if (isComplete) normalize(into)
    else into.fill(0)
    return isComplete
  }
  const part = new Float32Array(dimensions)
  const sum = new Float32Array(dimensions)
  const addWeighted = (vector: Float32Array, weight: number, into: Float32Array): void => {
    for (let index = 0; index < dimensions; index++) {
      into[index] = (into[index] as number) + weight * (vector[index] as number)
    }
  }

  return {
    space: `${head.format}/${head.weights}/${dimensions}`,
    dimensions,
    parts: new Set(opened.keys()),
    coverage(text) {
      let all = 0
      let known = 0
      const isComplete = eachTerm({ text }, (found, term) => {
        // No model knows most runs of three characters.
        if (isGrams(term) && term.length > 2) return
        all++
        if (found) known++
      })
      return all === 0 || !isComplete ? 0 : known / all
    },
    vectorOf(text, into = new Float32Array(dimensions)) {
      embed({ text }, into)
      return into
    },
    skillVector(skill, into = new Float32Array(dimensions)) {
      const { head, body, messages } = textsOf(skill)
      let isComplete = embed(head, into)
      isComplete = embed(body, part) && isComplete
      addWeighted(part, BODY_WEIGHT, into)
      sum.fill(0)
      for (const message of messages) {
        isComplete = embed(message, part) && isComplete
        addWeighted(part, 1, sum)
      }
      addWeighted(normalize(sum), MESSAGES_WEIGHT, into)
      return isComplete ? normalize(into) : into.fill(0)
    },
  }
}

/** The parts of the model that the vectors of a message or of skills need. */
export function neededParts(texts: string | readonly EmbeddedSkill[]): Set<Part> {
  const read =
    typeof texts === 'string'
      ? [{ text: texts }]
      : texts.flatMap(skill => Object.values(textsOf(skill)).flat())
  return new Set(read.flatMap(({ text, maxTerms }: Text) => [...partsOf(text, maxTerms)]))
}

/** A text of which the first terms are read. */
interface Text {
  text: string
  maxTerms?: number
}

/** The texts of a skill, which are embedded one by one. */
function textsOf({ name, description, messages = [], body }: EmbeddedSkill): {
  head: Text
  body: Text
  messages: Text[]
} {
  return {
    head: { text: `${name}\n${removeNegatedClauses(description)}` },
    body: { text: body.slice(0, BODY_TERMS * CHARACTERS_PER_TERM), maxTerms: BODY_TERMS },
    messages: messages.map(text => ({ text })),
  }
}

function openPart(part: Part, bytes: Uint8Array): ModelFile {
  const file = readModelFile(bytes)
  if (file.head.part === part) return file
  throw invalidInput(`This is the ${file.head.part} part of a model, not the ${part} part`)
}

function addRow({ file: { head, rows, scales }, row }: Row, into: Float32Array): void {
  const scale = fromHalf(scales[row] as number)
  const size = head.dimensions >> 1
  const start = row * size
  for (let index = 0; index < size; index++) {
    const packed = rows[start + index] as number
    const low = index * 2
    into[low] = (into[low] as number) + ((packed & 15) - ZERO_LEVEL) * scale
    into[low + 1] = (into[low + 1] as number) + ((packed >> 4) - ZERO_LEVEL) * scale
  }
}
