import { readFileSync } from 'node:fs'

/** A message that a user who needs a skill might type. */
export interface SkillMessage {
  /** Id of the skill: its origin and folder. */
  id: string
  /** BCP 47. */
  language: string
  message: string
}

/** The messages of messages.tsv. */
export function readMessages(): SkillMessage[] {
  return readFileSync(new URL('messages.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [id = '', language = '', message = ''] = line.split('\t')
      return { id, language, message }
    })
}
