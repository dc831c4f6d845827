import { isRecord } from '../core/record.js'

type Kind = 'text' | 'text?' | 'number' | 'boolean' | 'texts' | 'record'

/** What an answer must have for this library to work with it. What else it has is passed on. */
export interface Shape {
  fields: Readonly<Record<string, Kind>>
  /** Lists of records. */
  lists?: Readonly<Record<string, Shape>>
}

const MATCH = {
  id: 'text',
  name: 'text',
  score: 'number',
  confidence: 'number',
  reason: 'text',
  signals: 'record',
} as const
const SUMMARY = {
  id: 'text',
  name: 'text',
  displayName: 'text?',
  description: 'text',
  tags: 'texts',
  origin: 'text',
  path: 'text',
  digest: 'text',
  tokens: 'record',
} as const
const DIAGNOSTICS: Shape = { fields: { code: 'text', severity: 'text', message: 'text' } }

export const SNAPSHOT: Shape = {
  fields: { revision: 'text' },
  lists: { skills: { fields: SUMMARY }, diagnostics: DIAGNOSTICS },
}
export const SKILL: Shape = {
  fields: {
    ...SUMMARY,
    metadata: 'record',
    instructions: 'text',
    text: 'text',
    frontmatter: 'text',
    file: 'text',
    root: 'text',
  },
  lists: { files: { fields: { path: 'text' } }, diagnostics: DIAGNOSTICS },
}
export const RESULT: Shape = { fields: { revision: 'text', model: 'text' }, lists: { matches: { fields: MATCH } } }
export const EXPLANATION: Shape = { fields: { ...MATCH, rank: 'number', matched: 'boolean' } }

export function fits(value: unknown, { fields, lists = {} }: Shape): boolean {
  if (!isRecord(value)) return false
  return (
    Object.entries(fields).every(([name, kind]) => isKind(value[name], kind)) &&
    Object.entries(lists).every(([name, shape]) => {
      const list = value[name]
      return Array.isArray(list) && list.every(one => fits(one, shape))
    })
  )
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind === 'text?') return value === undefined || typeof value === 'string'
  if (kind === 'text') return typeof value === 'string'
  if (kind === 'record') return isRecord(value)
  if (kind === 'texts') return Array.isArray(value) && value.every(one => typeof one === 'string')
  return typeof value === kind
}
