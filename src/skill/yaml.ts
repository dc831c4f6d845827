import { onDemand } from '../core/load-module.js'
import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'

const loadYaml = onDemand(() => import('./yaml-package.js'))

type Yaml = typeof import('./yaml-package.js')

export interface FrontmatterFields {
  values: Record<string, unknown>
  /** Source text of scalars, such as `1.0` or `007`, by `field` or `metadata.field`. */
  sources: Record<string, string>
}

/** Limit of alias expansions, against YAML bombs. */
const MAX_ALIASES = 50
/** Limit of nested maps and lists. */
const MAX_DEPTH = 100
/** Limit of reported errors per frontmatter. */
const MAX_ERRORS = 8
/** Longest frontmatter that is read, in UTF-16 units. */
const MAX_LENGTH = 32_768
const topLevelKey = /^(?!#|- )(?:"([^"]+)"|'([^']+)'|([^\s:#](?:[^:]*[^\s:])?))[ \t]*:(?=\s|$)/

const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  'yaml-tab': [
    'warning',
    'A line is indented with a tab, which YAML does not allow; it was read as two spaces',
    'indent with spaces',
  ],
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

/** Parses a frontmatter. If it is not valid YAML, each top-level field is parsed alone, and a bad one is kept as text. */
export async function readYaml(
  frontmatter: string,
  line: number,
): Promise<FrontmatterFields & { diagnostics: Diagnostic[] }> {
  const yaml = await loadYaml()
  const diagnostics: Diagnostic[] = []
  let text = frontmatter.replace(/\r\n?/g, '\n')
  if (text.length > MAX_LENGTH) {
    const message = `The frontmatter is longer than ${MAX_LENGTH / 1024} KB; the rest was ignored`
    diagnostics.push({
      code: 'too-large',
      severity: 'error',
      message,
      line,
      hint: 'move text into the instructions',
    })
    text = text.slice(0, MAX_LENGTH)
  }
  const whole = parseFields(yaml, text, line)
  if (whole.fields) return { ...whole.fields, diagnostics: [...diagnostics, ...whole.diagnostics] }

  if (/^ *\t/m.test(text)) {
    const tab = text.split('\n').findIndex(one => /^ *\t/.test(one))
    diagnostics.push(diagnostic('yaml-tab', line + tab))
    text = text.replace(/^[ \t]+/gm, indent => indent.replaceAll('\t', '  '))
    const untabbed = parseFields(yaml, text, line)
    if (untabbed.fields) {
      return { ...untabbed.fields, diagnostics: [...diagnostics, ...untabbed.diagnostics] }
    }
  }
  const recovered = parseEach(yaml, text, line, whole.diagnostics)
  return { ...recovered, diagnostics: [...diagnostics, ...recovered.diagnostics] }
}

function parseFields(
  yaml: Yaml,
  text: string,
  line: number,
): { fields?: FrontmatterFields; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  try {
    const counter = new yaml.LineCounter()
    const document = compose(yaml, text, counter)
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
    const { duplicates, keys } = inspect(yaml, document.contents)
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
    const values = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>
    return { fields: { values, sources: scalarSources(yaml, document.contents) }, diagnostics }
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
  yaml: Yaml,
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
function inspect(yaml: Yaml, root: unknown): { duplicates: number[]; keys: number[] } {
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

function scalarSources(yaml: Yaml, map: import('yaml').YAMLMap): Record<string, string> {
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

/** Parses each top-level field on its own. */
function parseEach(
  yaml: Yaml,
  text: string,
  line: number,
  causes: readonly Diagnostic[],
): FrontmatterFields & { diagnostics: Diagnostic[] } {
  const values: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  const diagnostics: Diagnostic[] = []
  for (const block of fieldBlocks(text)) {
    const blockLine = line + block.line
    const alone = parseFields(yaml, block.text, blockLine)
    if (alone.fields) {
      for (const [key, value] of Object.entries(alone.fields.values)) {
        if (key !== '__proto__') values[key] = value
      }
      Object.assign(sources, alone.fields.sources)
      diagnostics.push(...alone.diagnostics)
      continue
    }
    const limit = alone.diagnostics.find(
      one => one.code === 'yaml-too-deep' || one.code === 'yaml-alias-limit',
    )
    if (limit) diagnostics.push(limit)
    const { key, valueStart } = block
    if (!key || key === '__proto__') continue
    const raw = block.text.slice(valueStart)
    const value = plainText(raw)
    // The rest of a list, a map or an alias is no name: that of the folder stands in.
    const isIgnored = key.toLowerCase() === 'name' && /^[[{*]/.test(value)
    if (!isIgnored) {
      values[key] = value
      sources[key] = value
    }
    if (limit) continue
    const [quote] = /^["']/.exec(raw.trim()) ?? []
    const hasColon = quote === undefined && /:(?:\s|$)/.test(value)
    let problem = `The quotes around the value of ${key} do not match`
    if (hasColon) problem = `The value of ${key} contains a colon but is not quoted`
    else if (quote === undefined) problem = `The value of ${key} is not valid YAML`
    const code = hasColon ? 'yaml-unquoted-colon' : 'yaml-error'
    const message = `${problem}; it was ${isIgnored ? 'ignored' : 'read as text'}`
    const unquoted = `quote it: ${key}: "..."`
    const hint =
      quote === undefined ? unquoted : `write ${key}: >- and the text on the next line, indented`
    diagnostics.push({ code, severity: 'warning', message, line: blockLine, hint })
  }
  if (Object.keys(values).length === 0) diagnostics.push(...causes)
  else if (diagnostics.length === 0) {
    diagnostics.push(...causes.map(one => ({ ...one, severity: 'warning' as const })))
  }
  return { values, sources, diagnostics }
}

/** The lines of one top-level field. */
export interface FieldBlock {
  text: string
  /** Index of its first line. */
  line: number
  /** `undefined` for a key that is not a plain string. */
  key: string | undefined
  /** Where the value starts in `text`: behind the colon. */
  valueStart: number
}

/** Splits a frontmatter with line feeds at its top-level keys. Lines above the first key belong to no field. */
export function fieldBlocks(text: string): FieldBlock[] {
  const found: FieldBlock[] = []
  for (const [line, one] of text.split('\n').entries()) {
    const match = topLevelKey.exec(one)
    const current = found.at(-1)
    if (match || /^[?:]\s/.test(one)) {
      const key = match?.[1] ?? match?.[2] ?? match?.[3]
      found.push({ text: one, line, key, valueStart: match?.[0].length ?? 0 })
    } else if (current) current.text += `\n${one}`
  }
  return found
}

/** Reads a value that is not valid YAML as its author meant it: block scalars keep their lines, other lines are joined, outer quotes go. */
function plainText(raw: string): string {
  const [head = '', ...rest] = raw.split('\n')
  if (/^\s*[|>][+-]?\d?\s*$/.test(head)) {
    return rest
      .map(one => one.trim())
      .join(head.includes('|') ? '\n' : ' ')
      .trim()
  }
  const folded = [head, ...rest]
    .map(one => one.trim())
    .filter(Boolean)
    .join(' ')
  const [, quote, inner] = /^(["'])(.+)\1$/s.exec(folded) ?? []
  if (!quote || !inner) return folded
  // In `"a", "b"` the outer quotes are not a pair.
  const next = inner.indexOf(quote)
  return next > 0 && /\S/.test(inner.charAt(next - 1)) && !/\w/.test(inner.charAt(next + 1))
    ? folded
    : inner
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
