import { abortable } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { encodePath, safePath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { CATALOG_FILE } from '../catalog-file.js'
import { http } from '../http/http.js'
import type { HttpOptions } from '../http/options.js'
import type { ListableSource, ReadOptions } from '../source.js'
import { type GithubAddress, parseGithubAddress, readingsOf, SKILL_FILE } from './address.js'
import { notFound, recordRefusals, requestApi } from './refusals.js'
import { type CommitEntries, entriesOf } from './tree.js'

const API = 'https://api.github.com'
const RAW = 'https://raw.githubusercontent.com'
/** The name of a commit: SHA-1 or SHA-256. */
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const MAX_SKILLS = 10_000

/** Options of `github`. */
export interface GithubOptions
  extends Pick<
    HttpOptions,
    'fetch' | 'timeout' | 'maxRetries' | 'backoff' | 'maxBytes' | 'onProgress'
  > {
  /** Name of the source: the first part of its skills' ids. @default The name of the folder or of the repository. */
  name?: string | undefined
  /** An access token, for private repositories and 5,000 requests an hour instead of 60. Never put one into a page. */
  token?: string | undefined
}

const OPTIONS = {
  fetch: 1,
  timeout: 1,
  maxRetries: 1,
  backoff: 1,
  maxBytes: 1,
  onProgress: 1,
  name: 1,
  token: 1,
} satisfies OptionNames<GithubOptions>

interface Commit {
  id: string
  /** The ref and the folder that the address means. */
  address: GithubAddress
  entries: CommitEntries
  /** Reads a file of this commit, by its path in the repository. */
  read(path: string, options: ReadOptions): ReturnType<ListableSource['read']>
}

/**
 * Reads skills from a repository on GitHub, in pages too.
 *
 * Opening a library takes two requests to the API: for the latest commit and for its files. A refresh takes one, and a second one if the
 * commit has changed. Files come from `raw.githubusercontent.com` on demand and do not count toward the limit of the API.
 * All files are of one commit. With `token` they come from the API.
 *
 * `list` and `read` throw `source-not-found` if the repository, the ref or the folder does not exist, `source-failed` if GitHub cannot be
 * reached or refuses the request, and `too-large` for a repository that the API does not list in one answer. Links are followed
 * within the repository; each is a request. Submodules, and links that lead out of it, are listed as unreadable.
 * @param repository `owner/name`, `owner/name/folder@ref`, or the URL of a repository, a folder or a SKILL.md.
 * @throws SkillshelfError `invalid-input` if `repository` is none of these
 * @example
 * ```ts
 * const library = await openLibrary(github('anthropics/skills/skills@main'))
 * ```
 */
export function github(repository: string, options: GithubOptions = {}): ListableSource {
  checkOptionNames(options, OPTIONS)
  const given = parseGithubAddress(repository)
  const { token, name: sourceName, fetch, ...others } = options
  const label = `${given.owner}/${given.repository}`
  const base = `${API}/repos/${label}/`
  const refusals = recordRefusals(fetch)
  const request = { ...others, fetch: refusals.fetch }
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const api = http(base, { ...request, headers })
  const contents = http(base, {
    ...request,
    headers: { ...headers, accept: 'application/vnd.github.raw+json' },
  })
  let current: Promise<Commit> | undefined
  /** Whether a read has loaded `current`, so that the next listing need not. */
  let loadedByRead = false

  /** @returns `undefined` for what GitHub does not have */
  const getJson = async (path: string): Promise<unknown> => {
    const found = await requestApi(api, path, { hasToken: token !== undefined, refusals, label })
    if (found === undefined) return undefined
    const json = parseJson(found.bytes)
    if (json === undefined) throw unexpected(path)
    return json
  }
  const unexpected = (path: string): SkillshelfError =>
    new SkillshelfError('source-failed', `${base}${path} did not answer with JSON of GitHub`, {
      subject: label,
    })
  const nameOf = ({ ref }: GithubAddress): string => (ref === undefined ? label : `${label}@${ref}`)

  /** The latest commit, and what the address means: the ref of a URL may have slashes. */
  const findCommit = async (
    readings: readonly GithubAddress[],
  ): Promise<{ id: string; address: GithubAddress }> => {
    for (const address of readings) {
      const { ref } = address
      const query = new URLSearchParams({
        per_page: '1',
        ...(ref === undefined ? {} : { sha: ref }),
      })
      const commits = await getJson(`commits?${query}`)
      if (commits === undefined) continue
      if (!Array.isArray(commits)) throw unexpected('commits')
      if (commits.length === 0) continue
      const id: unknown = commits[0]?.sha
      // It becomes part of addresses.
      if (typeof id !== 'string' || !COMMIT.test(id)) throw unexpected('commits')
      return { id, address }
    }
    throw notFound(nameOf(given))
  }

  const load = async (before: Commit | undefined): Promise<Commit> => {
    const { id, address } = await findCommit(before ? [before.address] : readingsOf(given))
    if (id === before?.id) return before
    const tree = await getJson(`git/trees/${id}?recursive=1`)
    if (tree === undefined) throw notFound(nameOf(address))
    if (!isRecord(tree) || !Array.isArray(tree['tree'])) throw unexpected(`git/trees/${id}`)
    if (tree['truncated']) {
      throw tooLarge(`${label} has more files than GitHub lists in one answer`)
    }
    const raw = http(`${RAW}/${label}/${id}/`, request)
    const read: Commit['read'] = async (path, reading) =>
      token === undefined
        ? raw.read(path, reading)
        : contents.fetch(`contents/${encodePath(path)}?ref=${id}`, reading)
    const entries = await entriesOf(tree['tree'], address.folder, async path => {
      const found = await read(path, {})
      return typeof found === 'object' ? new TextDecoder().decode(found.bytes) : undefined
    })
    const skills = [...entries.keys()].filter(path => SKILL_FILE.test(path)).length
    if (skills > MAX_SKILLS) throw tooLarge(`${label} has ${skills} skills, and each is a request`)
    if (address.folder !== '' && entries.size === 0) {
      throw notFound(`${nameOf(address)}, folder ${address.folder}`)
    }
    return { id, address, entries, read }
  }
  const tooLarge = (message: string): SkillshelfError =>
    new SkillshelfError('too-large', message, {
      subject: label,
      hint: 'download its archive and open it with archive() from skillshelf/sources',
    })

  /** Callers share one request. Aborting one does not abort it for the others. */
  const update = (): Promise<Commit> => {
    const before = current
    const next = (before?.catch(() => undefined) ?? Promise.resolve(undefined)).then(load)
    current = next
    next.catch(() => {
      if (current === next) current = before
      loadedByRead = false
    })
    return next
  }

  return {
    name: sourceName ?? (given.folder.split('/').at(-1) || given.repository),
    timeout: Number.POSITIVE_INFINITY,
    root: path =>
      `https://github.com/${label}/tree/${[given.ref ?? 'HEAD', given.folder, path].filter(Boolean).map(encodePath).join('/')}`,
    async list({ signal } = {}) {
      throwIfAborted(signal)
      const { entries } = await abortable((loadedByRead && current) || update(), signal)
      loadedByRead = false
      return [...entries.values()].map(({ file: _, ...entry }) => entry)
    },
    async read(path, { ifVersion, signal } = {}) {
      const safe = safePath(path)
      throwIfAborted(signal)
      // A library reads its catalog whenever it is refreshed, and lists the files only if there is none.
      const isRefresh = safe === CATALOG_FILE && !loadedByRead
      if (isRefresh || !current) loadedByRead = true
      const commit = await abortable((!isRefresh && current) || update(), signal)
      const entry = commit.entries.get(safe)
      if (!entry || entry.unreadable !== undefined) return undefined
      const { version = '' } = entry
      if (version === ifVersion) return 'unchanged'
      const found = await commit.read(entry.file, { signal })
      return typeof found === 'object' ? { bytes: found.bytes, version } : undefined
    },
  }
}
