import { analyze, SEQUENCE, TERM } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import { removeNegatedClauses } from '../../core/text/negation.js'
import type { EmbeddedSkill, SkillModel } from '../model/types.js'
import { GAP, sequenceCode } from './fingerprint.js'
import { sortTerms } from './lexicon.js'
import { createVectorsWriter } from './vectors.js'
import { BODY_LENGTH, type FIELDS, occurrenceWeight, toByte } from './weights.js'
import { writeSegment } from './write.js'

/** The searched texts of a skill. */
export interface SegmentDocument {
  name: string
  displayName?: string | undefined
  description: string
  whenToUse?: string | undefined
  tags: readonly string[]
  /** Messages of users who need the skill. */
  messages?: readonly string[] | undefined
  /** The text after the frontmatter. */
  body: string
}

const loneSurrogate = /\p{Surrogate}/u
const loneSurrogates = /\p{Surrogate}/gu

/** Length of a forward list: the words of a skill that can match pairs and names. */
const SEQUENCE_LENGTH = 256

/** Maximum parts of camelCase words that a forward list has in addition. */
const MAX_PARTS = 64

export interface SegmentBuilder {
  add(document: SegmentDocument): void
  readonly length: number
  finish(): Uint8Array<ArrayBuffer>
}

/**
 * Builds a segment. The n-th added skill has number n.
 * @param options With an `embedder`, the segment also holds a vector of each skill. Await its `prepare` before `add`.
 */
export function createSegmentBuilder({ embedder }: { embedder?: SkillModel | undefined } = {}): SegmentBuilder {
  const vectors = embedder && createVectorsWriter(embedder.space, embedder.dimensions)
  const vector = new Float32Array(embedder?.dimensions ?? 0)
  const ids = new Map<string, number>()
  const names: string[] = []
  const messageTexts: string[] = []
  const sequences = growableArray(Uint16Array)
  const sequenceStarts: number[] = [0]
  const headLengths: number[] = []
  // Postings in skill order, grouped by term at the end.
  const postingTerms = growableArray(Uint32Array)
  const postingWeights = growableArray(Uint8Array)
  const postingEnds: number[] = []

  let frequencies = new Float32Array(4_096)
  const touched: number[] = []
  let field: number[] = []

  const idOf = (term: string): number => {
    let id = ids.get(term)
    if (id === undefined) {
      // Terms are stored in UTF-8, which has no lone surrogates.
      if (loneSurrogate.test(term)) return idOf(term.replace(loneSurrogates, '\ufffd'))
      id = ids.size
      ids.set(term, id)
      if (id === frequencies.length) {
        const grown = new Float32Array(id * 2)
        grown.set(frequencies)
        frequencies = grown
      }
    }
    return id
  }
  let sequenceRoom = 0
  // Parts of camelCase words: index terms that are not in the sequence of their text.
  const partCodes = new Set<number>()
  const read = (text: string): void => {
    analyze(text, (term, kind) => {
      if (kind & TERM) field.push(idOf(term))
      if (kind === TERM && isSpaced(term) && partCodes.size < MAX_PARTS) partCodes.add(sequenceCode(term))
      if (kind & SEQUENCE && sequenceRoom > 0) {
        sequenceRoom--
        sequences.push(sequenceCode(term))
      }
    })
    if (sequenceRoom > 0) {
      sequenceRoom--
      sequences.push(GAP)
    }
  }
  const countField = (name: keyof typeof FIELDS): void => {
    const weight = occurrenceWeight(name, field.length)
    for (const id of field) {
      if (frequencies[id] === 0) touched.push(id)
      frequencies[id] = (frequencies[id] as number) + weight
    }
    field = []
  }

  return {
    get length() {
      return names.length
    },
    add({ name, displayName, description, whenToUse, tags, messages = [], body }) {
      names.push([name, displayName ?? '', ...tags].map(text => text.replaceAll('\n', ' ')).join('\n'))
      sequenceRoom = SEQUENCE_LENGTH
      read(name)
      if (displayName !== undefined && displayName !== name) read(displayName)
      countField('name')
      partCodes.clear()
      for (const text of [...tags, removeNegatedClauses(description), removeNegatedClauses(whenToUse ?? '')])
        if (text !== '') read(text)
      countField('description')
      // Each one between gaps, so that no two are a pair. They take no room from words.
      for (const code of partCodes) {
        sequences.push(code)
        sequences.push(GAP)
      }
      headLengths.push(sequences.length - (sequenceStarts.at(-1) as number))
      read(body.slice(0, BODY_LENGTH))
      countField('body')
      messageTexts.push(messages.map(text => text.replaceAll('\n', ' ')).join('\n'))
      // Messages are not part of the forward list.
      sequenceRoom = 0
      for (const message of messages) {
        read(message)
        countField('message')
      }
      sequenceStarts.push(sequences.length)
      for (const id of touched) {
        postingTerms.push(id)
        postingWeights.push(toByte(frequencies[id] as number))
        frequencies[id] = 0
      }
      touched.length = 0
      postingEnds.push(postingTerms.length)
      if (embedder)
        vectors?.add(
          embedder.skillVector(
            embeddedSkill({ name, displayName, description, whenToUse, tags, messages, body }),
            vector,
          ),
        )
    },
    finish() {
      const { starts, skills, weights } = groupByTerm(
        postingTerms.array(),
        postingWeights.array(),
        postingEnds,
        ids.size,
      )
      const terms = function* () {
        for (const term of sortTerms([...ids.keys()])) {
          const id = ids.get(term) as number
          yield { term, skills, weights, from: starts[id] as number, to: starts[id + 1] as number }
        }
      }
      return writeSegment({
        names,
        starts: sequenceStarts,
        sequences: sequences.array(),
        heads: headLengths,
        messages: messageTexts,
        terms: terms(),
        vectors: vectors?.finish(),
      })
    },
  }
}

