import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { dirname } from '../../core/paths.js'
import { plainLine, showHidden } from '../../core/sanitize.js'
import type { TreeSkill } from '../../library/catalog/catalog-entry.js'
import type { ListableSource } from '../../source/source.js'
import { changedLines } from './commands/diff.js'
import { correctSkill, type FixedText, type NotFixed } from './fix-skill.js'
import { type Io, plural, printLines } from './io.js'
import { writeAtomic } from './paths.js'
import { colorsFor } from './table.js'

export interface Fixed extends FixedText {
  /** Path of the file in the source. */
  path: string
}

/** A problem of a file that is left to its author. */
export interface Left extends NotFixed {
  path: string
}

/** More problems are counted, not printed. */
const MAX_LEFT = 20

/** Corrects the files of which it is certain what was meant. Paths are relative to `root`; without it, nothing is written. */
export async function fixSkills(
  source: ListableSource,
  skills: readonly TreeSkill[],
  {
    root,
    keep,
    signal,
  }: { root: string | undefined; keep: readonly string[]; signal: AbortSignal | undefined },
): Promise<{ fixed: Fixed[]; notFixed: Left[] }> {
  const all: { fixed: Fixed[]; notFixed: Left[] } = { fixed: [], notFixed: [] }
  for (const { file } of skills) {
    const result = await source.read(file, { signal })
    if (typeof result !== 'object') continue
    const { fixed, notFixed } = await correctSkill(result.bytes, dirname(file), keep)
    const reason =
      fixed && root !== undefined
        ? await writeFixed(join(root, file), result.bytes, fixed)
        : undefined
    if (reason !== undefined) all.notFixed.push({ path: file, ...reason })
    else if (fixed) all.fixed.push({ path: file, ...fixed })
    all.notFixed.push(...notFixed.map(one => ({ path: file, ...one })))
  }
  return all
}

/** Writes a corrected file, also through a link. Returns why it was not written. */
async function writeFixed(
  path: string,
  bytes: Uint8Array,
  { codes, after }: FixedText,
): Promise<NotFixed | undefined> {
  const target = await realpath(path)
  // S13: an edit that was saved after the file was read stays.
  if (Buffer.compare(await readFile(target), bytes) === 0) {
    await writeAtomic(target, after)
    return undefined
  }
  return {
    code: codes[0] ?? 'yaml-error',
    reason: 'the file changed while it was read',
    hint: 'run --fix again',
  }
}

/** Corrects a SKILL.md for strict readers, but no field of `keep`. `undefined`: nothing to correct, or it would change what is read. */
export async function fixSkill(
  bytes: Uint8Array,
  folder: string,
  keep: readonly string[] = [],
): Promise<FixedText | undefined> {
  return (await correctSkill(bytes, folder, keep)).fixed
}

/** Prints the lines that were removed and added, what else was corrected, and what was not. */
export function printFixed(
  io: Io,
  { fixed, notFixed }: { fixed: readonly Fixed[]; notFixed: readonly Left[] },
  isWritten: boolean,
): void {
  const colors = colorsFor(io)
  for (const { path, codes, before, after } of fixed) {
    printLines(io, colors.bold(`${plainLine(path)}: ${codes.join(', ')}`))
    for (const line of changedLines(before.replaceAll('\r\n', '\n'), after)) {
      // S5: a lone carriage return would start a line that nothing marks as changed.
      const visible = showHidden(line.replaceAll('\r', '[U+000D]'))
      printLines(io, (line.startsWith('-') ? colors.red : colors.green)(visible))
    }
  }
  const files = plural(fixed.length, 'file')
  printLines(
    io,
    isWritten ? `Corrected ${files}` : `${files} would be corrected; nothing was written`,
  )
  if (notFixed.length > 0) printLines(io, `Left to you, ${plural(notFixed.length, 'problem')}:`)
  for (const { path, line, code, reason, hint } of notFixed.slice(0, MAX_LEFT)) {
    const place = line === undefined ? path : `${path}:${line}`
    printLines(io, `  ${plainLine(`${place}: ${code}: ${reason}; ${hint}`)}`)
  }
  if (notFixed.length > MAX_LEFT) {
    printLines(io, `  … and ${notFixed.length - MAX_LEFT} more: --json prints all`)
  }
  printLines(io, '')
}
