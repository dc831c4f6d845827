import { invalidInput } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { trySafePath } from '../../core/paths.js'
import { isStrings } from '../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { SkillFilter } from '../api/skill-library.js'

const loadUserWords = onDemand(() => import('../../core/text/user-words.js'))

/** What a message has in which a machine wrote, or into which the user pasted something. Most messages have none of it. */
const MAY_HAVE_OTHERS = /[<\n\\/[{]| hook /
/** Opened skills that a library keeps. */
const MAX_OPENED = 64

/** @throws SkillshelfError `invalid-input` */
export function checkFilter({ tags, origins, ids }: SkillFilter): void {
  for (const [name, value] of Object.entries({ tags, origins, ids })) {
    if (value !== undefined && !isStrings(value)) {
      throw invalidInput(`"${name}" must be an array of strings`)
    }
  }
}

/** The skills that pass a filter. @throws SkillshelfError `invalid-input` */
export function filterSkills(
  skills: readonly SkillSummary[],
  filter: SkillFilter,
): readonly SkillSummary[] {
  checkFilter(filter)
  const { tags, origins, ids } = filter
  if (!tags && !origins && !ids) return skills
  const wantedIds = ids && new Set(ids)
  const wanted = tags && new Set(tags.map(tag => tag.toLowerCase()))
  return skills.filter(
    skill =>
      (!wanted || skill.tags.some(tag => wanted.has(tag.toLowerCase()))) &&
      (!origins || origins.includes(skill.origin)) &&
      (!wantedIds || wantedIds.has(skill.id)),
  )
}

/**
 * The query in the words of its user, divided once: what hosts, tools and this library wrote into the messages is left out, and what the user
 * pasted stands in `pasted`. A divided query stays as it is: a server divides it again.
 */
export async function toQuery(given: string | MatchQuery): Promise<MatchQuery> {
  const query = checkQuery(given)
  const { message, history, pasted: attached = '', ...place } = query
  if (![message, ...(history ?? [])].some(text => MAY_HAVE_OTHERS.test(text))) return query
  const { userWords } = await loadUserWords()
  const said = userWords(message)
  // A machine leans on nothing.
  if (said.message === '') return { message: '', ...place }
  const earlier = history?.map(text => userWords(text).message).filter(text => text !== '') ?? []
  const pasted = isPastedAlone(said)
    ? said.pasted
    : [attached, said.pasted].filter(text => text !== '').join('\n')
  return {
    message: said.message,
    ...(earlier.length > 0 && { history: earlier }),
    ...(pasted !== '' && { pasted }),
    ...place,
  }
}

/** Whether a divided query has pasted text alone. */
export function isPastedAlone({ message, pasted }: MatchQuery): boolean {
  return pasted === message
}

const QUERY = {
  message: 1,
  history: 1,
  pasted: 1,
  files: 1,
  url: 1,
} satisfies OptionNames<MatchQuery>

function checkQuery(query: string | MatchQuery): MatchQuery {
  if (typeof query === 'object') checkOptionNames(query, QUERY)
  const { message, history, pasted, files, url }: Partial<MatchQuery> =
    typeof query === 'string' ? { message: query } : (query ?? {})
  if (typeof message !== 'string') {
    throw invalidInput(
      '"message" must be a string',
      'pass a string, or { message, history, pasted, files, url }',
    )
  }
  if (history !== undefined && !isStrings(history)) {
    throw invalidInput('"history" must be an array of strings, oldest first')
  }
  if (pasted !== undefined && typeof pasted !== 'string') {
    throw invalidInput('"pasted" must be a string')
  }
  if (files !== undefined && !isStrings(files)) {
    throw invalidInput('"files" must be an array of paths, relative to the project')
  }
  return {
    message,
    ...(history && { history }),
    ...(pasted && { pasted }),
    ...(files && { files }),
    ...(url !== undefined && { url }),
  }
}

/** Whether a message says where the user works. */
export function isPlaced({ files, url }: MatchQuery): boolean {
  return files !== undefined || url !== undefined
}

export function checkLimit(limit: number, option = 'limit'): number {
  if (!Number.isInteger(limit) || limit < 1) {
    throw invalidInput(`"${option}" must be a positive integer, not ${limit}`)
  }
  return limit
}

export function checkRatio(option: string, value: number): void {
  // Text such as '' compares as a number, but is not equal to one.
  if (Math.min(1, Math.max(0, value)) !== value) {
    throw invalidInput(`"${option}" must be a number from 0 to 1, not ${value}`)
  }
}

export function checkEnvironment(environment: string | undefined): string | undefined {
  if (
    environment !== undefined &&
    (trySafePath(environment) !== environment || environment.includes('/'))
  ) {
    throw invalidInput(`"environment" must be a folder name, not ${JSON.stringify(environment)}`)
  }
  return environment
}

/** Keeps an opened skill, instead of the oldest one. */
export function keepOpened<T>(opened: Map<SkillId, T>, id: SkillId, skill: T): void {
  opened.set(id, skill)
  if (opened.size > MAX_OPENED) opened.delete(opened.keys().next().value as SkillId)
}
