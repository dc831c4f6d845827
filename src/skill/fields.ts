import { isRecord } from '../core/plain-data.js'
import type { Diagnostic } from './diagnostics.js'
import { joinMessages } from './messages.js'
import { MAX_PATH, MAX_PATHS } from './paths.js'
import type { SkillMetadata } from './skill.js'
import { splitToolRules } from './tool-rules.js'
import type { FrontmatterFields } from './yaml-document.js'

/** How the value of a field is read and checked. */
export type MetadataType = 'text' | 'texts' | 'number' | 'flag' | 'languages'

export interface MetadataField {
  type: MetadataType
  /** The accepted spellings, the recommended one first. None: `readFields` does not read it from a field of its own. */
  spellings: readonly string[]
  /** Longest text that is kept, in UTF-16 units. A longer one is cut; a longer entry of a list is ignored. */
  maxLength?: number
  /** Entries of a list that are kept. */
  maxEntries?: number
  /** Splits a text that stands for a list. */
  split?(text: string): string[]
  /** Whether the entries of a list are split too: `- Read, Write`. @default false */
  splitsEntries?: boolean
}

/** Longest name and display name that are read, in UTF-16 units. */
const MAX_NAME = 256

/** The fields of the metadata, in the order in which they are read and stored. `library/catalog/summary-fields.ts` says which are listed. */
export const METADATA_FIELDS: { readonly [Key in keyof Required<SkillMetadata>]: MetadataField } = {
  name: { type: 'text', spellings: ['name', 'Name'], maxLength: MAX_NAME },
  description: { type: 'text', spellings: ['description', 'Description'] },
  // Read from fields with a language in their name, see DESCRIPTION_FIELD.
  descriptions: { type: 'languages', spellings: [] },
  displayName: {
    type: 'text',
    spellings: ['display_name', 'display-name', 'displayName'],
    maxLength: MAX_NAME,
  },
  whenToUse: { type: 'text', spellings: ['when_to_use', 'when-to-use', 'whenToUse'] },
  version: { type: 'text', spellings: ['version'] },
  author: { type: 'text', spellings: ['author'] },
  license: { type: 'text', spellings: ['license', 'licence'] },
  compatibility: { type: 'text', spellings: ['compatibility'] },
  // Read from several fields at once, see MESSAGE_FIELDS.
  messages: { type: 'texts', spellings: [] },
  // Read from several fields at once, see REQUIRED_FIELDS.
  requires: { type: 'texts', spellings: [] },
  tags: { type: 'texts', spellings: ['tags', 'keywords'], split: splitList },
  allowedTools: {
    type: 'texts',
    spellings: ['allowed-tools', 'allowed_tools', 'allowedTools'],
    split: splitToolRules,
    splitsEntries: true,
  },
  maxIterations: {
    type: 'number',
    spellings: ['max_iterations', 'max-iterations', 'maxIterations'],
  },
  timeout: { type: 'number', spellings: ['timeout'] },
  enabled: { type: 'flag', spellings: ['enabled'] },
  internal: { type: 'flag', spellings: ['internal'] },
  disableModelInvocation: {
    type: 'flag',
    spellings: ['disable-model-invocation', 'disable_model_invocation', 'disableModelInvocation'],
  },
  userInvocable: { type: 'flag', spellings: ['user-invocable', 'user_invocable', 'userInvocable'] },
  pathsRequired: { type: 'flag', spellings: ['paths-required', 'paths_required', 'pathsRequired'] },
  paths: {
    type: 'texts',
    spellings: ['paths'],
    split: splitPaths,
    maxLength: MAX_PATH,
    maxEntries: MAX_PATHS,
  },
  // The parser infers what is missing.
  inferred: { type: 'texts', spellings: [] },
}

/** Fields with messages of users. All of them are read. */
const MESSAGE_FIELDS = ['messages', 'triggers', ...METADATA_FIELDS.whenToUse.spellings]

/** Fields with the skills that a skill needs. All of them are read; `requires` comes first. */
const REQUIRED_FIELDS = ['requires', 'depends', 'dependencies']
/** Skills that a skill may require, and the longest name of one. */
const MAX_REQUIRED = 50
/** `description_zh`, `description-pt_BR`. */
const DESCRIPTION_FIELD = /^description[_-]([a-z]{2}(?:[_-]\w{2,4})?)$/

/** Whether a field is a description in another language. */
export const isDescriptionField = (field: string): boolean => DESCRIPTION_FIELD.test(field)

