import type { Plan } from './publish-plan.js'
import type { Sent } from './publish-send.js'
import { oneLine, size } from './text.js'

/** Folders that are named. */
const SHOWN = 10
const PRUNE = 'remove them with --prune'

/** What was done, on a line, and what is left to do. */
export function doneLines(
  { put, replace, same, gone, hidden }: Plan,
  sent: Sent,
  where: string,
  prune: boolean,
): string[] {
  const refused = new Set(sent.refused.map(({ skill }) => skill))
  const taken = (skills: Plan['put']): number => skills.filter(skill => !refused.has(skill)).length
  const left = prune ? [] : gone
  return [
    joined([
      [taken(put), 'put'],
      [taken(replace), 'replaced'],
      [same, same === 1 ? 'as it was' : 'as they were'],
      [refused.size, 'refused'],
      [sent.removed, 'removed'],
      [left.length, `not in ${where} any more (${PRUNE})`],
    ]),
    ...named(left),
    ...hiddenLines(hidden, where),
  ]
}

/** What would be done. */
export function plannedLines({ put, replace, same, gone, hidden }: Plan, where: string, prune: boolean): string[] {
  const left = prune ? [] : gone
  return [
    ...put.map(skill => `put      ${oneLine(skill.folder)}, ${size(skill.size)}`),
    ...replace.map(skill => `replace  ${oneLine(skill.folder)}, ${size(skill.size)}`),
    ...(prune ? gone.map(folder => `remove   ${oneLine(folder)}`) : []),
    joined([
      [put.length, 'to put'],
      [replace.length, 'to replace'],
      [same, same === 1 ? 'as it is' : 'as they are'],
      [prune ? gone.length : 0, 'to remove'],
      [left.length, `not in ${where} any more (${PRUNE})`],
    ]),
    ...named(left),
    ...hiddenLines(hidden, where),
  ]
}

function joined(parts: readonly (readonly [number: number, what: string])[]): string {
  return parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number.toLocaleString('en')} ${what}`)
    .join(', ')
}

function hiddenLines(hidden: readonly string[], where: string): string[] {
  if (hidden.length === 0) return []
  return [
    `${hidden.length} cannot be read in ${where}, and ${hidden.length === 1 ? 'stays' : 'stay'}`,
    ...named(hidden),
  ]
}

function named(folders: readonly string[]): string[] {
  const more = folders.length - SHOWN
  return [
    ...folders.slice(0, SHOWN).map(folder => `  ${oneLine(folder)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}
