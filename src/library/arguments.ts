import { SkillshelfError } from '../core/errors.js'
import { trySafePath } from '../core/paths.js'
import type { MatchQuery } from '../match/types.js'
import type { SkillSummary } from '../skill/types.js'
import type { SkillFilter } from './types.js'

/** @throws SkillshelfError `invalid-input` */
export function filterSkills(skills: readonly SkillSummary[], { tags, origins }: SkillFilter): readonly SkillSummary[] {
  for (const [name, value] of Object.entries({ tags, origins }))
    if (value !== undefined && !(Array.isArray(value) && value.every(one => typeof one === 'string')))
      throw new SkillshelfError('invalid-input', `${name} is a list of texts`, { hint: `give ${name}: ['…']` })
  if (!tags && !origins) return skills
  const wanted = tags && new Set(tags.map(tag => tag.toLowerCase()))
  return skills.filter(
    skill =>
      (!wanted || skill.tags.some(tag => wanted.has(tag.toLowerCase()))) &&
      (!origins || origins.includes(skill.origin)),
  )
}

/** @throws SkillshelfError `invalid-input` */
export function toQuery(query: string | MatchQuery): MatchQuery {
  const { message, history } = typeof query === 'string' ? { message: query, history: undefined } : (query ?? {})
  if (typeof message !== 'string')
    throw new SkillshelfError('invalid-input', 'The message to match is not text', {
      hint: 'give a string, or { message, history }',
    })
  if (history !== undefined && !(Array.isArray(history) && history.every(said => typeof said === 'string')))
    throw new SkillshelfError('invalid-input', 'The history is a list of texts, oldest first')
  return history ? { message, history } : { message }
}

/** @throws SkillshelfError `invalid-input` */
export function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw new SkillshelfError('invalid-input', `limit is ${limit}; it is a whole number from 1`)
  return limit
}

/** @throws SkillshelfError `invalid-input` */
export function checkEnvironment(environment: string | undefined): string | undefined {
  if (environment !== undefined && (trySafePath(environment) !== environment || environment.includes('/')))
    throw new SkillshelfError('invalid-input', `${JSON.stringify(environment)} is no environment`, {
      hint: 'give the name of a folder in environments/',
    })
  return environment
}
