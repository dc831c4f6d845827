import type { SkillFilter } from '../../library/types.js'
import type { Language, MatchQuery } from '../../match/types.js'
import { json } from './answer.js'
import { type Endpoint, endpoint } from './endpoint.js'
import * as shape from './schemas.js'

/** Inputs of the library, as they come in an address or in a body. */
interface Asked {
  message: string
  history?: string[] | undefined
  tag?: string[] | undefined
  origin?: string[] | undefined
  tags?: string[] | undefined
  origins?: string[] | undefined
  limit?: number | undefined
  threshold?: number | undefined
  margin?: number | undefined
  language?: Language | undefined
}

interface Options extends SkillFilter {
  limit?: number | undefined
  threshold?: number | undefined
  margin?: number | undefined
  language?: Language | undefined
}

const answers = { 200: { what: 'Matches, best first', content: { 'application/json': shape.result } } }
const explained = { 200: { what: 'Why it did or did not match', content: { 'application/json': shape.explanation } } }
const FOUND = ['invalid-input', 'source-failed'] as const
const NAMED = [...FOUND, 'skill-not-found', 'ambiguous-name'] as const

const match = {
  name: 'match',
  summary: 'The skills that serve a message: those above the threshold, and none where no skill is',
}
const search = { name: 'search', summary: 'The nearest skills, without a threshold' }
const explain = { name: 'explain', summary: 'Why a skill did or did not match a message' }

/** What is found for a message: each by GET, for an address to share and to cache, and by POST, where the message stays out of logs. */
export const matching: readonly Endpoint[] = [
  endpoint({
    ...match,
    method: 'get',
    path: '/v1/match',
    query: shape.matchQuery,
    answers,
    problems: FOUND,
    run: async ({ library, query, signal }) =>
      json(await library.match(queryOf(query), { ...optionsOf(query), signal })),
  }),
  endpoint({
    ...match,
    name: 'matchByBody',
    method: 'post',
    path: '/v1/match',
    body: shape.matchBody,
    answers,
    problems: FOUND,
    run: async ({ library, body, signal }) => json(await library.match(queryOf(body), { ...optionsOf(body), signal })),
  }),
  endpoint({
    ...search,
    method: 'get',
    path: '/v1/search',
    query: shape.searchQuery,
    answers,
    problems: FOUND,
    run: async ({ library, query, signal }) =>
      json(await library.search(queryOf(query), { ...optionsOf(query), signal })),
  }),
  endpoint({
    ...search,
    name: 'searchByBody',
    method: 'post',
    path: '/v1/search',
    body: shape.searchBody,
    answers,
    problems: FOUND,
    run: async ({ library, body, signal }) => json(await library.search(queryOf(body), { ...optionsOf(body), signal })),
  }),
  endpoint({
    ...explain,
    method: 'get',
    path: '/v1/explain',
    query: shape.explainQuery,
    answers: explained,
    problems: NAMED,
    run: async ({ library, query, signal }) =>
      json(await library.explain(queryOf(query), query.skill, { ...languageOf(query), signal })),
  }),
  endpoint({
    ...explain,
    name: 'explainByBody',
    method: 'post',
    path: '/v1/explain',
    body: shape.explainBody,
    answers: explained,
    problems: NAMED,
    run: async ({ library, body, signal }) =>
      json(await library.explain(queryOf(body), body.skill, { ...languageOf(body), signal })),
  }),
]

function queryOf({ message, history }: Pick<Asked, 'message' | 'history'>): MatchQuery {
  return history ? { message, history } : { message }
}

function languageOf({ language }: Pick<Asked, 'language'>): { language?: Language } {
  return language ? { language } : {}
}

function optionsOf({ tag, origin, tags = tag, origins = origin, limit, threshold, margin, language }: Asked): Options {
  return {
    ...(tags ? { tags } : {}),
    ...(origins ? { origins } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(margin === undefined ? {} : { margin }),
    ...languageOf({ language }),
  }
}
