/** Translated lines of registry skills, with the skill of each. */
import { sequenceOf } from '../../src/core/text/analyze.js'
import { type RawSkill, readData, type TranslationRow } from './sources.js'

export interface TranslatedSkill {
  lines: readonly TranslationRow[]
  /** The skill with most of the lines; `undefined` if unknown. */
  raw: RawSkill | undefined
}

/** The lines come skill by skill, each from its description on. */
export function readTranslatedSkills(registry: readonly RawSkill[]): TranslatedSkill[] {
  const groups: TranslationRow[][] = []
  for (const row of readData<TranslationRow>('zh-en')) {
    if (row.kind === 'description' || groups.length === 0) groups.push([])
    groups.at(-1)?.push(row)
  }
  const owners = ownersOf(
    new Set(groups.flatMap(lines => lines.map(({ en }) => keyOf(en)))),
    registry,
  )
  return groups.map(lines => ({
    lines,
    raw: commonest(lines.map(({ en }) => owners.get(keyOf(en)))),
  }))
}

/** The first skill that has each wanted line. */
function ownersOf(
  wanted: ReadonlySet<string>,
  registry: readonly RawSkill[],
): Map<string, RawSkill> {
  const owners = new Map<string, RawSkill>()
  for (const raw of registry) {
    for (const line of [raw.description, ...raw.body.split('\n')]) {
      const key = keyOf(line)
      if (wanted.has(key) && !owners.has(key)) owners.set(key, raw)
    }
  }
  return owners
}

function commonest(owners: readonly (RawSkill | undefined)[]): RawSkill | undefined {
  const counts = new Map<RawSkill, number>()
  for (const owner of owners) {
    if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  return [...counts].reduce<[RawSkill | undefined, number]>(
    (best, one) => (one[1] > best[1] ? one : best),
    [undefined, 0],
  )[0]
}

function keyOf(line: string): string {
  return sequenceOf(line).join(' ')
}
