import { isRecord } from '../core/plain-data.js'
import type { Diagnostic } from './diagnostics.js'
import { joinMessages } from './messages.js'
import type { SkillMetadata } from './skill.js'
import type { FrontmatterFields } from './yaml.js'

type Key = Exclude<keyof SkillMetadata, 'inferred' | 'messages'>

/** The accepted spellings of each field. The first is the recommended one. */
const SPELLINGS: { readonly [K in Key]: readonly string[] } = {
  name: ['name', 'Name'],
  description: ['description', 'Description'],
  displayName: ['display_name', 'display-name', 'displayName'],
  whenToUse: ['when_to_use', 'when-to-use', 'whenToUse'],
  version: ['version'],
  author: ['author'],
  tags: ['tags', 'keywords'],
  allowedTools: ['allowed-tools', 'allowed_tools', 'allowedTools'],
  maxIterations: ['max_iterations', 'max-iterations', 'maxIterations'],
  timeout: ['timeout'],
  enabled: ['enabled'],
  license: ['license', 'licence'],
  compatibility: ['compatibility'],
  disableModelInvocation: ['disable-model-invocation', 'disable_model_invocation', 'disableModelInvocation'],
  userInvocable: ['user-invocable', 'user_invocable', 'userInvocable'],
  paths: ['paths'],
  pathsRequired: ['paths-required', 'paths_required', 'pathsRequired'],
}

/** Fields with messages of users. All of them are read. */
const MESSAGE_FIELDS = ['messages', 'triggers', ...SPELLINGS.whenToUse]

/** Every accepted spelling. */
export const FIELD_NAMES: readonly string[] = [...Object.values(SPELLINGS).flat(), 'messages', 'triggers']

/** The recommended spelling of a field; `undefined` for a field that is not read. */
export function recommendedSpelling(field: string): string | undefined {
  return Object.values(SPELLINGS).find(spellings => spellings.includes(field))?.[0]
}

interface Found {
  value: unknown
  source: string | undefined
  spelling: string
}

/** Longest name and display name that are read, in UTF-16 units. */
export const MAX_NAME = 256
/** Paths of a skill that are read, and characters of each. Longer ones are ignored. */
const MAX_PATHS = 100
const MAX_PATH = 256

/** A number in a string, with an optional unit of seconds. */
const NUMERAL = /^(\d+(?:\.\d+)?)\s*(?:s|secs?|seconds?)?$/i

