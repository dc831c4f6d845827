import type { MatchResult, SearchResult } from '../../library/api/match-result.js'
import type { MatchOptions, SearchOptions } from '../../library/api/skill-library.js'
import type { MatchQuery } from '../../search/match/skill-match.js'
import type { Skill, SkillFile } from '../../skill/skill.js'
import { type LoadFrom, loadMatches } from './matching.js'

/** What the hooks of a framework ask of a library. */
export interface Request<Data> {
  /** Stands for the arguments: another key is loaded anew. `undefined`: there is nothing to load. */
  key: string | undefined
  /** Whether the data of the key before may stay until that of this one is there. */
  keepsData: boolean
  load: LoadFrom<Data>
}

/** A skill to open. */
export interface SkillRequest {
  /** Id or unique name of the skill. */
  id: string | undefined
}

/** A file to read. */
export interface FileRequest extends SkillRequest {
  /** Path of the file, relative to the folder of the skill. */
  path: string | undefined
}

export function searchRequest(
  search: MatchQuery & Omit<SearchOptions, 'signal'>,
): Request<SearchResult> {
  const [query, options] = withoutQuery(search)
  return {
    key: messageKey(search),
    keepsData: true,
    load: loadMatches((library, asked) =>
      library.search(query, { ...asked, ...options, signal: asked.signal }),
    ),
  }
}

export function matchRequest(
  match: MatchQuery & Omit<MatchOptions, 'signal'>,
): Request<MatchResult> {
  const [query, options] = withoutQuery(match)
  return {
    key: messageKey(match),
    keepsData: true,
    load: loadMatches((library, asked) =>
      library.match(query, { ...asked, ...options, signal: asked.signal }),
    ),
  }
}

export function skillRequest({ id, ...others }: SkillRequest): Request<Skill> {
  return {
    key: id,
    keepsData: false,
    load:
      library =>
      async ({ signal, show }) =>
        show(await library.get(id as string, { ...others, signal })),
  }
}

export function fileRequest({ id, path, ...others }: FileRequest): Request<SkillFile> {
  return {
    key: id === undefined || path === undefined ? undefined : JSON.stringify([id, path]),
    keepsData: false,
    load:
      library =>
      async ({ signal, show }) =>
        show(await library.read(id as string, path as string, { ...others, signal })),
  }
}

function withoutQuery<Options>({
  message,
  history,
  pasted,
  files,
  url,
  ...options
}: MatchQuery & Options): [MatchQuery, Omit<Options, keyof MatchQuery>] {
  return [{ message, ...(history && { history }), pasted, files, url }, options]
}

function messageKey(search: MatchQuery): string | undefined {
  return search.message.trim() === '' ? undefined : JSON.stringify(search)
}
