import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** A message and the skills that serve it. */
export interface TriggerQuery {
  query: string
  skill_id: number | string
  skill_name?: string
  alt_skill_ids?: (number | string)[]
  should_trigger: boolean
  tier: string
  lang: string
  origin: string
  /** The repository of the skill, if one library has skills of several. */
  repo?: string
}

/** A skill of the library that a message was written for. */
export interface PoolSkill {
  id: number | string
  origin: string
  repo?: string
  name: string
  displayName?: string
  description: string
  whenToUse?: string
  tags?: readonly string[]
  /** Messages of users who need the skill, indexed as a field of their own. */
  messages?: readonly string[]
  body: string
}

/** Rows of a JSON lines file, gzipped or plain. */
export function readRows<T>(file: string | URL): T[] {
  const bytes = readFileSync(file)
  const text =
    bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString() : bytes.toString()
  return text
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line) as T)
}

/** The skills of the libraries that a file has messages for, with their messages. Lines of the file: id, language, message, tabs between. */
export function withMessages(skills: readonly PoolSkill[], file: string | URL): PoolSkill[] {
  const messages = new Map<string, string[]>()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [id = '', , message = ''] = line.split('\t')
    if (message) messages.set(id, [...(messages.get(id) ?? []), message])
  }
  const origins = new Set(
    skills.filter(({ id }) => messages.has(String(id))).map(({ origin }) => origin),
  )
  return skills
    .filter(({ origin }) => origins.has(origin))
    .map(skill => ({ ...skill, messages: messages.get(String(skill.id)) ?? skill.messages ?? [] }))
}

export function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(key(item))
    if (group) group.push(item)
    else groups.set(key(item), [item])
  }
  return groups
}
