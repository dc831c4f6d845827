/** Repairs YAML at the lines that are wrong, so that one bad value does not take its neighbors with it. */
import type { Diagnostic } from './diagnostics.js'
import { MAX_ERRORS, type ParsedFields, parseFields } from './yaml-document.js'

/** The start of a line in a list or a map: hyphens, then a key. What follows is the value. */
const VALUE = /^(\s+(?:-[ \t]+)*(?:([^\s:#"'[{&*!|>%@`-][^:]*):[ \t]+)?|(?:-[ \t]+)+)(\S.*)$/

/** Values that are quoted or in brackets, and whole, and the start of those that are written over several lines. */
const WHOLE = /^(?:[|>][+-]?\d?|"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\[[^[\]]*\]|\{[^{}]*\})$/
/** A character with which no plain value can begin. */
const RESERVED = /^[@`%*]/
/** A value that is something else than plain text. */
const SUSPICIOUS = /^[[{"'@`%*&!]/

/**
 * Parses the lines of a top-level field. A value in a nested line that is not valid YAML is quoted and read as text. If an error remains, the
 * field is as it was.
 */
export function repairLines(text: string, line: number): ParsedFields {
  const first = parseFields(text, line)
  if (first.fields || !text.includes('\n')) return first
  const lines = text.split('\n')
  const repaired: Diagnostic[] = []
  let parsed = first
  while (repaired.length < MAX_ERRORS) {
    const index = wrongLine(lines, parsed, line)
    const { prefix, key, value } = partsOf(lines[index] ?? '')
    if (value === undefined) return first
    lines[index] = prefix + JSON.stringify(value)
    repaired.push(repairedDiagnostic(key, value, line + index))
    parsed = parseFields(lines.join('\n'), line)
    if (parsed.fields) {
      const inOrder = repaired.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
      return { fields: parsed.fields, diagnostics: [...inOrder, ...parsed.diagnostics] }
    }
  }
  return first
}

/** A line with a value in it. Lines without one have no `value`. */
interface LineParts {
  /** What is before the value. */
  prefix: string
  key?: string
  value?: string
}

function partsOf(line: string): LineParts {
  const [, prefix = '', key, value] = VALUE.exec(line.trimEnd()) ?? []
  return {
    prefix,
    ...(key === undefined ? {} : { key: key.trim() }),
    ...(value === undefined ? {} : { value }),
  }
}

/** The index of the line to repair, -1 if there is none. Some errors are found below the line that is wrong. */
function wrongLine(lines: readonly string[], { diagnostics }: ParsedFields, line: number): number {
  const values = lines.map(one => partsOf(one).value ?? '')
  const isOpen = (value: string): boolean => value !== '' && !WHOLE.test(value)
  const isSuspicious = (value: string): boolean => SUSPICIOUS.test(value) && isOpen(value)
  const [problem] = diagnostics
  // Aliases are resolved at the end, so their error names no line.
  if (problem?.code === 'yaml-alias-limit') return values.findIndex(isSuspicious)
  const reported = Math.max(0, (problem?.line ?? line) - line)
  const suspicious = values.slice(0, reported + 1).findLastIndex(isSuspicious)
  if (suspicious >= 0) return suspicious
  return isOpen(values[reported] ?? '') ? reported : values.findIndex(isSuspicious)
}

function repairedDiagnostic(key: string | undefined, value: string, line: number): Diagnostic {
  const owner = key === undefined ? 'An item of a list' : `The value of ${key}`
  const hasColon = /:(?:\s|$)/.test(value) && !RESERVED.test(value) && !/^["']/.test(value)
  const problem = hasColon ? 'contains a colon but is not quoted' : 'is not valid YAML'
  return {
    code: hasColon ? 'yaml-unquoted-colon' : 'yaml-error',
    severity: 'warning',
    message: `${owner} ${problem}; it was read as text`,
    line,
    hint: 'quote it: "..."',
  }
}
