import { escapeLine } from '../../core/sanitize.js'
import type { SkillMatch } from '../../match/types.js'
import type { SkillSummary } from '../../skill/types.js'
import { promptNames } from './listing.js'

/**
 * Formats the matches of a message, for the end of the prompt.
 *
 * @param matches Matches, best first.
 * @param skills Usually `library.snapshot.skills`.
 * @returns The section, or `''` without matches. Skills with `disable-model-invocation` are left out.
 * @example
 * ```ts
 * const { matches } = await library.match(message)
 * const content = `${message}\n\n${matchesSection(matches, library.snapshot.skills)}`
 * ```
 */
export function matchesSection(matches: readonly SkillMatch[], skills: readonly SkillSummary[]): string {
  const name = promptNames(skills)
  const byId = new Map(skills.map(skill => [skill.id, skill]))
  const lines = matches.flatMap(({ id, score }) => {
    const skill = byId.get(id)
    if (!skill || skill.disableModelInvocation) return []
    return ['<skill>', `<name>${escapeLine(name(skill))}</name>`, `<score>${score.toFixed(2)}</score>`, '</skill>']
  })
  return lines.length === 0 ? '' : ['<matching_skills>', ...lines, '</matching_skills>'].join('\n')
}
