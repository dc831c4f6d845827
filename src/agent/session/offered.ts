import type { SkillSummary } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'

/** The skills that the model may find and open unasked: the only place that decides it. */
export function offeredSkills(conversation: Conversation): readonly SkillSummary[] {
  const { library, dialect, offerOf, refused } = conversation
  return library.snapshot.skills.flatMap(skill => {
    const isHidden =
      skill.disableModelInvocation ||
      dialect.excludes?.(skill) ||
      offerOf(skill) === 'manual' ||
      refused.get(skill.id) === skill.digest
    if (isHidden) return []
    return [offerOf(skill) === 'name-only' ? { ...skill, description: '' } : skill]
  })
}

/** Whether the model may not open a skill: only people do, or a message of the user must name it first. */
export function isForPeople({ offerOf, named }: Conversation, skill: SkillSummary): boolean {
  return skill.disableModelInvocation || (offerOf(skill) === 'manual' && !named.has(skill.id))
}