/** Every accepted spelling. */
export const FIELD_NAMES: readonly string[] = [
  ...Object.values(METADATA_FIELDS).flatMap(({ spellings }) => spellings),
  'messages',
  'triggers',
  ...REQUIRED_FIELDS,
]

/** The recommended spelling of a field; `undefined` for a field that is not read. */
export function recommendedSpelling(field: string): string | undefined {
  return Object.values(METADATA_FIELDS).find(({ spellings }) => spellings.includes(field))
    ?.spellings[0]
}

/** The value of a field where it stands. */
interface Found {
  value: unknown
  /** The text of a number or flag as it is written, such as `1.10`. */
  source: string | undefined
  spelling: string
}

/** A number in a string, with an optional unit of seconds. */
const NUMERAL = /^(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)?$/i
const TRUE = ['true', 'yes', 'on', '1']
const FALSE = ['false', 'no', 'off', '0']

/** The type that the value of a field must have. */
const EXPECTED: { readonly [Type in MetadataType]: string } = {
  text: 'a string',
  texts: 'a list of strings',
  number: 'a number greater than 0',
  flag: 'true or false',
  languages: 'a string for each language',
}

/** Converts YAML values to metadata. A value of a wrong type is converted if it is clear, else ignored; both are reported. */
export function readFields(
  fields: FrontmatterFields,
  line: number,
): { metadata: Partial<SkillMetadata>; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const nested = isRecord(fields.values['metadata']) ? fields.values['metadata'] : {}

  const find = (spellings: readonly string[]): Found | undefined => {
    const found = [
      ...spellings.map(spelling => ({ in: fields.values, spelling, path: spelling })),
      ...spellings.map(spelling => ({ in: nested, spelling, path: `metadata.${spelling}` })),
    ].filter(
      ({ in: map, spelling }) =>
        Object.hasOwn(map, spelling) && map[spelling] !== null && map[spelling] !== undefined,
    )
    const [first, second] = found
    if (!first) return undefined
    const topLevel = (one: typeof first): boolean => one.in === fields.values
    if (second && topLevel(first) === topLevel(second)) {
      const message = `${first.spelling} is also given as ${second.spelling}; ${first.spelling} is used`
      const hint = `remove ${second.spelling}`
      diagnostics.push({ code: 'field-duplicate', severity: 'warning', message, line, hint })
    }
    return {
      value: first.in[first.spelling],
      source: fields.sources[first.path],
      spelling: first.spelling,
    }
  }
  const reportType = (spelling: string, type: MetadataType, outcome: string): void => {
    const message = `${spelling} must be ${EXPECTED[type]}; ${outcome}`
    diagnostics.push({ code: 'field-type', severity: 'warning', message, line })
  }

  const toText = (
    key: keyof SkillMetadata,
    { value, source, spelling }: Found,
  ): string | undefined => {
    if (typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
      if (key !== 'version') reportType(spelling, 'text', 'it was converted to one')
      return source ?? String(value)
    }
    if (Array.isArray(value) && value.every(one => typeof one !== 'object')) {
      if (key !== 'whenToUse') reportType(spelling, 'text', 'the list was joined')
      return value.join(', ')
    }
    return key === 'author' && isRecord(value) && typeof value['name'] === 'string'
      ? value['name']
      : undefined
  }
  const cut = (text: string, spelling: string, maxLength: number): string => {
    if (text.length <= maxLength) return text
    const message = `${spelling} is longer than ${maxLength} characters; the rest was ignored`
    diagnostics.push({ code: 'too-large', severity: 'warning', message, line, hint: 'shorten it' })
    return text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')
  }
  const toList = (
    { value, source, spelling }: Found,
    { split, splitsEntries = false }: MetadataField,
  ): string[] | undefined => {
    if (typeof value === 'string') return split?.(value)
    if (typeof value === 'number' || typeof value === 'boolean') return [source ?? String(value)]
    if (!Array.isArray(value)) return undefined
    const kept = value
      .filter(one => ['string', 'number', 'boolean'].includes(typeof one))
      .map(one => String(one).trim())
      .filter(Boolean)
    if (kept.length < value.length) reportType(spelling, 'texts', 'other entries were ignored')
    return splitsEntries && split ? kept.flatMap(split) : kept
  }
  /** `undefined`: the value cannot be converted. */
  const convert = (key: keyof SkillMetadata, field: MetadataField, found: Found): unknown => {
    const { type, maxLength = Number.POSITIVE_INFINITY, maxEntries } = field
    switch (type) {
      case 'text': {
        const text = toText(key, found)
        return text === undefined ? undefined : cut(text, found.spelling, maxLength)
      }
      case 'texts':
        return toList(found, field)
          ?.filter(entry => entry.length <= maxLength)
          .slice(0, maxEntries)
      case 'number':
        return toNumber(found.value)
      case 'flag':
        return toFlag(found.value)
      case 'languages':
        return undefined
    }
  }

  const metadata: Record<string, unknown> = {}
  const put = (key: keyof SkillMetadata, field: MetadataField): void => {
    const found = find(field.spellings)
    if (!found) return
    const value = convert(key, field, found)
    if (value === undefined) reportType(found.spelling, field.type, 'it was ignored')
    else metadata[key] = value
  }
  for (const [key, field] of Object.entries(METADATA_FIELDS)) {
    if (key === 'descriptions') {
      const descriptions = readDescriptions([fields.values, nested])
      if (descriptions) metadata[key] = descriptions
      continue
    }
    const read = JOINED[key]
    if (read === undefined) {
      put(key as keyof SkillMetadata, field)
      continue
    }
    const texts = read([fields.values, nested])
    if (texts) metadata[key] = texts
  }
  return { metadata: metadata as Partial<SkillMetadata>, diagnostics }
}

