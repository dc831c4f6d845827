/** Pairs of English and other languages, and messages of users in nine languages. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { readAllMessages } from '../messages/read.js'
import type { Document, Pair } from './pair.js'
import type { NamedSkill, Reserved } from './reserved.js'

const folder = new URL('../../../shared/data/pairs/', import.meta.url)

/** Adds the lines of `pairs/*.tsv.gz`: English, a tab, the other language. */
export function addTranslatedLines(reserved: Reserved, pairs: Pair[], documents: Document[]): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.tsv.gz')) continue
    const language = /-([a-z]{2})/.exec(name)?.[1] ?? ''
    for (const line of gunzipSync(readFileSync(new URL(name, folder)))
      .toString()
      .split('\n')) {
      const [english, other] = line.split('\t')
      if (!english || !other || english === other || reserved.hasText(english)) continue
      // Senses of words repeat, so they weigh less than sentences.
      pairs.push({
        kind: name.startsWith('omw') ? 'sense' : 'software',
        a: other,
        b: english,
        group: '',
        language,
      })
      documents.push({ kind: 'other', text: english }, { kind: 'other', text: other, language })
    }
  }
}

/** Adds the messages of ../messages, each with the name and description of its skill. */
export function addMessages(
  skills: ReadonlyMap<string, NamedSkill & { head: string }>,
  reserved: Reserved,
  pairs: Pair[],
  documents: Document[],
): void {
  for (const { id, language, message } of readAllMessages()) {
    const skill = skills.get(id.toLowerCase())
    if (!skill) throw new Error(`There is no skill ${id}, which training/messages names`)
    if (reserved.hasSkill(skill)) throw new Error(`${id} belongs to the evaluation`)
    pairs.push({ kind: 'message', a: message, b: skill.head, group: id, language })
    documents.push({ kind: 'other', text: message, language })
  }
}
