/** Reads a frontmatter that is not valid YAML, field by field. */
import type { Diagnostic } from './diagnostics.js'
import type { FrontmatterFields } from './yaml-document.js'
import { repairLines } from './yaml-repair.js'

const topLevelKey = /^(?!#|- )(?:"([^"]+)"|'([^']+)'|([^\s:#](?:[^:]*[^\s:])?))[ \t]*:(?=\s|$)/

/** Parses each top-level field on its own. */
export function parseEach(
  text: string,
  line: number,
  causes: readonly Diagnostic[],
): FrontmatterFields & { diagnostics: Diagnostic[] } {
  const values: Record<string, unknown> = {}
  const sources: Record<string, string> = {}
  const diagnostics: Diagnostic[] = []
  for (const block of fieldBlocks(text)) {
    const blockLine = line + block.line
    const alone = repairLines(block.text, blockLine)
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