function toNumber(value: unknown): number | undefined {
  const found = typeof value === 'string' ? Number(NUMERAL.exec(value.trim())?.[1]) : value
  return typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : undefined
}

function toFlag(value: unknown): boolean | undefined {
  const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase()
  if (TRUE.includes(word)) return true
  return FALSE.includes(word) ? false : undefined
}

/** Fields that are joined of several. */
const JOINED: Readonly<
  Record<string, (maps: readonly Readonly<Record<string, unknown>>[]) => string[] | undefined>
> = { messages: readMessages, requires: readRequired }

/**
 * The skills that a skill requires: a list, text with commas, or the entry `skills` of a map. Other entries of a map, such as `bins` and `env`,
 * are what a machine must have.
 */
function readRequired(maps: readonly Readonly<Record<string, unknown>>[]): string[] | undefined {
  const found = maps.flatMap(map =>
    REQUIRED_FIELDS.flatMap(field => {
      const value = Object.hasOwn(map, field) ? map[field] : undefined
      const names = isRecord(value) ? value['skills'] : value
      if (typeof names === 'string') return splitList(names)
      return Array.isArray(names) ? names.filter(one => typeof one === 'string') : []
    }),
  )
  const names = found
    .map(name => name.trim())
    .filter(name => name !== '' && name.length <= MAX_NAME)
  return names.length > 0 ? [...new Set(names)].slice(0, MAX_REQUIRED) : undefined
}

/** The messages in the fields of a map: lists of strings, and text with one message a line. */
function readMessages(maps: readonly Readonly<Record<string, unknown>>[]): string[] | undefined {
  const found = maps.flatMap(map =>
    MESSAGE_FIELDS.flatMap(field => {
      const value = Object.hasOwn(map, field) ? map[field] : undefined
      if (Array.isArray(value)) return value.filter(one => typeof one === 'string')
      return typeof value === 'string' && !METADATA_FIELDS.whenToUse.spellings.includes(field)
        ? value.split('\n')
        : []
    }),
  )
  const { messages } = joinMessages(found)
  return messages.length > 0 ? messages : undefined
}

/** The descriptions in other languages, by tag. */
function readDescriptions(
  maps: readonly Readonly<Record<string, unknown>>[],
): Record<string, string> | undefined {
  const found = maps
    .flatMap(map => Object.entries(map))
    .flatMap(([field, value]) => {
      const tag = DESCRIPTION_FIELD.exec(field)?.[1]?.replace('_', '-')
      return tag && typeof value === 'string' && value.trim() ? [[tag, value.trim()] as const] : []
    })
  // The last of two counts: those at top level.
  return found.length > 0 ? Object.fromEntries(found.reverse()) : undefined
}

/** Splits at commas, but not inside braces: `src/**, *.{ts,tsx}` is two globs. */
function splitPaths(text: string): string[] {
  // A folder in brackets is not a list in brackets.
  const list = /^\[((?:[^[\]]|\[[^[\]]*\])*)\]$/.exec(text.trim())?.[1] ?? text
  return unquote(list.match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? [])
}

function splitList(text: string): string[] {
  return unquote(text.replace(/^\[|\]$/g, '').split(/[,，、;]/.test(text) ? /[,，、;]/ : /\s+/))
}

function unquote(parts: readonly string[]): string[] {
  return parts.map(one => one.trim().replace(/^["']|["']$/g, '')).filter(Boolean)
}
