import { plainLine } from '../../core/sanitize.js'
import { isIncomplete, type PublishPlan, type UploadResult } from './publish-upload.js'
import { formatBytes } from './text.js'

/** Folders that are listed by name. */
const SHOWN = 10
const PRUNE = 'remove them with --prune'
const HELD = 'they are kept until every other skill is uploaded'

/** Summary of an upload, and the skills that are left. */
export function doneLines(plan: PublishPlan, sent: UploadResult, where: string, prune: boolean): string[] {
  const { put, replace, same, partial } = plan
  const refused = new Set(sent.refused.map(({ skill }) => skill))
  const taken = (skills: PublishPlan['put']): number => skills.filter(skill => !refused.has(skill)).length
  const left = leftOf(plan, sent, where, prune)
  return [
    joined([
      [taken(put), 'put'],
      [taken(replace), 'replaced'],
      [same, same === 1 ? 'as it was' : 'as they were'],
      [refused.size, 'refused'],
      [partial.length, 'not sent'],
      [sent.removed, 'removed'],
      ...left.parts,
    ]),
    ...left.lines,
  ]
}

/** Plan of an upload, for `--dry-run`. */
export function plannedLines(plan: PublishPlan, sent: UploadResult, where: string, prune: boolean): string[] {
  const { put, replace, same, partial, gone } = plan
  const left = leftOf(plan, sent, where, prune)
  const remove = left.parts.length > 0 ? [] : gone
  return [
    ...put.map(skill => `put      ${plainLine(skill.folder)}, ${formatBytes(skill.size)}`),
    ...replace.map(skill => `replace  ${plainLine(skill.folder)}, ${formatBytes(skill.size)}`),
    ...remove.map(folder => `remove   ${plainLine(folder)}`),
    joined([
      [put.length, 'to put'],
      [replace.length, 'to replace'],
      [same, same === 1 ? 'as it is' : 'as they are'],
      [partial.length, 'not to be sent'],
      [remove.length, 'to remove'],
      ...left.parts,
    ]),
    ...left.lines,
  ]
}

/** Result of an upload, or of a dry run: folders of skills. */
export function summaryJson(plan: PublishPlan, sent: UploadResult, dryRun: boolean): Record<string, unknown> {
  const refused = new Set(sent.refused.map(({ skill }) => skill))
  const foldersOf = (skills: PublishPlan['put']): string[] =>
    skills.filter(skill => !refused.has(skill)).map(({ folder }) => folder)
  return {
    dryRun,
    put: foldersOf(plan.put),
    replaced: foldersOf(plan.replace),
    unchanged: plan.same,
    refused: sent.refused.map(({ skill, error }) => ({
      folder: skill.folder,
      code: error.code,
      message: error.message,
    })),
    unreadable: [...plan.partial, ...plan.hidden],
    notInFolder: plan.gone,
    removed: sent.removed,
  }
}

type Part = readonly [number: number, label: string]

/** Skills on the server that differ from the folder and are kept. */
function leftOf(
  plan: PublishPlan,
  sent: UploadResult,
  where: string,
  prune: boolean,
): { parts: readonly Part[]; lines: readonly string[] } {
  const { partial, gone, hidden, atRoot } = plan
  const why = !prune ? PRUNE : isIncomplete(plan, sent) ? HELD : undefined
  return {
    parts: why && gone.length > 0 ? [[gone.length, `not in ${where} any more (${why})`]] : [],
    lines: [
      ...(why ? named(gone) : []),
      ...unreadLines(partial, `cannot be read whole in ${where}`),
      ...unreadLines(hidden, `cannot be read in ${where}`),
      ...(atRoot ? ['the server has one skill outside of any folder; it cannot be removed and is kept'] : []),
    ],
  }
}

function joined(parts: readonly Part[]): string {
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number.toLocaleString('en')} ${what}`)
    .join(', ')
}

function unreadLines(folders: readonly string[], what: string): string[] {
  if (folders.length === 0) return []
  return [`${folders.length} ${what}, and ${folders.length === 1 ? 'stays' : 'stay'}`, ...named(folders)]
}

function named(folders: readonly string[]): string[] {
  const more = folders.length - SHOWN
  return [
    ...folders.slice(0, SHOWN).map(folder => `  ${plainLine(folder)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}
