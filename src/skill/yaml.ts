import type { Diagnostic } from './diagnostics.js'

type Yaml = typeof import('yaml')

/** The fields of a frontmatter, as the YAML parser gives them. */
export interface FrontmatterFields {
  values: Record<string, unknown>
  /** The source text of plain scalars (`1.0`, `007`), keyed by `field` or `metadata.field`. */
  sources: Record<string, string>
}

/** Alias expansions allowed in one frontmatter; real ones have none. */
const MAX_ALIASES = 50
/** Maps and lists inside each other; real ones have five or so. */
const MAX_DEPTH = 100
/** Errors of one frontmatter that are reported. */
const MAX_ERRORS = 8
/** Longer frontmatters are cut here, in UTF-16 units. */
const MAX_LENGTH = 32_768
const topLevelKey = /^(?!#|- )(?:"([^"]+)"|'([^']+)'|([^\s:#](?:[^:]*[^\s:])?))[ \t]*:(?=\s|$)/

/**
 * Reads a frontmatter with the `yaml` package (loaded when first needed). Where the whole does not parse, each top-level
 * field is parsed alone, and a field that still does not parse is kept as text: one bad line never loses the others.
 * @param line 1-based line of the file on which the frontmatter starts, for diagnostics.
 */
export async function readYaml(
  frontmatter: string,
  line: number,
): Promise<FrontmatterFields & { diagnostics: Diagnostic[] }> {
  const yaml = await import('yaml')
  const diagnostics: Diagnostic[] = []
  let text = frontmatter.replace(/\r\n?/g, '\n')
  if (text.length > MAX_LENGTH) {
    diagnostics.push({
      code: 'too-large',
      severity: 'error',
      message: `The frontmatter is over ${MAX_LENGTH / 1024} KB; the rest was not read`,
      line,
      hint: 'move text into the body',
    })
    text = text.slice(0, MAX_LENGTH)
  }
  const whole = parseFields(yaml, text, line)
  if (whole.fields) return { ...whole.fields, diagnostics: [...diagnostics, ...whole.diagnostics] }

  if (/^ *\t/m.test(text)) {
    const tab = text.split('\n').findIndex(one => /^ *\t/.test(one))
    diagnostics.push({
      code: 'yaml-tab',
      severity: 'warning',
      message: 'A tab is used for indentation, which YAML forbids; it was read as two spaces',
      line: line + tab,
      hint: 'indent with spaces',
    })
    text = text.replace(/^[ \t]+/gm, indent => indent.replaceAll('\t', '  '))
    const untabbed = parseFields(yaml, text, line)
    if (untabbed.fields) return { ...untabbed.fields, diagnostics: [...diagnostics, ...untabbed.diagnostics] }
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
    for (const error of document.errors.slice(0, MAX_ERRORS))
      diagnostics.push({
        code: 'yaml-error',
        severity: 'error',
        message: `The frontmatter is not valid YAML: ${firstLine(error.message)}`,
        line: lineOf(error.pos[0]),
      })
    if (diagnostics.length > 0) return { diagnostics }
    const { duplicates, keys } = inspect(yaml, document.contents)
    for (const offset of duplicates.slice(0, MAX_ERRORS))
      diagnostics.push({
        code: 'yaml-duplicate-key',
        severity: 'warning',
        message: 'A field is given twice; the last one counts',
        line: lineOf(offset),
        hint: 'keep one of them',
      })
    for (const offset of keys.slice(0, 1))
      diagnostics.push({
        code: 'yaml-error',
        severity: 'error',
        message: 'A key of the frontmatter is not plain text',
        line: lineOf(offset),
        hint: 'write key: value',
      })
    if (keys.length > 0) return { diagnostics }
    if (document.contents === null) return { fields: { values: {}, sources: {} }, diagnostics }
    if (document.contents.constructor !== yaml.YAMLMap) {
      diagnostics.push({
        code: 'yaml-not-a-map',
        severity: 'error',
        message: 'The frontmatter is not a list of fields',
        line,
        hint: 'write name: and description: lines',
      })
      return { diagnostics }
    }
    const values = document.toJS({ maxAliasCount: MAX_ALIASES }) as Record<string, unknown>
    return { fields: { values, sources: scalarSources(yaml, document.contents) }, diagnostics }
  } catch (error) {
    // RangeError on deep nesting; ReferenceError on alias bombs and unresolved aliases, ours and the parser's.
    const deep = error instanceof RangeError
    const message = deep
      ? 'The frontmatter is nested too deeply'
      : `The frontmatter uses too many or unknown aliases: ${firstLine(String((error as Error).message))}`
    diagnostics.push({
      code: deep ? 'yaml-too-deep' : 'yaml-alias-limit',
      severity: 'error',
      message,
      line,
      hint: 'write plain values',
    })
    return { diagnostics }
  }
}

/**
 * As `parseDocument`, with two differences. Depth is checked before the tree is built: where that runs out of stack, V8
 * may end the process. And keys are not compared by the parser, which takes quadratic time: `inspect` does it.
 * @throws RangeError
 */
function compose(yaml: Yaml, text: string, counter: import('yaml').LineCounter): import('yaml').Document.Parsed {
  const tokens = [...new yaml.Parser(counter.addNewLine).parse(text)]
  let level: import('yaml').CST.Token[] = tokens
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new RangeError('too deep')
    level = level
      .flatMap(token =>
        'items' in token
          ? token.items.flatMap(({ key, value }) => [key, value])
          : 'value' in token
            ? [token.value]
            : [],
      )
      .filter(token => token !== undefined && token !== null)
  }
  const composer = new yaml.Composer({ logLevel: 'silent', prettyErrors: false, uniqueKeys: false })
  const [document] = [...composer.compose(tokens, true, text.length)]
  return document as import('yaml').Document.Parsed
}

