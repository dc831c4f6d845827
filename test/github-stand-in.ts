import { sha1 } from '@noble/hashes/legacy.js'
import { bytesToHex, concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import type { HttpRequest } from '../src/exports/sources.js'
import type { Files } from './packed-files.js'

interface TreeEntry {
  path: string
  type: string
  mode: string
  sha: string
  size?: number
}

/** A stand-in for api.github.com and raw.githubusercontent.com: the tests do not reach GitHub. It answers as the API documents. */
export interface GithubStandIn {
  fetch(url: string, init: HttpRequest): Promise<Response>
  /** The URLs that were requested. */
  readonly asked: string[]
  /** Those with an `authorization` header. */
  readonly authorized: string[]
  /** Replaces the files of a repository by a new commit. */
  push(repository: string, files: Files): void
  /** Answer every request to the API as beyond the limit. */
  limited: boolean
  /** Answer listings as too long. */
  truncated: boolean
}

/**
 * @param repositories The files of each repository, by `owner/name`. The only branch is `main`.
 * @param extra Entries to add to each listing.
 */
export function createGithubStandIn(
  repositories: Readonly<Record<string, Files>>,
  extra: readonly TreeEntry[] = [],
): GithubStandIn {
  const commits = new Map<string, { repository: string; files: Files }>()
  const latest = new Map<string, string>()
  const push = (repository: string, files: Files): void => {
    const id = bytesToHex(sha1(utf8ToBytes(JSON.stringify(treeOf(files)))))
    commits.set(id, { repository, files })
    latest.set(repository, id)
  }
  for (const [repository, files] of Object.entries(repositories)) push(repository, files)

  const answer = (url: URL): Response => {
    const [first = '', ...rest] = url.pathname.split('/').slice(1).map(decodeURIComponent)
    if (url.host === 'raw.githubusercontent.com')
      return fileOf(`${first}/${rest[0]}`, rest[1], rest.slice(2).join('/'))
    if (host.limited) return json({ message: 'API rate limit exceeded' }, 403)
    const [owner, name, kind = '', ...path] = rest
    const repository = `${owner}/${name}`
    const id = latest.get(repository)
    if (id === undefined) return json({ message: 'Not Found' }, 404)
    if (kind === 'commits') {
      const ref = url.searchParams.get('sha') ?? 'main'
      return ref === 'main' ? json([{ sha: id }]) : json({ message: 'Not Found' }, 404)
    }
    if (kind === 'contents')
      return fileOf(repository, url.searchParams.get('ref') ?? id, path.join('/'))
    const files = commits.get(path[1] ?? '')?.files
    if (!files) return json({ message: 'Not Found' }, 404)
    return json({ sha: path[1], truncated: host.truncated, tree: [...treeOf(files), ...extra] })
  }
  const fileOf = (repository: string, id: string | undefined, path: string): Response => {
    const commit = commits.get(id ?? '')
    const content = commit?.repository === repository ? commit.files[path] : undefined
    if (content === undefined) return new Response('404: Not Found', { status: 404 })
    return new Response(content as BodyInit, {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    })
  }

  const host: GithubStandIn = {
    asked: [],
    authorized: [],
    limited: false,
    truncated: false,
    push,
    async fetch(url, init) {
      host.asked.push(url)
      if (init.headers['authorization'] !== undefined) host.authorized.push(url)
      return answer(new URL(url))
    },
  }
  return host
}

function treeOf(files: Files): TreeEntry[] {
  const above = (path: string) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))
  const folders = new Set(Object.keys(files).flatMap(above))
  return [
    ...Object.entries(files).map(([path, content]) => {
      const bytes = typeof content === 'string' ? utf8ToBytes(content) : content
      const sha = bytesToHex(sha1(concatBytes(utf8ToBytes(`blob ${bytes.length}\0`), bytes)))
      return { path, type: 'blob', mode: '100644', sha, size: bytes.length }
    }),
    ...[...folders].map(path => ({ path, type: 'tree', mode: '040000', sha: '0'.repeat(40) })),
  ]
}

function json(value: unknown, status = 200): Response {
  return Response.json(value, { status })
}
