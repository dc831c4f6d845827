import { createByteReader, createByteWriter } from '../../core/bytes.js'
import { analyze, SEQUENCE, TERM } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import { divideDescription } from '../../core/text/description-negation.js'
import type { EmbeddedSkill, SkillModel } from '../model/skill-model.js'
import { GAP, sequenceCode } from './fingerprint.js'
import { sortTerms } from './lexicon.js'
import { messageTerm } from './message-key.js'
import { joinRuledOut } from './ruled-out.js'
import { createVectorsWriter } from './vectors.js'
import { BODY_LENGTH, type FIELDS, occurrenceWeight, toByte } from './weights.js'
import { writeSegment } from './write.js'

/** The searched texts of a skill. */
export interface SegmentDocument {
  name: string
  displayName?: string | undefined
  description: string
  whenToUse?: string | undefined
  /** Descriptions in other languages, by tag. */
  descriptions?: Readonly<Record<string, string>> | undefined
  tags: readonly string[]
  /** Messages of users who need the skill. */
  messages?: readonly string[] | undefined
  /** Messages that the skill is not for. None equals one of `messages`. */
  notMessages?: readonly string[] | undefined
  /** The text after the frontmatter. */
  body: string
}

const loneSurrogate = /\p{Surrogate}/u
const loneSurrogates = /\p{Surrogate}/gu

/** Length of a forward list: the words of a skill that can match pairs and names. */
const SEQUENCE_LENGTH = 256

/** Maximum parts of camelCase words that a forward list has in addition. */
const MAX_PARTS = 64

/** Builds a segment, skill by skill. */
export interface SegmentBuilder {
  /** Number of skills added: the number of the next one. */
  readonly length: number
  add(document: SegmentDocument): void
  /** Returns the bytes of the segment. Nothing is added afterwards. */
  finish(): Uint8Array<ArrayBuffer>
}

/** @param options `embedder`: gives each skill a vector; await its `prepare` before `add`. Default: no vectors. */
export function createSegmentBuilder({
  embedder,
}: {
  embedder?: SkillModel | undefined
} = {}): SegmentBuilder {
  const vectors = embedder && createVectorsWriter(embedder.space, embedder.dimensions)
  const vector = new Float32Array(embedder?.dimensions ?? 0)
  const names: string[] = []
  const messages: string[] = []
  const ruledOut: string[] = []
  const sequences: Uint16Array[] = []
  const heads: number[] = []
  const ids = new Map<string, number>()
  // Postings in skill order, grouped by term at the end: number of terms, then the id and the weight byte of each.
  const postings = createByteWriter(65_536)
  /** The weighted frequency of each term in the skill that is added, by id, and the ids that it has. */
  const frequencies: number[] = []
  let ofSkill: number[] = []
  let field: number[] = []
  let sequence: number[] = []
  let sequenceRoom = 0
  // Parts of camelCase words: index terms that are not in the sequence of their text.
  const partCodes = new Set<number>()

  const idOf = (term: string): number => {
    let id = ids.get(term)
    if (id === undefined) {
      // Terms are stored in UTF-8, which has no lone surrogates.
      if (loneSurrogate.test(term)) return idOf(term.replace(loneSurrogates, '\ufffd'))
      id = frequencies.push(0) - 1
      ids.set(term, id)
    }
    return id
  }
  const addToSequence = (code: number): void => {
    if (sequenceRoom-- > 0) sequence.push(code)
  }
  const read = (text: string): void => {
    analyze(text, (term, kind) => {
      if (kind & TERM) field.push(idOf(term))
      if (kind === TERM && isSpaced(term) && partCodes.size < MAX_PARTS) {
        partCodes.add(sequenceCode(term))
      }
      if (kind & SEQUENCE) addToSequence(sequenceCode(term))
    })
    addToSequence(GAP)
  }
  const addVector = (model: SkillModel, document: SegmentDocument): void => {
    const skill = embeddedSkill(document)
    vectors?.add(model.skillVector(skill, vector), ruledOutVector(model, skill))
  }
  const countField = (name: keyof typeof FIELDS): void => {
    const weight = occurrenceWeight(name, field.length)
    for (const id of field) {
      if (frequencies[id] === 0) ofSkill.push(id)
      frequencies[id] = Math.fround((frequencies[id] as number) + weight)
    }
    field = []
  }
  const countWhole = (message: string): void => {
    field.push(idOf(messageTerm(message)))
    countField('message')
  }

  return {
    get length() {
      return names.length
    },
    add(document) {
      const { name, displayName, tags, body } = document
      const description = divideDescription(document.description)
      const whenToUse = divideDescription(document.whenToUse ?? '')
      names.push(
        [name, displayName ?? '', ...tags].map(text => text.replaceAll('\n', ' ')).join('\n'),
      )
      sequenceRoom = SEQUENCE_LENGTH
      read(name)
      if (displayName !== undefined && displayName !== name) read(displayName)
      countField('name')
      partCodes.clear()
      for (const text of [...tags, description.kept, whenToUse.kept]) {
        if (text !== '') read(text)
      }
      countField('description')
      // Each one between gaps, so that no two are a pair. They take no room from words.
      for (const code of partCodes) sequence.push(code, GAP)
      heads.push(sequence.length)
      // Each language has its own length, so that none makes the words of another weigh less.
      for (const text of Object.values(document.descriptions ?? {})) {
        read(divideDescription(text).kept)
        countField('description')
      }
      read(body.slice(0, BODY_LENGTH))
      countField('body')
      const ownMessages = document.messages ?? []
      messages.push(ownMessages.map(text => text.replaceAll('\n', ' ')).join('\n'))
      const clauses = [description.ruledOut, whenToUse.ruledOut].filter(Boolean).join('\n')
      ruledOut.push(joinRuledOut(clauses, document.notMessages))
      // Messages are not part of the forward list.
      sequenceRoom = 0
      for (const message of ownMessages) {
        read(message)
        countField('message')
        countWhole(message)
      }
      // They count against it, but have to be found: see `weighRuledOut`.
      for (const message of document.notMessages ?? []) countWhole(message)
      sequences.push(Uint16Array.from(sequence))
      sequence = []
      postings.varint(ofSkill.length)
      for (const id of ofSkill) {
        postings.varint(id)
        postings.byte(toByte(frequencies[id] as number))
        frequencies[id] = 0
      }
      ofSkill = []
      if (embedder) addVector(embedder, document)
    },
    finish() {
      const { starts, skills, weights } = groupByTerm(postings.finish(), names.length, ids.size)
      const terms = function* () {
        for (const term of sortTerms([...ids.keys()])) {
          const id = idOf(term)
          const [start, end] = [starts[id], starts[id + 1]]
          yield { term, skills: skills.subarray(start, end), weights: weights.subarray(start, end) }
        }
      }
      return writeSegment({
        names,
        sequences,
        heads,
        messages,
        ruledOut,
        terms: terms(),
        vectors: vectors?.finish(),
      })
    },
  }
}

