/** The examples that the encoder learns from, as files for Python. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { embeddedText } from '../../src/library/model/embedded-texts.js'
import { readAllMessages, readNearMisses } from '../messages/read.js'
import type { Kind } from '../model/pair.js'
import { readPairs, type TrainingData } from '../model/pairs.js'

/** Kinds of pairs whose second text is a skill. */
const OF_SKILLS: readonly Kind[] = ['split', 'heading', 'paragraph', 'phrase', 'cross', 'line']
/** Kinds of pairs of a line and its English translation. */
const TRANSLATIONS: readonly Kind[] = ['translation', 'software']
/** A shorter line has little to align. */
const MIN_CHARACTERS = 8

/** A text to learn from. `skill` is a position in skills.jsonl. */
interface Example {
  kind: Kind | 'near'
  text: string
  language?: string | undefined
  /** The text of the skill, of what a near miss needs, or the translation. Absent for messages: any text of the skill is right. */
  other?: string
  skill?: number
}

/** Writes skills.jsonl and examples.jsonl. Returns the number of examples of each kind. */
export async function writeExamples(folder: string): Promise<Record<string, number>> {
  const data = await readPairs()
  const numbers = new Map(data.skills.map(({ key }, number) => [key, number]))
  const examples = [...messageExamples(data), ...pairExamples(data, numbers)]
  const skills = data.skills.map(({ key, texts }) => ({
    origin: key.split('\t')[0],
    texts: texts.map(embeddedText),
  }))
  writeLines(join(folder, 'skills.jsonl'), skills)
  writeLines(join(folder, 'examples.jsonl'), examples)
  const counts: Record<string, number> = {}
  for (const { kind } of examples) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

function messageExamples({ skills, registry }: TrainingData): Example[] {
  const numbers = new Map(
    skills.map(({ key }, number) => [key.replace('\t', '/').toLowerCase(), number]),
  )
  for (const { owner, folder, name } of registry) {
    const number = numbers.get(`clawhub:${owner}/${name}`.toLowerCase())
    const id = `clawhub:${owner}/${folder}`.toLowerCase()
    if (number !== undefined && !numbers.has(id)) numbers.set(id, number)
  }
  const numberOf = (id: string): number => {
    const number = numbers.get(id.toLowerCase())
    if (number === undefined) {
      throw new Error(`There is no skill ${id}, or it belongs to the evaluation`)
    }
    return number
  }
  return [
    ...readAllMessages().map(
      ({ id, language, message }): Example => ({
        kind: 'message',
        text: message,
        language,
        skill: numberOf(id),
      }),
    ),
    ...readNearMisses().map(
      ({ id, language, message, need }): Example => ({
        kind: 'near',
        text: message,
        language,
        other: need,
        skill: numberOf(id),
      }),
    ),
  ]
}

function pairExamples({ pairs }: TrainingData, numbers: ReadonlyMap<string, number>): Example[] {
  return pairs.flatMap(({ kind, a, b, group, language }): Example[] => {
    if (TRANSLATIONS.includes(kind)) {
      return Math.min(a.length * 2, b.length) < MIN_CHARACTERS
        ? []
        : [{ kind, text: a, language, other: b }]
    }
    const skill = numbers.get(group)
    if (!OF_SKILLS.includes(kind) || skill === undefined) return []
    return [{ kind, text: a, language, other: kind === 'split' ? b : skillText(b), skill }]
  })
}

/** A name and a description, a line each, as the text of a skill that an encoder reads. */
function skillText(head: string): string {
  const [name = '', ...description] = head.split('\n')
  return embeddedText({ name, description: description.join('\n') })
}

function writeLines(file: string, rows: readonly object[]): void {
  writeFileSync(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
}
