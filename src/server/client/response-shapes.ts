import { isRecord, isStrings } from '../../core/plain-data.js'

type Kind = 'string' | 'string?' | 'number' | 'number?' | 'boolean' | 'boolean?' | 'strings' | 'record'

/** Fields that a response must have. Others are passed through. */
export interface Shape {
  fields: Readonly<Record<string, Kind>>
  /** Fields that are lists of records. */
  lists?: Readonly<Record<string, Shape>>
  /** Lists that may be absent. */
  optionalLists?: Readonly<Record<string, Shape>>
}

const MATCH = { id: 'string', name: 'string', score: 'number', reason: 'string', signals: 'record' } as const
const SUMMARY = {
  id: 'string',
  name: 'string',
  displayName: 'string?',
  description: 'string',
  tags: 'strings',
  origin: 'string',
  path: 'string',
  digest: 'string',
  tokens: 'record',
} as const
const DIAGNOSTICS: Shape = { fields: { code: 'string', severity: 'string', message: 'string' } }

export const SNAPSHOT: Shape = {
  fields: { revision: 'string' },
  lists: { skills: { fields: SUMMARY }, diagnostics: DIAGNOSTICS },
}
export const PAGE: Shape = {
  fields: { revision: 'string', nextCursor: 'string?' },
  lists: { skills: { fields: SUMMARY } },
}
export const SKILL: Shape = {
  fields: {
    ...SUMMARY,
    metadata: 'record',
    instructions: 'string',
    text: 'string',
    frontmatter: 'string',
    file: 'string',
    root: 'string',
  },
  lists: { files: { fields: { path: 'string' } }, diagnostics: DIAGNOSTICS },
}
export const RESULT: Shape = {
  fields: { revision: 'string', model: 'string', complete: 'boolean', served: 'number' },
  lists: { matches: { fields: MATCH } },
  optionalLists: { maybe: { fields: MATCH }, skills: { fields: SUMMARY } },
}
export const EXPLANATION: Shape = { fields: { ...MATCH, rank: 'number', matched: 'boolean' } }

export const STORED: Shape = {
  fields: {},
  lists: { skills: { fields: { folder: 'string', digest: 'string', details: 'string', etag: 'string?' } } },
}
export const CHANGE: Shape = {
  fields: { added: 'strings', changed: 'strings', removed: 'strings' },
  lists: { diagnostics: DIAGNOSTICS },
}

export const SWEEP: Shape = { fields: { removed: 'strings', bytes: 'number', kept: 'number' } }

export function matchesShape(value: unknown, { fields, lists = {}, optionalLists = {} }: Shape): boolean {
  if (!isRecord(value)) return false
  const isList = (name: string, shape: Shape): boolean => {
    const list = value[name]
    return Array.isArray(list) && list.every(one => matchesShape(one, shape))
  }
  return (
    Object.entries(fields).every(([name, kind]) => isKind(value[name], kind)) &&
    Object.entries(lists).every(([name, shape]) => isList(name, shape)) &&
    Object.entries(optionalLists).every(([name, shape]) => value[name] === undefined || isList(name, shape))
  )
}

function isKind(value: unknown, kind: Kind): boolean {
  if (kind.endsWith('?')) return value === undefined || typeof value === kind.slice(0, -1)
  if (kind === 'record') return isRecord(value)
  if (kind === 'strings') return isStrings(value)
  return typeof value === kind
}
