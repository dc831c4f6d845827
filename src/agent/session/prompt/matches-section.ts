import { escapeLine } from '../../../core/sanitize.js'
import type { SkillMatch } from '../../../search/match/types.js'
import type { SkillSummary } from '../../../skill/types.js'
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
  return section('matching_skills', matches, skills)
}

/** Formats uncertain matches, for the end of the prompt. `''` without any. */
export function maybeSection(maybe: readonly SkillMatch[], skills: readonly SkillSummary[]): string {
  return section('possible_skills', maybe, skills, 'Uncertain. Use one only if its description fits the message.')
}

function section(
  element: string,
  matches: readonly SkillMatch[],
  skills: readonly SkillSummary[],
  note?: string,
): string {
  const name = promptNames(skills)
  const byId = new Map(skills.map(skill => [skill.id, skill]))
  const lines = matches.flatMap(({ id, score }) => {
    const skill = byId.get(id)
    if (!skill || skill.disableModelInvocation) return []
    return ['<skill>', `<name>${escapeLine(name(skill))}</name>`, `<score>${score.toFixed(2)}</score>`, '</skill>']
  })
  return lines.length === 0 ? '' : [`<${element}>`, ...(note ? [note] : []), ...lines, `</${element}>`].join('\n')
}
