import { escapeLine } from '../../core/sanitize.js'
import type { SkillMatch } from '../../match/types.js'
import type { SkillSummary } from '../../skill/types.js'
import { promptNames } from './listing.js'

/**
 * The skills that fit this message, best first, for the tail of the prompt, where it changes from turn to turn. `''` where
 * there is none.
 */
export function matchesSection(matches: readonly SkillMatch[], skills: readonly SkillSummary[]): string {
  const name = promptNames(skills)
  const byId = new Map(skills.map(skill => [skill.id, skill]))
  const lines = matches.flatMap(match => {
    const skill = byId.get(match.id)
    if (!skill || skill.disableModelInvocation) return []
    return [
      '<skill>',
      `<name>${escapeLine(name(skill))}</name>`,
      `<score>${match.score.toFixed(2)}</score>`,
      '</skill>',
    ]
  })
  return lines.length === 0 ? '' : ['<matching_skills>', ...lines, '</matching_skills>'].join('\n')
}
