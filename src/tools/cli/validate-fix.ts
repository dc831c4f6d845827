import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from '../../core/paths.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import { decodeText } from '../../skill/decode.js'
import type { DiagnosticCode } from '../../skill/diagnostics.js'
import { FIELD_NAMES } from '../../skill/fields.js'
import { splitFrontmatter } from '../../skill/frontmatter.js'
import { parseSkill } from '../../skill/parse.js'
import type { ParsedSkill } from '../../skill/skill.js'
import { specifiedSpelling } from '../../skill/specification.js'
import type { ListableSource } from '../../source/source.js'
import { changedLines } from './diff.js'
import { type Io, plural, printLines } from './io.js'
import { writeAtomic } from './paths.js'
import { colorsFor } from './table.js'

/** What `--fix` corrects. */
const FIXABLE: ReadonlySet<DiagnosticCode> = new Set([
  ...(['bom', 'crlf', 'utf16', 'yaml-tab', 'yaml-unquoted-colon', 'yaml-error', 'field-misspelled'] as const),
  ...(['fence-trailing-blanks', 'text-before-frontmatter', 'frontmatter-fence', 'frontmatter-in-code-fence'] as const),
  ...(['frontmatter-unopened', 'frontmatter-unclosed'] as const),
])
/** A file with one of these is left to its author. */
const UNCERTAIN: ReadonlySet<DiagnosticCode> = new Set(['not-utf8', 'nul-bytes', 'too-large', 'yaml-not-a-map'])
const KEY = /^(["']?)([A-Za-z_][\w-]*)\1[ \t]*:/

export interface Fixed {
  /** Path of the file in the source. */
  path: string
  codes: DiagnosticCode[]
  before: string
  after: string
}

/** Corrects the files of which it is certain what was meant. Paths are relative to `root`; without it, nothing is written. */
export async function fixSkills(
  source: ListableSource,
  skills: readonly TreeSkill[],
  { root, keep, signal }: { root: string | undefined; keep: readonly string[]; signal: AbortSignal | undefined },
): Promise<Fixed[]> {
  const all: Fixed[] = []
  for (const { file } of skills) {
    const result = await source.read(file, { signal })
    const fixed = typeof result === 'object' ? await fixSkill(result.bytes, dirname(file), keep) : undefined
    if (!fixed) continue
    if (root !== undefined) await writeAtomic(await realpath(join(root, file)), fixed.after)
    all.push({ path: file, ...fixed })
  }
  return all
}

/** Corrects a SKILL.md for strict readers, but no field of `keep`. `undefined`: nothing to correct, or it would change what is read. */
export async function fixSkill(
  bytes: Uint8Array,
  folder: string,
  keep: readonly string[] = [],
): Promise<Omit<Fixed, 'path'> | undefined> {
  const parsed = await parseSkill(bytes, { folder })
  const counts = countFixable(parsed)
  if (counts.size === 0 || parsed.diagnostics.some(({ code }) => UNCERTAIN.has(code))) return
  const before = decodeText(bytes).text
  const text = before.replaceAll('\r\n', '\n')
  const { frontmatter, line, body } = splitFrontmatter(text)
  const fields = fixFields(frontmatter.split('\n'), line, parsed, keep)
  const after = frontmatter.trim() === '' ? text : `---\n${fields}\n---\n${body}`
  const again = await parseSkill(after, { folder })
  const left = countFixable(again)
  const codes = [...counts].flatMap(([code, count]) => ((left.get(code) ?? 0) < count ? [code] : []))
  if (codes.length === 0 || !readsTheSame(parsed, again)) return
  return { codes, before, after }
}

function countFixable({ diagnostics }: ParsedSkill): Map<DiagnosticCode, number> {
  const counts = new Map<DiagnosticCode, number>()
  for (const { code } of diagnostics) if (FIXABLE.has(code)) counts.set(code, (counts.get(code) ?? 0) + 1)
  return counts
}

/** Whether the instructions and every field that was read before are read as before. */
function readsTheSame(before: ParsedSkill, after: ParsedSkill): boolean {
  const body = ({ body }: ParsedSkill): string => body.replaceAll('\r\n', '\n').trim()
  const now: Record<string, unknown> = { ...after.metadata }
  const isKept = ([field, value]: [string, unknown]): boolean => JSON.stringify(now[field]) === JSON.stringify(value)
  return body(before) === body(after) && Object.entries(before.metadata).every(isKept)
}

/** Corrects the keys of a frontmatter, quotes values and replaces tabs. */
function fixFields(lines: readonly string[], start: number, parsed: ParsedSkill, keep: readonly string[]): string {
  const has = (code: DiagnosticCode, index?: number): boolean =>
    parsed.diagnostics.some(one => one.code === code && (index === undefined || one.line === start + index))
  const fixed: string[] = []
  let isQuoted = false
  for (const [index, line] of lines.entries()) {
    const [match, quote = '', key = ''] = KEY.exec(line) ?? []
    if (match === undefined) {
      // The other lines of a value that is quoted as a whole.
      if (!isQuoted) fixed.push(has('yaml-tab') ? untab(line) : line)
      continue
    }
    const value = parsed.fields[key]
    isQuoted =
      (has('yaml-unquoted-colon', index) || has('yaml-error', index)) &&
      typeof value === 'string' &&
      !/^[[{]/.test(value)
    const rest = isQuoted ? ` ${JSON.stringify(value)}` : line.slice(match.length)
    const name = keep.includes(key) ? key : rightKey(key, parsed.fields)
    fixed.push(`${quote}${name}${quote}:${rest}`)
  }
  return fixed.join('\n')
}

/** The key that the author of a frontmatter meant. Spellings that are only similar are not certain. */
function rightKey(key: string, fields: Readonly<Record<string, unknown>>): string {
  const lower = key.toLowerCase()
  const isOtherCase = !FIELD_NAMES.includes(key) && FIELD_NAMES.includes(lower)
  const right = specifiedSpelling(key) ?? (isOtherCase ? lower : key)
  return Object.hasOwn(fields, right) ? key : right
}

function untab(line: string): string {
  return line.replace(/^[ \t]+/, indent => indent.replaceAll('\t', '  '))
}

/** Prints the lines that were removed and added, and what else was corrected. */
export function printFixed(io: Io, fixed: readonly Fixed[], isWritten: boolean): void {
  const colors = colorsFor(io)
  for (const { path, codes, before, after } of fixed) {
    printLines(io, colors.bold(`${path}: ${codes.join(', ')}`))
    for (const line of changedLines(before.replaceAll('\r\n', '\n'), after))
      printLines(io, (line.startsWith('-') ? colors.red : colors.green)(line))
  }
  const files = plural(fixed.length, 'file')
  printLines(io, isWritten ? `Corrected ${files}` : `${files} would be corrected; nothing was written`, '')
}
