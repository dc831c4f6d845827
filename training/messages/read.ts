import { readFileSync } from 'node:fs'

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
export function readMessages(file: 'messages.tsv' | 'messages-by-situation.tsv' = 'messages.tsv'): SkillMessage[] {
  return readLines(file)
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
