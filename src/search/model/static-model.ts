import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { analyze, TERM } from '../../core/text/analyze.js'
import { divideDescription } from '../../core/text/description-negation.js'
import { fromHalf, type ModelHead, readModelFile, ZERO_LEVEL } from './format.js'
import {
  isMissing,
  type MissingRows,
  type ModelRow,
  type PartRows,
  wholeRows,
} from './part-rows.js'
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
  /** What the vector of a text needs and is not loaded. Once it is, more may be missing: the stems of words that the model does not have. */
  missing(text: string): readonly MissingRows[]
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

/**
 * Opens a model from its bytes, in pure TypeScript without WebAssembly.
 * @throws SkillshelfError `format` for files that are corrupt or of different models, `invalid-input` for files passed as another part
 */
export function openStaticModel(files: StaticModelFiles): StaticModel {
  const opened = new Map<Part, PartRows>()
  for (const part of PARTS) {
    const bytes = files[part]
    if (bytes) opened.set(part, wholeRows(checkPart(part, readModelFile(bytes))))
  }
  return createStaticModel(opened)
}

/**
 * Makes a model of the rows of its parts.
 * @param opened With `latin`. Parts and pieces that are added later take part.
 * @throws SkillshelfError `format` if they are of different models
 */
export function createStaticModel(opened: ReadonlyMap<Part, PartRows>): StaticModel {
  const { head } = opened.get('latin') as PartRows
  const { dimensions } = head
  for (const { head: other } of opened.values()) checkSameModel(head, other)

  const findRow = (term: string, tried: readonly Part[]): ModelRow | MissingRows | undefined => {
    // All of them, whichever has the term: the same text always needs the same parts.
    for (const part of tried) {
      if (!opened.has(part)) return { part, piece: undefined }
    }
    for (const part of tried) {
      const found = opened.get(part)?.find(term)
      if (found) return found
    }
    const last = opened.get(tried.at(-1) as Part)
    for (const stem of stemsOf(term)) {
      const found = last?.find(stem)
      if (found) return found
    }
    return undefined
  }
  /** Returns `false` if rows that the terms need are missing. */
  const eachTerm = (
    { text, maxTerms = Number.POSITIVE_INFINITY }: Text,
    each: (row: ModelRow | undefined, term: string) => void,
    eachMissing?: (missing: MissingRows) => void,
  ): boolean => {
    const parts = new Set<Part>(isEuropean(text) ? ['european'] : [])
    let count = 0
    let isComplete = true
    analyze(text, (term, kind) => {
      if (!(kind & TERM) || count++ >= maxTerms) return
      const found = findRow(term, partsOfTerm(term, parts))
      if (isMissing(found)) {
        isComplete = false
        eachMissing?.(found)
      } else each(found, term)
    })
    return isComplete
  }
  /** Writes the vector of a text: zeros if rows are missing. */
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
    get parts() {
      return new Set(opened.keys())
    },
    missing(text) {
      const missing = new Map<string, MissingRows>()
      const add = (rows: MissingRows): void => {
        missing.set(`${rows.part} ${rows.piece}`, rows)
      }
      eachTerm({ text }, () => {}, add)
      return [...missing.values()]
    },
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
function textsOf({ name, description, messages = [], notMessages = [], body }: EmbeddedSkill): {
  head: Text
  body: Text
  messages: Text[]
  ruledOut: Text
} {
  const { kept, ruledOut } = divideDescription(description)
  return {
    head: { text: `${name}\n${kept}` },
    ruledOut: { text: [ruledOut, ...notMessages].join('\n') },
    body: { text: body.slice(0, BODY_TERMS * CHARACTERS_PER_TERM), maxTerms: BODY_TERMS },
    messages: messages.map(text => ({ text })),
  }
}

/** @throws SkillshelfError `invalid-input` */
export function checkPart<File extends { head: ModelHead }>(part: Part, file: File): File {
  if (file.head.part === part) return file
  throw invalidInput(`This is the ${file.head.part} part of a model, not the ${part} part`)
}

/** @throws SkillshelfError `format` */
function checkSameModel(head: ModelHead, other: ModelHead): void {
  if (other.weights === head.weights && other.dimensions === head.dimensions) return
  throw new SkillshelfError('format', 'The model files belong to different models', {
    hint: 'take all files from one version of skillshelf',
  })
}

function addRow({ file: { head, rows, scales }, row }: ModelRow, into: Float32Array): void {
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
