import type * as z from 'zod/mini'
import type { MatchResult, SearchResult } from '../../library/api/match-result.js'
import type { MatchOptions, SkillLibrary } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import { type Endpoint, endpoint, okJson, type RequestContext } from './endpoint.js'
import { json } from './responses.js'
import * as schemas from './schemas.js'
import { isPartlyListed } from './served-library.js'

type InUrl = z.output<typeof schemas.matchQuery>
type InBody = z.output<typeof schemas.matchBody>
/** Inputs of a match. A query string has `file`, `tag`, `origin` and `id`, a body has `files`, `tags`, `origins` and `ids`. */
type MatchInput = Pick<InBody, 'message'> & Partial<InUrl & InBody>

const match = {
  name: 'match',
  summary: 'Skills that fit a message with a score above the threshold',
  path: '/v1/match',
  responses: okJson('Matches, best first', schemas.result),
  problems: ['invalid-input', 'source-failed'],
} as const
const search = {
  ...match,
  name: 'search',
  summary: 'Nearest skills, without a threshold',
  path: '/v1/search',
  responses: okJson('Matches, best first', schemas.searchResult),
} as const
const explain = {
  name: 'explain',
  summary: 'Why a skill did or did not match a message',
  path: '/v1/explain',
  responses: okJson('The explanation', schemas.explanation),
  problems: [...match.problems, 'skill-not-found', 'ambiguous-name'],
} as const

/** The same operation, with the inputs in a body. */
type ByBody<One> = Omit<One, 'name'> & { name: string; method: 'post' }
const byBody = <One extends { name: string }>({ name, ...one }: One): ByBody<One> => ({
  ...one,
  name: `${name}ByBody`,
  method: 'post',
})

/** Every option that a request has. A server waits for its model. */
type PassedOptions = {
  [Name in Exclude<keyof MatchOptions, 'wait'>]-?: MatchOptions[Name]
}

type Call = Pick<RequestContext, 'library' | 'signal'>
const runMatch = async ({ library, signal }: Call, input: MatchInput) =>
  found(library, await library.match(toMatchQuery(input), toOptions(input, signal)))
const runSearch = async ({ library, signal }: Call, input: MatchInput) =>
  found(library, await library.search(toMatchQuery(input), toOptions(input, signal)))
const runExplain = async (
  { library, signal }: Call,
  { skill, language, ...input }: MatchInput & { skill: string },
) => json(await library.explain(toMatchQuery(input), skill, { language, signal }))

/** Matching, by GET and by POST. GET can be linked and cached. POST keeps the message out of access logs. */
export const matchRoutes: readonly Endpoint[] = [
  endpoint({
    ...match,
    method: 'get',
    query: schemas.matchQuery,
    run: call => runMatch(call, call.query),
  }),
  endpoint({ ...byBody(match), body: schemas.matchBody, run: call => runMatch(call, call.body) }),
  endpoint({
    ...search,
    method: 'get',
    query: schemas.searchQuery,
    run: call => runSearch(call, call.query),
  }),
  endpoint({
    ...byBody(search),
    body: schemas.searchBody,
    run: call => runSearch(call, call.body),
  }),
  endpoint({
    ...explain,
    method: 'get',
    query: schemas.explainQuery,
    run: call => runExplain(call, call.query),
  }),
  endpoint({
    ...byBody(explain),
    body: schemas.explainBody,
    run: call => runExplain(call, call.body),
  }),
]

/** Answers with the matches, and with their skills if the library does not list them. */
function found(library: SkillLibrary, result: MatchResult | SearchResult): Response {
  if (!isPartlyListed(library)) return json(result)
  const maybe = 'maybe' in result ? result.maybe : []
  const ids = new Set([...result.matches, ...maybe].map(({ id }) => id))
  return json({ ...result, skills: library.snapshot.skills.filter(({ id }) => ids.has(id)) })
}

function toMatchQuery({
  message,
  history,
  pasted,
  file,
  files = file,
  url,
}: MatchInput): MatchQuery {
  return {
    message,
    ...(history && { history }),
    ...(pasted && { pasted }),
    ...(files && { files }),
    ...(url !== undefined && { url }),
  }
}

function toOptions(
  { tag, origin, id, tags = tag, origins = origin, ids = id, ...options }: MatchInput,
  signal: AbortSignal,
): PassedOptions {
  const { limit, threshold, candidates, language } = options
  return { tags, origins, ids, limit, threshold, candidates, language, signal }
}
