import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillFilter } from '../../library/types.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { HttpClient } from './http-client.js'
import { PAGE } from './response-shapes.js'

const PAGE_SIZE = 1_000
const MAX_LISTED = 10_000

/**
 * Lists the skills of a library that is too large for one answer.
 * @throws SkillshelfError `too-large` for more than 10,000 skills; every error of a request
 */
export async function listByPages(
  client: HttpClient,
  { tags = [], origins = [], signal }: SkillFilter & AbortOptions,
): Promise<SkillSummary[]> {
  const skills: SkillSummary[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams([
      ['limit', String(PAGE_SIZE)],
      ...tags.map(tag => ['tag', tag]),
      ...origins.map(origin => ['origin', origin]),
      ...(cursor === undefined ? [] : [['cursor', cursor]]),
    ])
    const { data } = await client.json<{ skills: SkillSummary[]; nextCursor?: string }>(`v1/skills?${query}`, {
      shape: PAGE,
      signal,
    })
    skills.push(...data.skills)
    cursor = data.nextCursor
    if (skills.length > MAX_LISTED || (cursor !== undefined && skills.length === MAX_LISTED))
      throw new SkillshelfError('too-large', `The list has more than ${MAX_LISTED} skills`, {
        subject: client.address,
        hint: 'filter by tags or origins',
      })
  } while (cursor !== undefined)
  return skills.sort((a, b) => (a.id < b.id ? -1 : 1))
}
