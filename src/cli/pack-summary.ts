import type { Diagnostic } from '../skill/diagnostics.js'
import type { PackedPart, PackSummary } from '../store/pack/pack.js'
import type { PublishedSummary } from '../store/publish/well-known.js'
import { formatDiagnostic } from './diagnostics.js'
import { shellQuote } from './open-library.js'
import { formatBytes, plural } from './text.js'

/** What a pack put into a folder. */
export interface Written extends Omit<PackSummary, 'files'> {
  files: {
    path: string
    part: PackedPart
    size: number
    outcome: 'written' | 'kept' | 'left'
    /** What would stand there, had not somebody else written the file. */
    wanted?: string
  }[]
  /** Files of skills. */
  skillFiles: number
  removed: number
}

/** Reasons that are printed; of more only the number. */
const SHOWN = 10
/** What is said of a whole skill or file that is not packed, rather than of a line in one. */
const LEFT_OUT: ReadonlySet<Diagnostic['code']> = new Set(['skill-left-out', 'skill-unreadable', 'path-refused'])
/** What is said of a skill that others do not get, or not as its author wrote it. */
const PUBLISHED: ReadonlySet<Diagnostic['code']> = new Set(['published-name', 'published-partly', 'published-large'])
const PARTS: readonly [part: PackedPart, label: string][] = [
  ['catalog', 'catalog'],
  ['segment', 'segments'],
  ['file', 'files'],
  ['archive', 'archives'],
  ['copy', 'v0.1 copies'],
  ['index', 'indexes'],
]

/** For programs. */
export function summaryOf(packed: Written, out: string): object {
  const { found, skills, skillFiles, removed, wellKnown, diagnostics } = packed
  const { written, kept, bytes } = totalsOf(packed)
  return {
    out,
    summary: {
      found,
      skills,
      leftOut: found - skills,
      files: skillFiles,
      bytes,
      parts: Object.fromEntries(PARTS.map(([part]) => [part, bytesOf(packed, part)])),
      written,
      kept,
      left: leftAlone(packed),
      removed,
      ...(wellKnown ? { wellKnown } : {}),
    },
    diagnostics,
  }
}

/** For people. */
export function summaryLines(packed: Written, { where, out }: { where: string; out: string }): string[] {
  const { found, skills, skillFiles, removed, wellKnown, diagnostics } = packed
  const { written, kept, bytes } = totalsOf(packed)
  const parts = PARTS.flatMap(([part, label]) => {
    const sum = bytesOf(packed, part)
    return sum > 0 ? [`${label} ${formatBytes(sum)}`] : []
  })
  const leftOut = found - skills
  const reasons = diagnostics.filter(({ severity, code }) => severity === 'error' && LEFT_OUT.has(code))
  const published = diagnostics.filter(({ code }) => PUBLISHED.has(code))
  return [
    `${plural(skills, 'skill')} with ${plural(skillFiles, 'file')} packed into ${out}`,
    `${plural(written + kept, 'packed file')}, ${formatBytes(bytes)}: ${written} written, ${kept} kept, ${removed} removed`,
    `  ${parts.join(', ')}`,
    ...(wellKnown
      ? [
          `published as well-known skills: ${wellKnown.skills} to clients of v0.2${some(wellKnown)}, ${wellKnown.legacy} of v0.1`,
        ]
      : []),
    ...leftAlone(packed).flatMap(({ path, wanted }) => [
      '',
      `${path} stays as it is: pack did not write it`,
      ...(wanted === '' ? [] : ['  What pack would have written; see what of it is missing:', ...indented(wanted)]),
    ]),
    ...(reasons.length > 0 || leftOut > 0 ? [''] : []),
    ...(leftOut > 0 ? [`${plural(leftOut, 'SKILL.md')} left out`.replace('.mds', '.md files')] : []),
    ...bounded(reasons, `for the ${reasons.length} reasons see: skillshelf validate ${shellQuote(where)}`),
    ...(published.length > 0 ? ['', 'Not published just as they are'] : []),
    ...bounded(published, `for the ${published.length} reasons see: skillshelf pack --json`),
  ]
}

/** Clients that read plain YAML alone take fewer. */
function some({ skills, readable }: PublishedSummary): string {
  return readable < skills ? ` (${readable} to those that read plain YAML alone)` : ''
}

function bounded(reasons: readonly Diagnostic[], many: string): string[] {
  return reasons.length <= SHOWN ? reasons.map(one => `  ${formatDiagnostic(one)}`) : [`  ${many}`]
}

function totalsOf({ files }: Written): { written: number; kept: number; bytes: number } {
  const totals = { written: 0, kept: 0, left: 0, bytes: 0 }
  for (const { outcome, size } of files) {
    totals[outcome]++
    if (outcome !== 'left') totals.bytes += size
  }
  return totals
}

function bytesOf({ files }: Written, part: PackedPart): number {
  return files.reduce((sum, one) => sum + (one.part === part ? one.size : 0), 0)
}

/** Files for hosts that somebody else wrote, and what would have been written. */
function leftAlone({ files }: Written): { path: string; wanted: string }[] {
  return files.flatMap(({ path, wanted }) => (wanted === undefined ? [] : [{ path, wanted }]))
}

function indented(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map(line => `    ${line}`)
}