/** The texts of a skill as a model reads them. */
export function embeddedSkill({
  name,
  displayName,
  description,
  whenToUse,
  tags,
  messages = [],
  body,
}: SegmentDocument): EmbeddedSkill {
  return {
    name: [name, displayName ?? '', ...tags].join(' '),
    description: `${description} ${whenToUse ?? ''}`,
    messages,
    body,
  }
}

/** A counting sort of postings from skill order to term order. Stable, so skills stay ascending within a term. */
function groupByTerm(
  terms: Uint32Array,
  weights: Uint8Array,
  ends: readonly number[],
  termCount: number,
): { starts: Uint32Array; skills: Uint32Array; weights: Uint8Array } {
  const starts = new Uint32Array(termCount + 1)
  for (const term of terms) starts[term + 1] = (starts[term + 1] as number) + 1
  for (let term = 0; term < termCount; term++)
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number)
  const next = starts.slice()
  const skills = new Uint32Array(terms.length)
  const sorted = new Uint8Array(terms.length)
  let index = 0
  for (const [skill, end] of ends.entries()) {
    for (; index < end; index++) {
      const term = terms[index] as number
      const slot = next[term] as number
      next[term] = slot + 1
      skills[slot] = skill
      sorted[slot] = weights[index] as number
    }
  }
  return { starts, skills, weights: sorted }
}

type NumberArray = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

function growableArray<T extends NumberArray>(
  type: new (length: number) => T,
): { readonly length: number; push(value: number): void; array(): T } {
  let buffer = new type(16_384)
  let length = 0
  return {
    get length() {
      return length
    },
    push(value) {
      if (length === buffer.length) {
        const grown = new type(length * 2)
        grown.set(buffer)
        buffer = grown
      }
      buffer[length++] = value
    },
    array: () => buffer.subarray(0, length) as T,
  }
}
