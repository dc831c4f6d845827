import { isRecord, isStrings } from '../../core/plain-data.js'
import { type FieldType, LISTED_FIELDS } from '../../library/catalog/summary-fields.js'

type Kind = 'string' | 'number' | 'boolean' | 'strings' | 'record'

/** Fields that a response must have. `[shape]`: a list. A name that ends in `?` may be absent. Other fields are passed through. */
export interface Shape {
  readonly [field: string]: Kind | readonly [Shape]
}

const MATCH: Shape = {
  id: 'string',
  name: 'string',
  description: 'string',
  score: 'number',
  reason: 'string',
  signals: 'record',
}
/** How a response has a field of each type. */
const KINDS: { readonly [Type in FieldType]: Kind } = {
  text: 'string',
  paths: 'strings',
  tags: 'strings',
  names: 'strings',
  path: 'string',
  folders: 'strings',
  digest: 'string',
  tokens: 'record',
  inferred: 'strings',
  texts: 'record',
  true: 'boolean',
  false: 'boolean',
}
const SUMMARY: Shape = Object.fromEntries(
  LISTED_FIELDS.map(({ key, type, optional }) => [optional ? `${key}?` : key, KINDS[type]]),
)
const DIAGNOSTIC: Shape = { code: 'string', severity: 'string', message: 'string' }
const STORED_SKILL: Shape = {
  folder: 'string',
  digest: 'string',
  details: 'string',
  'etag?': 'string',
  'vectors?': 'string',
}

export const SNAPSHOT: Shape = { revision: 'string', skills: [SUMMARY], diagnostics: [DIAGNOSTIC] }
export const PAGE: Shape = { revision: 'string', 'nextCursor?': 'string', skills: [SUMMARY] }
export const SKILL: Shape = {
  ...SUMMARY,
  metadata: 'record',
  instructions: 'string',
  text: 'string',
  frontmatter: 'string',
  file: 'string',
  root: 'string',
  files: [{ path: 'string' }],
  diagnostics: [DIAGNOSTIC],
}
export const FOUND: Shape = {
  status: 'string',
  revision: 'string',
  model: 'string',
  complete: 'boolean',
  served: 'number',
  matches: [MATCH],
  'skills?': [SUMMARY],
}
export const MATCHED: Shape = { ...FOUND, maybe: [MATCH] }
export const EXPLANATION: Shape = { ...MATCH, rank: 'number', matched: 'boolean' }
export const STORED: Shape = { skills: [STORED_SKILL] }
export const CHANGE: Shape = {
  added: 'strings',
  changed: 'strings',
  removed: 'strings',
  diagnostics: [DIAGNOSTIC],
}
export const SWEEP: Shape = { removed: 'strings', bytes: 'number', kept: 'number' }
export const ENGINE: Shape = { library: 'string', 'head?': 'string' }
export const ENGINE_FILES: Shape = { stored: 'number' }

export function matchesShape(value: unknown, shape: Shape): boolean {
  if (!isRecord(value)) return false
  return Object.entries(shape).every(([key, kind]) => {
    const name = key.replace('?', '')
    return (name !== key && value[name] === undefined) || isKind(value[name], kind)
  })
}

function isKind(value: unknown, kind: Shape[string]): boolean {
  if (kind === 'record') return isRecord(value)
  if (kind === 'strings') return isStrings(value)
  if (typeof kind === 'string') return typeof value === kind
  return Array.isArray(value) && value.every(one => matchesShape(one, kind[0]))
}