/**
 * Looks at the tree before values are made of it. Gives the offsets of keys that stand twice in their map,
 * and of keys that are maps, lists or aliases: the parser would print those as text, in cubic time.
 * @throws ReferenceError
 */
function inspect(yaml: Yaml, root: unknown): { duplicates: number[]; keys: number[] } {
  const duplicates: number[] = []
  const keys: number[] = []
  const open: (string | undefined)[] = []
  let aliases = 0
  const walk = (node: unknown): void => {
    if (yaml.isAlias(node) && ++aliases > MAX_ALIASES) throw new ReferenceError(`over ${MAX_ALIASES}`)
    if (yaml.isAlias(node) && open.includes(node.source)) throw new ReferenceError(`${node.source} stands in itself`)
    if (!yaml.isCollection(node)) return
    open.push(node.anchor)
    if (yaml.isSeq(node)) for (const item of node.items) walk(item)
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
      else if (prefix === '' && name === 'metadata' && yaml.isMap(value)) collect(value, 'metadata.')
    }
  }
  collect(map, '')
  return sources
}

/** The fallback: every top-level field by itself. */
function parseEach(
  yaml: Yaml,
  text: string,
  line: number,
  why: readonly Diagnostic[],
): FrontmatterFields & { diagnostics: Diagnostic[] } {
  const values: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  const diagnostics: Diagnostic[] = []
  for (const block of blocks(text)) {
    const at = line + block.line
    const alone = parseFields(yaml, block.text, at)
    if (alone.fields) {
      for (const [key, value] of Object.entries(alone.fields.values)) if (key !== '__proto__') values[key] = value
      Object.assign(sources, alone.fields.sources)
      diagnostics.push(...alone.diagnostics)
      continue
    }
    const limit = alone.diagnostics.find(one => one.code === 'yaml-too-deep' || one.code === 'yaml-alias-limit')
    if (limit) diagnostics.push(limit)
    const match = topLevelKey.exec(block.text)
    const key = match?.[1] ?? match?.[2] ?? match?.[3]
    if (!match || !key || key === '__proto__') continue
    const value = plainText(block.text.slice(match[0].length))
    values[key] = value
    sources[key] = value
    if (limit) continue
    const colon = /:(?:\s|$)/.test(value)
    diagnostics.push(
      colon
        ? {
            code: 'yaml-unquoted-colon',
            severity: 'warning',
            message: `The value of ${key} has a colon and is not quoted; it was read as text`,
            line: at,
            hint: `put it in quotes: ${key}: "..."`,
          }
        : {
            code: 'yaml-error',
            severity: 'warning',
            message: `The value of ${key} is not valid YAML; it was read as text`,
            line: at,
            hint: `put it in quotes: ${key}: "..."`,
          },
    )
  }
  if (Object.keys(values).length === 0) diagnostics.push(...why)
  else if (diagnostics.length === 0) diagnostics.push(...why.map(one => ({ ...one, severity: 'warning' as const })))
  return { values, sources, diagnostics }
}

function blocks(text: string): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = []
  for (const [index, one] of text.split('\n').entries()) {
    const current = found.at(-1)
    if (topLevelKey.test(one) || /^[?:]\s/.test(one)) found.push({ text: one, line: index })
    else if (current) current.text += `\n${one}`
  }
  return found
}

/** What a person meant by a value that is not YAML: block scalars keep their lines, the rest is folded, outer quotes go. */
function plainText(raw: string): string {
  const [head = '', ...rest] = raw.split('\n')
  if (/^\s*[|>][+-]?\d?\s*$/.test(head))
    return rest
      .map(one => one.trim())
      .join(head.includes('|') ? '\n' : ' ')
      .trim()
  const folded = [head, ...rest]
    .map(one => one.trim())
    .filter(Boolean)
    .join(' ')
  const [, quote, inner] = /^(["'])(.+)\1$/s.exec(folded) ?? []
  if (!quote || !inner) return folded
  // In `"a", "b"` the second quote already closes: the outer two do not belong together.
  const next = inner.indexOf(quote)
  return next > 0 && /\S/.test(inner.charAt(next - 1)) && !/\w/.test(inner.charAt(next + 1)) ? folded : inner
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
