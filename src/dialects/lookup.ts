import { createLookup } from '../catalog/lookup.js'
import { mapParallel } from '../core/concurrency.js'
import { isSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { AbortOptions } from '../library/types.js'
import type { Requester, Session } from '../session/types.js'
import type { Skill, SkillSummary } from '../skill/types.js'

const PARALLEL_READS = 6

/**
 * The skill that a name means: by its id, else by the first kind of name that any skill answers to, exactly or case-folded. `undefined`
 * where none does.
 * @throws SkillshelfError `ambiguous-name`
 */
export function findSkill(
  { library }: Session,
  name: string,
  kinds: readonly ((skill: SkillSummary) => string)[],
): SkillSummary | undefined {
  const { skills } = library.snapshot
  for (const kind of kinds) {
    const called = skills.map(({ displayName: _, ...skill }) => ({ ...skill, name: kind(skill) }))
    try {
      const { id } = createLookup(called, new Map()).find(name)
      return skills.find(skill => skill.id === id)
    } catch (error) {
      if (!isSkillshelfError(error, 'skill-not-found')) throw error
    }
  }
  return undefined
}

/** Looks into a skill without opening it. @throws SkillshelfError `not-allowed`; and as `library.get` */
export async function inspectSkill(
  { library, open }: Session,
  name: string,
  { by, ...at }: AbortOptions & { by: Requester },
): Promise<Skill> {
  const skill = await library.get(name, at)
  if (by === 'model' && skill.disableModelInvocation && !open.some(one => one.skill.id === skill.id))
    throw new SkillshelfError('not-allowed', `${skill.name} is opened by people only`, { subject: skill.id })
  return skill
}

/** All that a session offers, looked into a few at a time. One that cannot be read hides no other: it is left out. */
export async function inspectOffered({ library, offered }: Session, at: AbortOptions = {}): Promise<Skill[]> {
  const skills = await mapParallel(offered, PARALLEL_READS, async ({ id }) => {
    try {
      return await library.get(id, at)
    } catch (error) {
      if (isSkillshelfError(error, 'aborted', 'closed')) throw error
      return undefined
    }
  })
  return skills.filter(skill => skill !== undefined)
}

/** Says in a dialect's own words that there is no such skill or file; every other error stays as it is. */
export async function withNotFoundMessage<T>(
  work: Promise<T>,
  says: Partial<Record<'skill-not-found' | 'resource-not-found', string>>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!isSkillshelfError(error, 'skill-not-found', 'resource-not-found')) throw error
    const code = error.code as keyof typeof says
    const message = says[code]
    if (message === undefined) throw error
    const { hint: _, ...details } = error.details
    throw new SkillshelfError(code, message, details, error)
  }
}
