import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { allPages } from '../../core/paging.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { PageQuery } from '../api/backend.js'
import type { Lifetime } from '../api/lifetime.js'
import type { SkillFilter, SkillLibrary, SkillPage } from '../api/skill-library.js'
import { checkFilter, checkLimit } from './arguments.js'

const PAGE_LIMIT = 100
const MAX_PAGE = 1_000
const PAGE_SIZE = 1_000
const MAX_LISTED = 10_000

const OPTIONS = {
  tags: 1,
  origins: 1,
  ids: 1,
  cursor: 1,
  limit: 1,
  signal: 1,
} satisfies OptionNames<PageQuery>

/** Reads one page. Its arguments are checked. */
export type ReadPage = (query: PageQuery) => Promise<SkillPage>

/** The method `page` of a library: it checks the arguments. */
export function createPage(
  lifetime: Lifetime,
  readPage: ReadPage,
): NonNullable<SkillLibrary['page']> {
  return async ({ limit = PAGE_LIMIT, ...query } = {}) => {
    lifetime.check(query)
    checkOptionNames(query, OPTIONS)
    checkFilter(query)
    const page = await readPage({ ...query, limit: Math.min(checkLimit(limit), MAX_PAGE) })
    lifetime.check(query)
    return page
  }
}

/** Lists the skills of a library that has pages, by id. @throws `too-large` for more than 10,000 skills; every error of a page */
export async function listPages(
  page: ReadPage,
  filter: SkillFilter & AbortOptions,
): Promise<SkillSummary[]> {
  const skills: SkillSummary[] = []
  const read = (cursor: string | undefined) => page({ ...filter, limit: PAGE_SIZE, cursor })
  for await (const { skills: some, next } of allPages('The library', read)) {
    skills.push(...some)
    if (skills.length > MAX_LISTED || (next !== undefined && skills.length === MAX_LISTED)) {
      throw new SkillshelfError('too-large', `The list has more than ${MAX_LISTED} skills`, {
        hint: 'filter by tags or origins, or list them by pages',
      })
    }
  }
  return skills.sort((a, b) => (a.id < b.id ? -1 : 1))
}
