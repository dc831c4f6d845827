import type { Diagnostic } from './diagnostic.js'

type Yaml = typeof import('yaml')

/** The fields of a frontmatter, as the YAML parser gives them. */
export interface Fields {
  values: Record<string, unknown>
  /** The source text of plain scalars (`1.0`, `007`), keyed by `field` or `metadata.field`. */
  sources: Record<string, string>
}

/** Alias expansions allowed in one frontmatter; real ones have none. */
const MAX_ALIASES = 50
/** Longer frontmatters are cut here, in UTF-16 units. */
const MAX_LENGTH = 65_536
const topLevelKey = /^(?!#|- )(?:"([^"]+)"|'([^']+)'|([^\s:#][^:]*?))[ \t]*:(?=[ \t]|$)/

/**
 * Reads a frontmatter with the `yaml` package (loaded when first needed). Where the whole does not parse, each top-level
 * field is parsed alone, and a field that still does not parse is kept as text: one bad line never loses the others.
 * @param line 1-based line of the file on which the frontmatter starts, for diagnostics.
 */
export async function readYaml(frontmatter: string, line: number): Promise<Fields & { diagnostics: Diagnostic[] }> {
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

function parseFields(yaml: Yaml, text: string, line: number): { fields?: Fields; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  try {
    const counter = new yaml.LineCounter()
    const document = yaml.parseDocument(text, { logLevel: 'silent', prettyErrors: false, lineCounter: counter })
    const lineOf = (offset: number): number => line + Math.max(0, counter.linePos(offset).line - 1)
    let failed = false
    for (const error of document.errors) {
      const at = lineOf(error.pos[0])
      if (error.code === 'DUPLICATE_KEY')
        diagnostics.push({
          code: 'yaml-duplicate-key',
          severity: 'warning',
          message: 'A field is given twice; the last one counts',
          line: at,
          hint: 'keep one of them',
        })
      else {
        failed = true
        diagnostics.push({
          code: 'yaml-error',
          severity: 'error',
          message: `The frontmatter is not valid YAML: ${firstLine(error.message)}`,
          line: at,
        })
      }
    }
    if (failed) return { diagnostics }
    if (document.contents === null) return { fields: { values: {}, sources: {} }, diagnostics }
    if (!yaml.isMap(document.contents)) {
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
    // Stack overflow on deep nesting; the parser's own ReferenceError on alias bombs and unresolved aliases.
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
): Fields & { diagnostics: Diagnostic[] } {
  const values: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  const diagnostics: Diagnostic[] = []
  for (const block of blocks(text)) {
    const at = line + block.line
    const alone = parseFields(yaml, block.text, at)
    if (alone.fields) {
      Object.assign(values, alone.fields.values)
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
    if (topLevelKey.test(one)) found.push({ text: one, line: index })
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
  return /^(["']).*\1$/s.test(folded) ? folded.slice(1, -1) : folded
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
