import { foldText } from '../../../core/text/fold.js'
import type { SkillId, SkillSummary } from '../../../skill/types.js'

/** Characters of a shortened description. */
const SHORT_DESCRIPTION = 120

/** Returns the name that a prompt uses for a skill: its name if it is unique in `skills`, else its id. */
export function promptNames(skills: readonly SkillSummary[]): (skill: SkillSummary) => string {
  const uses = new Map<string, number>()
  for (const { name } of skills) uses.set(foldText(name), (uses.get(foldText(name)) ?? 0) + 1)
  return skill => (uses.get(foldText(skill.name)) === 1 ? skill.name : skill.id)
}

/** Cuts a description at the end of a word. */
export function shortenDescription(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= SHORT_DESCRIPTION) return line
  const start = line.slice(0, SHORT_DESCRIPTION)
  const end = /\s\S*$/.exec(start)?.index ?? SHORT_DESCRIPTION
  // Scripts without spaces and long words are cut after any character, but not inside a surrogate pair.
  const cut = end < SHORT_DESCRIPTION / 2 ? start.replace(/[\ud800-\udbff]$/, '') : start.slice(0, end)
  return `${cut.replace(/[\s,;:，；、]+$/, '')}…`
}

/**
 * Formats as many skills as fit, in the given order.
 * @param preferred Ids of skills that are dropped last.
 * @param format Formats a selection. Its text is returned even if no skill fits.
 */
export function fitSkills<Listed extends { id: SkillId }>(
  skills: readonly Listed[],
  preferred: ReadonlySet<SkillId>,
  format: (selection: readonly Listed[]) => string,
  fits: (text: string) => boolean,
): { text: string; listed: number } {
  const ranked = [...skills.filter(({ id }) => preferred.has(id)), ...skills.filter(({ id }) => !preferred.has(id))]
  const textOfFirst = (amount: number): string => {
    const selected = new Set(ranked.slice(0, amount))
    return format(skills.filter(skill => selected.has(skill)))
  }
  let [listed, tooMany] = [0, skills.length]
  while (tooMany - listed > 1) {
    const middle = (listed + tooMany) >> 1
    if (fits(textOfFirst(middle))) listed = middle
    else tooMany = middle
  }
  return { text: textOfFirst(listed), listed }
}
