import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** A message that a user who needs a skill might type. */
export interface SkillMessage {
  /** Id of the skill: its origin and folder. */
  id: string
  /** BCP 47. */
  language: string
  message: string
}

/** A message that sounds like a skill and needs something else. */
export interface NearMiss extends SkillMessage {
  /** What the message needs. */
  need: string
}

/** The messages of messages.tsv, or of another file of the same columns. */
export function readMessages(
  file: 'messages.tsv' | 'messages-by-situation.tsv' = 'messages.tsv',
): SkillMessage[] {
  return readLines(file)
}

/** The messages of both files. */
export function readAllMessages(): SkillMessage[] {
  return [...readMessages('messages.tsv'), ...readMessages('messages-by-situation.tsv')]
}

/** True for an eighth of the skills: `npm run train -- --dev` does not learn their messages. */
export function isHeldOut(id: string): boolean {
  return crc32(id.toLowerCase()) % 8 === 0
}

export function readNearMisses(): NearMiss[] {
  return readLines('near-misses.tsv')
}

function readLines(file: string): NearMiss[] {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [id = '', language = '', message = '', need = ''] = line.split('\t')
      return { id, language, message, need }
    })
}
