import type { PackedPart, PackSummary } from '../../library/store/pack/pack.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { countLeftOut, formatDiagnostic } from './diagnostics.js'
import { shellQuote } from './paths.js'
import { formatBytes, plural } from './text.js'

/** The result of a pack into a folder. */
export interface WrittenPack extends Omit<PackSummary, 'files'> {
  files: {
    path: string
    part: PackedPart
    size: number
    outcome: 'written' | 'kept' | 'left'
    /** Content that pack would have written. Set for outcome `left`. */
    content: string | undefined
  }[]
  /** Number of files of skills. */
  skillFiles: number
  /** Number of files of earlier packs that were removed. */
  removed: number
}

/** Reasons printed one by one. Above that, only their number is printed. */
const MAX_REASONS = 10
const LEFT_OUT: ReadonlySet<Diagnostic['code']> = new Set(['skill-left-out', 'skill-unreadable', 'path-refused'])
const PUBLISHED: ReadonlySet<Diagnostic['code']> = new Set(['published-name', 'published-partly', 'published-large'])
const PARTS: readonly [part: PackedPart, label: string][] = [
  ['catalog', 'catalog'],
  ['segment', 'segments'],
  ['file', 'files'],
  ['archive', 'archives'],
  ['copy', 'copies for older clients'],
  ['index', 'indexes'],
]

/** The summary for `--json`. */
export function summaryJson(packed: WrittenPack, out: string): object {
  const { found, skills, skillFiles, removed, wellKnown, diagnostics } = packed
  const { written, kept, bytes } = totals(packed)
  return {
    out,
    summary: {
      found,
      skills,
      leftOut: countLeftOut(diagnostics),
      files: skillFiles,
      bytes,
      parts: Object.fromEntries(PARTS.map(([part]) => [part, bytesOf(packed, part)])),
      written,
      kept,
      left: foreignFiles(packed),
      removed,
      wellKnown,
    },
    diagnostics,
  }
}

/** The summary as lines of text. */
export function summaryLines(packed: WrittenPack, { where, out }: { where: string; out: string }): string[] {
  const { skills, skillFiles, removed, wellKnown, diagnostics } = packed
  const { written, kept, bytes } = totals(packed)
  const parts = PARTS.flatMap(([part, label]) => {
    const sum = bytesOf(packed, part)
    return sum > 0 ? [`${label} ${formatBytes(sum)}`] : []
  })
  const leftOut = countLeftOut(diagnostics)
  const reasons = diagnostics.filter(({ severity, code }) => severity === 'error' && LEFT_OUT.has(code))
  const published = diagnostics.filter(({ code }) => PUBLISHED.has(code))
  const lines = [
    `Packed ${plural(skills, 'skill')} with ${plural(skillFiles, 'file')} into ${out}`,
    `${plural(written + kept, 'packed file')}, ${formatBytes(bytes)}: ${written} written, ${kept} unchanged, ${removed} removed`,
    `  ${parts.join(', ')}`,
  ]
  if (wellKnown) {
    const { skills: all, readable, legacy } = wellKnown
    const plain = readable < all ? ` (${readable} for clients that read plain YAML only)` : ''
    const older = legacy > 0 ? `, ${legacy} for older clients (v0.1)` : ''
    lines.push(`Published as well-known skills: ${all} for v0.2 clients${plain}${older}`)
  }
  for (const { path, wanted } of foreignFiles(packed)) {
    lines.push('', `${path} was not written by pack and stays unchanged`)
    if (wanted !== '') lines.push('  Add the missing parts of what pack would have written:', ...indent(wanted))
  }
  if (reasons.length > 0 || leftOut > 0) lines.push('')
  if (leftOut > 0) lines.push(`${plural(leftOut, 'SKILL.md file')} left out`)
  lines.push(...reasonLines(reasons, `skillshelf validate ${shellQuote(where)}`))
  if (published.length > 0) lines.push('', 'Published with changes')
  lines.push(...reasonLines(published, 'skillshelf pack --json'))
  return lines
}

function reasonLines(reasons: readonly Diagnostic[], command: string): string[] {
  if (reasons.length > MAX_REASONS) return [`  see the ${reasons.length} reasons with: ${command}`]
  return reasons.map(reason => `  ${formatDiagnostic(reason)}`)
}

function totals({ files }: WrittenPack): { written: number; kept: number; bytes: number } {
  const sums = { written: 0, kept: 0, left: 0, bytes: 0 }
  for (const { outcome, size } of files) {
    sums[outcome]++
    if (outcome !== 'left') sums.bytes += size
  }
  return sums
}

function bytesOf({ files }: WrittenPack, part: PackedPart): number {
  return files.reduce((sum, file) => sum + (file.part === part ? file.size : 0), 0)
}

/** Hosting files that pack did not write, and the content that it would have written. */
function foreignFiles({ files }: WrittenPack): { path: string; wanted: string }[] {
  return files.flatMap(({ path, content }) => (content === undefined ? [] : [{ path, wanted: content }]))
}

function indent(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `    ${line}`)
}
