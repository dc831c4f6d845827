import type { SkillSummary } from '../skill/types.js'

/** What a model calls a skill by: its name while no other has it, else its id. */
export function shownNames(skills: readonly SkillSummary[]): (skill: SkillSummary) => string {
  const seen = new Map<string, number>()
  const fold = ({ name }: SkillSummary): string => name.normalize('NFKC').toLowerCase().trim()
  for (const skill of skills) seen.set(fold(skill), (seen.get(fold(skill)) ?? 0) + 1)
  return skill => (seen.get(fold(skill)) === 1 ? skill.name : skill.id)
}