/** The texts of a skill as a model reads them. */
export function embeddedSkill(document: SegmentDocument): EmbeddedSkill {
  const {
    name,
    displayName = '',
    description,
    whenToUse = '',
    descriptions = {},
    tags,
    messages = [],
    notMessages,
    body,
  } = document
  return {
    name: [name, displayName, ...tags].join(' '),
    description: [`${description} ${whenToUse}`, ...Object.values(descriptions)].join('\n'),
    messages,
    ...(notMessages ? { notMessages } : {}),
    body,
  }
}

/** The text that a skill rules out. */
export function ruledOutText({ description, notMessages }: EmbeddedSkill): string {
  return joinRuledOut(divideDescription(description).ruledOut, notMessages)
}

/** The vector of what a skill rules out; `undefined` if it rules out nothing. */
export function ruledOutVector(model: SkillModel, skill: EmbeddedSkill): Float32Array | undefined {
  const text = ruledOutText(skill)
  return text === '' ? undefined : model.vectorOf(text)
}

/** A counting sort of postings from skill order to term order. Stable, so skills stay ascending within a term. */
function groupByTerm(
  postings: Uint8Array,
  skillCount: number,
  termCount: number,
): { starts: Uint32Array; skills: Uint32Array; weights: Uint8Array } {
  const each = (use: (skill: number, term: number, weight: number) => void): void => {
    const reader = createByteReader(postings)
    for (let skill = 0; skill < skillCount; skill++) {
      for (let left = reader.varint(); left > 0; left--) {
        const term = reader.varint()
        const weight = postings[reader.at++] as number
        use(skill, term, weight)
      }
    }
  }
  const starts = new Uint32Array(termCount + 1)
  each((_, term) => {
    starts[term + 1] = (starts[term + 1] as number) + 1
  })
  for (let term = 0; term < termCount; term++) {
    starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number)
  }
  const next = starts.slice()
  const skills = new Uint32Array(starts.at(-1) as number)
  const weights = new Uint8Array(skills.length)
  each((skill, term, weight) => {
    const slot = next[term] as number
    next[term] = slot + 1
    skills[slot] = skill
    weights[slot] = weight
  })
  return { starts, skills, weights }
}