/** Converts YAML values to metadata. A value of a wrong type is converted if it is clear, else ignored; both are reported. */
export function readFields(
  fields: FrontmatterFields,
  line: number,
): { metadata: Partial<SkillMetadata>; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const nested = isRecord(fields.values['metadata']) ? fields.values['metadata'] : {}

  const find = (key: Key): Found | undefined => {
    const found = [
      ...SPELLINGS[key].map(spelling => ({ in: fields.values, spelling, path: spelling })),
      ...SPELLINGS[key].map(spelling => ({ in: nested, spelling, path: `metadata.${spelling}` })),
    ].filter(
      ({ in: map, spelling }) => Object.hasOwn(map, spelling) && map[spelling] !== null && map[spelling] !== undefined,
    )
    const [first, second] = found
    if (!first) return undefined
    const topLevel = (one: typeof first): boolean => one.in === fields.values
    if (second && topLevel(first) === topLevel(second)) {
      const message = `${first.spelling} is also given as ${second.spelling}; ${first.spelling} is used`
      const hint = `remove ${second.spelling}`
      diagnostics.push({ code: 'field-duplicate', severity: 'warning', message, line, hint })
    }
    return { value: first.in[first.spelling], source: fields.sources[first.path], spelling: first.spelling }
  }
  const reportType = (spelling: string, expected: string, outcome: string): void => {
    const message = `${spelling} must be ${expected}; ${outcome}`
    diagnostics.push({ code: 'field-type', severity: 'warning', message, line })
  }

  const shortName = (key: 'name' | 'displayName'): string | undefined => {
    const name = text(key)
    if (name === undefined || name.length <= MAX_NAME) return name
    const message = `${find(key)?.spelling} is longer than ${MAX_NAME} characters; the rest was ignored`
    diagnostics.push({ code: 'too-large', severity: 'warning', message, line, hint: 'shorten it' })
    return name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '')
  }
  /** Converts the value of a field that is there. `undefined`: the value is ignored, which is reported. */
  const convert = <T>(key: Key, expected: string, to: (found: Found) => T | undefined): T | undefined => {
    const found = find(key)
    const converted = found && to(found)
    if (found && converted === undefined) reportType(found.spelling, expected, 'it was ignored')
    return converted
  }
  const text = (key: Key): string | undefined =>
    convert(key, 'a string', ({ value, source, spelling }) => {
      if (typeof value === 'string') return value
      if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') {
        if (key !== 'version') reportType(spelling, 'a string', 'it was converted to one')
        return source ?? String(value)
      }
      if (Array.isArray(value) && value.every(one => typeof one !== 'object')) {
        if (key !== 'whenToUse') reportType(spelling, 'a string', 'the list was joined')
        return value.join(', ')
      }
      return key === 'author' && isRecord(value) && typeof value['name'] === 'string' ? value['name'] : undefined
    })
  const list = (key: Key, split: (text: string) => string[]): string[] | undefined =>
    convert(key, 'a list of strings', ({ value, source, spelling }) => {
      if (typeof value === 'string') return split(value)
      if (typeof value === 'number' || typeof value === 'boolean') return [source ?? String(value)]
      if (!Array.isArray(value)) return undefined
      const kept = value
        .filter(one => ['string', 'number', 'boolean'].includes(typeof one))
        .map(one => String(one).trim())
        .filter(Boolean)
      if (kept.length < value.length) reportType(spelling, 'a list of strings', 'other entries were ignored')
      return kept
    })
  const number = (key: Key): number | undefined =>
    convert(key, 'a number greater than 0', ({ value }) => {
      const found = typeof value === 'string' ? Number(NUMERAL.exec(value.trim())?.[1]) : value
      return typeof found === 'number' && Number.isFinite(found) && found > 0 ? found : undefined
    })
  const flag = (key: Key): boolean | undefined =>
    convert(key, 'true or false', ({ value }) => {
      const word = typeof value === 'object' ? '' : String(value).trim().toLowerCase()
      if (['true', 'yes', 'on', '1'].includes(word)) return true
      return ['false', 'no', 'off', '0'].includes(word) ? false : undefined
    })

  const metadata: Record<string, unknown> = {}
  const put = (key: keyof SkillMetadata, value: unknown): void => {
    if (value !== undefined) metadata[key] = value
  }
  put('name', shortName('name'))
  put('description', text('description'))
  put('displayName', shortName('displayName'))
  for (const key of ['whenToUse', 'version', 'author', 'license', 'compatibility'] as const) put(key, text(key))
  put('messages', readMessages([fields.values, nested]))
  put('tags', list('tags', splitList))
  put('allowedTools', list('allowedTools', splitTools))
  put('maxIterations', number('maxIterations'))
  put('timeout', number('timeout'))
  for (const key of ['enabled', 'disableModelInvocation', 'userInvocable', 'pathsRequired'] as const)
    put(key, flag(key))
  const paths = list('paths', splitPaths)?.filter(path => path.length <= MAX_PATH)
  put('paths', paths?.slice(0, MAX_PATHS))
  return { metadata: metadata as Partial<SkillMetadata>, diagnostics }
}

/** The messages in the fields of a map: lists of strings, and text with one message a line. */
function readMessages(maps: readonly Readonly<Record<string, unknown>>[]): string[] | undefined {
  const found = maps.flatMap(map =>
    MESSAGE_FIELDS.flatMap(field => {
      const value = Object.hasOwn(map, field) ? map[field] : undefined
      if (Array.isArray(value)) return value.filter(one => typeof one === 'string')
      return typeof value === 'string' && !SPELLINGS.whenToUse.includes(field) ? value.split('\n') : []
    }),
  )
  const { messages } = joinMessages(found)
  return messages.length > 0 ? messages : undefined
}

/** Splits `a, b` or `a b`, but not inside parentheses: `Bash(git add:*)` is one tool. */
export function splitTools(text: string): string[] {
  return text.replace(/^\[|\]$/g, '').match(/(?:[^\s,()]|\([^)]*\)?)+/g) ?? []
}

/** Splits at commas, but not inside braces: `src/**, *.{ts,tsx}` is two globs. */
function splitPaths(text: string): string[] {
  return unquote(text.replace(/^\[|\]$/g, '').match(/(?:[^,{]|\{[^}]*\}?)+/g) ?? [])
}

function splitList(text: string): string[] {
  return unquote(text.replace(/^\[|\]$/g, '').split(/[,，、;]/.test(text) ? /[,，、;]/ : /\s+/))
}

function unquote(parts: readonly string[]): string[] {
  return parts.map(one => one.trim().replace(/^["']|["']$/g, '')).filter(Boolean)
}
