import type { MatchOptions } from '../../library/types.js'
import type { Language, MatchQuery } from '../../search/match/types.js'
import { type Endpoint, endpoint } from './endpoint.js'
import { json } from './responses.js'
import * as schemas from './schemas.js'

/** Inputs of a match. A query string has `tag` and `origin`, a body has `tags` and `origins`. */
interface MatchInput {
  message: string
  history?: string[] | undefined
  tag?: string[] | undefined
  origin?: string[] | undefined
  tags?: string[] | undefined
  origins?: string[] | undefined
  limit?: number | undefined
  threshold?: number | undefined
  margin?: number | undefined
  candidates?: number | undefined
  language?: Language | undefined
}

const match = {
  name: 'match',
  summary: 'Skills that fit a message with a score above the threshold',
  path: '/v1/match',
  responses: { 200: { description: 'Matches, best first', content: { 'application/json': schemas.result } } },
  problems: ['invalid-input', 'source-failed'],
} as const
const search = { ...match, name: 'search', summary: 'Nearest skills, without a threshold', path: '/v1/search' } as const
const explain = {
  name: 'explain',
  summary: 'Why a skill did or did not match a message',
  path: '/v1/explain',
  responses: { 200: { description: 'The explanation', content: { 'application/json': schemas.explanation } } },
  problems: [...match.problems, 'skill-not-found', 'ambiguous-name'],
} as const

/** Matching, by GET and by POST. GET can be linked and cached. POST keeps the message out of access logs. */
export const matchRoutes: readonly Endpoint[] = [
  endpoint({
    ...match,
    method: 'get',
    query: schemas.matchQuery,
    run: async ({ library, query, signal }) => json(await library.match(toMatchQuery(query), options(query, signal))),
  }),
  endpoint({
    ...match,
    name: 'matchByBody',
    method: 'post',
    body: schemas.matchBody,
    run: async ({ library, body, signal }) => json(await library.match(toMatchQuery(body), options(body, signal))),
  }),
  endpoint({
    ...search,
    method: 'get',
    query: schemas.searchQuery,
    run: async ({ library, query, signal }) => json(await library.search(toMatchQuery(query), options(query, signal))),
  }),
  endpoint({
    ...search,
    name: 'searchByBody',
    method: 'post',
    body: schemas.searchBody,
    run: async ({ library, body, signal }) => json(await library.search(toMatchQuery(body), options(body, signal))),
  }),
  endpoint({
    ...explain,
    method: 'get',
    query: schemas.explainQuery,
    run: async ({ library, query, signal }) =>
      json(await library.explain(toMatchQuery(query), query.skill, { language: query.language, signal })),
  }),
  endpoint({
    ...explain,
    name: 'explainByBody',
    method: 'post',
    body: schemas.explainBody,
    run: async ({ library, body, signal }) =>
      json(await library.explain(toMatchQuery(body), body.skill, { language: body.language, signal })),
  }),
]

function toMatchQuery({ message, history }: Pick<MatchInput, 'message' | 'history'>): MatchQuery {
  return history ? { message, history } : { message }
}

function options(
  { tag, origin, tags = tag, origins = origin, limit, threshold, margin, candidates, language }: MatchInput,
  signal: AbortSignal,
): MatchOptions {
  return { tags, origins, limit, threshold, margin, candidates, language, signal }
}
