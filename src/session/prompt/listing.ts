import type { SkillSummary } from '../../skill/types.js'
import { foldText } from '../../text/fold.js'

/** What a model calls a skill by: its name while no other has it, else its id. */
export function promptNames(skills: readonly SkillSummary[]): (skill: SkillSummary) => string {
  const seen = new Map<string, number>()
  for (const { name } of skills) seen.set(foldText(name), (seen.get(foldText(name)) ?? 0) + 1)
  return skill => (seen.get(foldText(skill.name)) === 1 ? skill.name : skill.id)
}
