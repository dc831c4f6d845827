import type { SkillMetadata, SkillSummary } from '../../skill/skill.js'
import type { CatalogEntry } from './catalog-entry.js'

/** Everything that is said of a skill without opening it: by a packed catalog, by a list, or by both. */
type ListedSkill = SkillSummary & CatalogEntry

/**
 * How the value of a field is checked, wherever it comes from outside: a catalog, a row of an engine, an HTTP response.
 * `path`: a safe path, or `''`. `folders`: such paths. `digest`: `sha256:` and 64 hex digits. `tokens`: two counts. `paths`: globs, as many as a
 * SKILL.md may have. `tags`: strings, without those that are not; an absent list is empty. `names`: strings. `inferred`: names of fields.
 * `texts`: texts by key.
 */
export type FieldType =
  | 'text'
  | 'paths'
  | 'tags'
  | 'names'
  | 'path'
  | 'folders'
  | 'digest'
  | 'tokens'
  | 'inferred'
  | 'texts'
  | 'true'
  | 'false'

export interface SummaryField<Value> {
  type: FieldType
  /** Reads it from the metadata of a SKILL.md; `undefined` leaves it out. Absent: the reader of a tree finds it out. */
  from?(metadata: SkillMetadata): Value | undefined
  /** Where it is left out: in lists, or in packed catalogs. */
  notIn?: 'summary' | 'catalog'
}

/** A field that may be absent says so, and no other. */
type FieldOf<Key extends keyof ListedSkill> = SummaryField<Required<ListedSkill>[Key]> &
  (Record<never, never> extends Pick<ListedSkill, Key> ? { optional: true } : { optional?: never })

/**
 * The fields of a skill in catalogs and lists, in the order of a catalog's line. From it follow the line of a packed catalog and its reader,
 * the entry of a SKILL.md, summaries, the response schemas of the HTTP API, and what its client checks.
 */
export const SUMMARY_FIELDS: { readonly [Key in keyof Required<ListedSkill>]: FieldOf<Key> } = {
  id: { type: 'text', notIn: 'catalog' },
  path: { type: 'path' },
  name: { type: 'text', from: ({ name }) => name },
  displayName: { type: 'text', from: ({ displayName }) => displayName, optional: true },
  description: { type: 'text', from: ({ description }) => description },
  descriptions: { type: 'texts', from: ({ descriptions }) => descriptions, optional: true },
  whenToUse: { type: 'text', from: ({ whenToUse }) => whenToUse, optional: true },
  requires: { type: 'names', from: ({ requires }) => requires, optional: true },
  tags: { type: 'tags', from: ({ tags = [] }) => tags },
  origin: { type: 'text', notIn: 'catalog' },
  digest: { type: 'digest' },
  details: { type: 'digest', notIn: 'summary' },
  content: { type: 'text', notIn: 'summary', optional: true },
  tokens: { type: 'tokens' },
  unread: { type: 'true', notIn: 'catalog', optional: true },
  inferred: { type: 'inferred', from: ({ inferred }) => inferred, optional: true },
  enabled: {
    type: 'false',
    from: ({ enabled }) => onlyIf(enabled === false, false),
    notIn: 'summary',
    optional: true,
  },
  disableModelInvocation: {
    type: 'true',
    from: ({ disableModelInvocation }) => onlyIf(disableModelInvocation === true, true),
    optional: true,
  },
  userInvocable: {
    type: 'false',
    from: ({ userInvocable }) => onlyIf(userInvocable === false, false),
    optional: true,
  },
  paths: {
    type: 'paths',
    from: ({ paths = [] }) => onlyIf(paths.length > 0, paths),
    optional: true,
  },
  pathsRequired: {
    type: 'true',
    from: ({ paths = [], pathsRequired }) =>
      onlyIf(paths.length > 0 && pathsRequired === true, true),
    optional: true,
  },
  copies: { type: 'folders', optional: true },
}

export interface NamedField<Key extends string> {
  key: Key
  type: FieldType
  optional: boolean
}

/** The fields of a line of a packed catalog, in its order. */
export const CATALOG_FIELDS = fieldsIn('catalog') as readonly NamedField<keyof CatalogEntry>[]

/** Number of fields that every entry has. */
export const REQUIRED_FIELDS = CATALOG_FIELDS.filter(({ optional }) => !optional).length

/** The fields of a summary. */
export const LISTED_FIELDS = fieldsIn('summary') as readonly NamedField<keyof SkillSummary>[]

/** A field that a summary may lack. */
export type OptionalField = {
  [Key in keyof SkillSummary]-?: Record<never, never> extends Pick<SkillSummary, Key> ? Key : never
}[keyof SkillSummary]

/** The fields that a summary may lack. */
export const OPTIONAL_FIELDS = LISTED_FIELDS.filter(({ optional }) => optional).map(
  ({ key }) => key,
) as OptionalField[]

/** The fields of an entry that its SKILL.md says. */
export function fieldsOfMetadata(metadata: SkillMetadata) {
  const fields: Record<string, unknown> = {}
  for (const [key, { from }] of Object.entries<SummaryField<unknown>>(SUMMARY_FIELDS)) {
    const value = from?.(metadata)
    if (value !== undefined) fields[key] = value
  }
  return fields as Pick<CatalogEntry, 'name' | 'description' | 'tags'> & Partial<CatalogEntry>
}

function fieldsIn(place: 'summary' | 'catalog'): NamedField<string>[] {
  return Object.entries<SummaryField<unknown> & { optional?: true }>(SUMMARY_FIELDS)
    .filter(([, { notIn }]) => notIn !== place)
    .map(([key, { type, optional = false }]) => ({ key, type, optional }))
}

function onlyIf<Value>(condition: boolean, value: Value): Value | undefined {
  return condition ? value : undefined
}
