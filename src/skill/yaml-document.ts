import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'
import { findLosses } from './yaml-losses.js'
import * as yaml from './yaml-package.js'

export interface FrontmatterFields {
  values: Record<string, unknown>
  /** Source text of scalars, such as `1.0` or `007`, by `field` or `metadata.field`. */
  sources: Record<string, string>
}

/** A text as fields, or the reasons why it is none. */
export interface ParsedFields {
  fields?: FrontmatterFields
  diagnostics: Diagnostic[]
}

/** Limit of alias expansions, against YAML bombs. */
const MAX_ALIASES = 50
/** Limit of nested maps and lists. */
const MAX_DEPTH = 100
/** Limit of reported errors per frontmatter. */
export const MAX_ERRORS = 8

const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  'yaml-duplicate-key': [
    'warning',
    'A field is given twice; the last value is used',
    'remove one of them',
  ],
  'yaml-error': [
    'error',
    'A key of the frontmatter is not a plain string',
    'write each field as key: value',
  ],
  'yaml-not-a-map': [
    'error',
    'The frontmatter is not a set of fields',
    'write each field on its own line, such as name: data-analysis',
  ],
})

/** Parses a text with the `yaml` package. `line`: its first line in the file, from 1. */
export function parseFields(text: string, line: number): ParsedFields {
  const diagnostics: Diagnostic[] = []
  try {
    const counter = new yaml.LineCounter()
    const document = compose(text, counter)
    const lineOf = (offset: number): number => line + Math.max(0, counter.linePos(offset).line - 1)
    for (const error of document.errors.slice(0, MAX_ERRORS)) {
      const message = `The frontmatter is not valid YAML: ${firstLine(error.message)}`
      diagnostics.push({
        code: 'yaml-error',
        severity: 'error',
        message,
        line: lineOf(error.pos[0]),
      })
    }
    if (diagnostics.length > 0) return { diagnostics }
    const { duplicates, keys } = inspect(document.contents)
    for (const offset of duplicates.slice(0, MAX_ERRORS)) {
      diagnostics.push(diagnostic('yaml-duplicate-key', lineOf(offset)))
    }
    for (const offset of keys.slice(0, 1)) {
      diagnostics.push(diagnostic('yaml-error', lineOf(offset)))
    }
    if (keys.length > 0) return { diagnostics }
    if (document.contents === null) return { fields: { values: {}, sources: {} }, diagnostics }
    if (document.contents.constructor !== yaml.YAMLMap) {
      diagnostics.push(diagnostic('yaml-not-a-map', line))
      return { diagnostics }
    }
    for (const { offset, ...loss } of findLosses(document.contents, text)) {
      diagnostics.push({ ...loss, line: lineOf(offset) })
    }
    const values = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>
    return { fields: { values, sources: scalarSources(document.contents) }, diagnostics }
  } catch (error) {
    // Deep nesting throws a RangeError; alias bombs and unresolved aliases throw a ReferenceError.
    const isDeep = error instanceof RangeError
    const message = isDeep
      ? `The frontmatter is nested more than ${MAX_DEPTH} levels deep`
      : `The frontmatter uses too many or unknown aliases: ${firstLine(String((error as Error).message))}`
    const code = isDeep ? 'yaml-too-deep' : 'yaml-alias-limit'
    return {
      diagnostics: [
        ...diagnostics,
        { code, severity: 'error', message, line, hint: 'use plain values' },
      ],
    }
  }
}

/**
 * As `parseDocument`, with two differences for hostile input. Depth is checked before the tree is built, because a stack overflow there
 * can end the process. Duplicate keys are left to `inspect`, because the parser compares them in quadratic time.
 * @throws RangeError if the document is nested too deeply.
 */
function compose(
  text: string,
  counter: import('yaml').LineCounter,
): import('yaml').Document.Parsed {
  const tokens = [...new yaml.Parser(counter.addNewLine).parse(text)]
  let level: import('yaml').CST.Token[] = tokens
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new RangeError('too deep')
    level = level.flatMap(tokensIn).filter(token => token !== undefined && token !== null)
  }
  const composer = new yaml.Composer({ logLevel: 'silent', prettyErrors: false, uniqueKeys: false })
  const [document] = [...composer.compose(tokens, true, text.length)]
  return document as import('yaml').Document.Parsed
}

function tokensIn(
  token: import('yaml').CST.Token,
): (import('yaml').CST.Token | null | undefined)[] {
  if ('items' in token) return token.items.flatMap(({ key, value }) => [key, value])
  return 'value' in token ? [token.value] : []
}

/** Finds duplicate keys, and keys that would be stringified in cubic time: maps, lists, aliases. @throws ReferenceError for bad aliases */
function inspect(root: unknown): { duplicates: number[]; keys: number[] } {
  const duplicates: number[] = []
  const keys: number[] = []
  const open: (string | undefined)[] = []
  let aliases = 0
  const walk = (node: unknown): void => {
    if (yaml.isAlias(node) && ++aliases > MAX_ALIASES) {
      throw new ReferenceError(`more than ${MAX_ALIASES}`)
    }
    if (yaml.isAlias(node) && open.includes(node.source)) {
      throw new ReferenceError(`${node.source} contains itself`)
    }
    if (!yaml.isCollection(node)) return
    open.push(node.anchor)
    if (yaml.isSeq(node)) {
      for (const item of node.items) walk(item)
    }
    if (yaml.isMap(node)) walkMap(node)
    open.pop()
  }
  const walkMap = (node: import('yaml').YAMLMap): void => {
    const seen = new Set<unknown>()
    for (const { key, value } of node.items) {
      const offset = (yaml.isNode(key) && key.range?.[0]) || 0
      if (!yaml.isScalar(key)) keys.push(offset)
      else if (seen.has(key.value)) duplicates.push(offset)
      else seen.add(key.value)
      walk(value)
    }
  }
  walk(root)
  return { duplicates, keys }
}

function scalarSources(map: import('yaml').YAMLMap): Record<string, string> {
  const sources: Record<string, string> = {}
  const collect = (node: import('yaml').YAMLMap, prefix: string): void => {
    for (const { key, value } of node.items) {
      const name = prefix + String(yaml.isScalar(key) ? key.value : key)
      if (yaml.isScalar(value) && typeof value.source === 'string') sources[name] = value.source
      else if (prefix === '' && name === 'metadata' && yaml.isMap(value)) {
        collect(value, 'metadata.')
      }
    }
  }
  collect(map, '')
  return sources
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
