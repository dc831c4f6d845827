import { abortable } from '../core/abort.js'
import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { encodePath, safePath, tryDecode, trySafePath } from '../core/paths.js'
import { isCount, isRecord, parseJson } from '../core/plain-data.js'
import { checkOptionNames, type OptionNames } from '../core/text/option-names.js'
import { CATALOG_FILE } from './catalog-file.js'
import { http } from './http/http.js'
import type { HttpOptions } from './http/options.js'
import type {
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
  ReadOptions,
} from './source.js'

const API = 'https://api.github.com'
const RAW = 'https://raw.githubusercontent.com'
const LINK = '120000'
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

interface Commit {
  id: string
  entries: ReadonlyMap<string, FileEntry>
  /** Reads a file of this commit. */
  read(path: string, options: ReadOptions): ReturnType<ListableSource['read']>
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

/**
 * Reads skills from a repository on GitHub, in pages too.
 *
 * Opening a library takes two requests to the API: for the latest commit and for its files. A refresh takes one, and a second one if the
 * commit has changed. Files come from `raw.githubusercontent.com` on demand and do not count toward the limit of the API.
 * All files are of one commit. With `token` they come from the API.
 *
 * `list` and `read` throw `source-not-found` if the repository, the ref or the folder does not exist, `source-failed` if GitHub cannot be
 * reached or refuses the request, and `too-large` for a repository that the API does not list in one answer. Links are listed as unreadable.
 * @param repository `owner/name`, `owner/name/folder@ref`, or the URL of a repository, a folder or a SKILL.md.
 * @throws SkillshelfError `invalid-input` if `repository` is none of these
 * @example
 * ```ts
 * const library = await openLibrary(github('anthropics/skills/skills@main'))
 * ```
 */
export function github(repository: string, options: GithubOptions = {}): ListableSource {
  checkOptionNames(options, OPTIONS)
  const address = parseGithubAddress(repository)
  const { owner, folder, ref } = address
  const { token, name: sourceName, ...request } = options
  const label = `${owner}/${address.repository}`
  const base = `${API}/repos/${label}/`
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const api = http(base, { ...request, headers })
  const contents = http(base, {
    ...request,
    headers: { ...headers, accept: 'application/vnd.github.raw+json' },
  })
  let current: Promise<Commit> | undefined
  /** Whether a read has loaded `current`, so that the next listing need not. */
  let loadedByRead = false

  const getJson = async (path: string, missing: string): Promise<unknown> => {
    const found = await refusalExplained(api, path, token !== undefined)
    if (found === undefined) throw notFound(missing)
    const json = parseJson(found.bytes)
    if (json === undefined) throw unexpected(path)
    return json
  }
  const unexpected = (path: string): SkillshelfError =>
    new SkillshelfError('source-failed', `${base}${path} did not answer with JSON of GitHub`, {
      subject: label,
    })

  const load = async (before: Commit | undefined): Promise<Commit> => {
    const query = new URLSearchParams({ per_page: '1', ...(ref === undefined ? {} : { sha: ref }) })
    const named = ref === undefined ? label : `${label}@${ref}`
    const commits = await getJson(`commits?${query}`, named)
    if (!Array.isArray(commits)) throw unexpected('commits')
    if (commits.length === 0) throw notFound(named)
    const id: unknown = commits[0]?.sha
    // It becomes part of addresses.
    if (typeof id !== 'string' || !COMMIT.test(id)) throw unexpected('commits')
    if (id === before?.id) return before
    const tree = await getJson(`git/trees/${id}?recursive=1`, named)
    if (!isRecord(tree) || !Array.isArray(tree['tree'])) throw unexpected(`git/trees/${id}`)
    const entries = entriesOf(tree['tree'], folder)
    const skills = [...entries.keys()].filter(path => SKILL_FILE.test(path)).length
    if (tree['truncated'] || skills > MAX_SKILLS) {
      throw new SkillshelfError(
        'too-large',
        tree['truncated']
          ? `${label} has more files than GitHub lists in one answer`
          : `${label} has ${skills} skills, and each is a request`,
        {
          subject: label,
          hint: 'download its archive and open it with archive() from skillshelf/sources',
        },
      )
    }
    if (folder !== '' && entries.size === 0) throw notFound(`${named}, folder ${folder}`)
    const prefix = folder === '' ? '' : `${encodePath(folder)}/`
    const raw = http(`${RAW}/${label}/${id}/${prefix}`, request)
    return {
      id,
      entries,
      read: async (path, reading) =>
        token === undefined
          ? raw.read(path, reading)
          : contents.fetch(`contents/${prefix}${encodePath(path)}?ref=${id}`, reading),
    }
  }

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
    name: sourceName ?? (folder.split('/').at(-1) || address.repository),
    timeout: Number.POSITIVE_INFINITY,
    root: path =>
      `https://github.com/${label}/tree/${[ref ?? 'HEAD', folder, path].filter(Boolean).map(encodePath).join('/')}`,
    async list({ signal } = {}) {
      throwIfAborted(signal)
      const { entries } = await abortable((loadedByRead && current) || update(), signal)
      loadedByRead = false
      return [...entries.values()]
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
      const found = await commit.read(safe, { signal })
      return typeof found === 'object' ? { bytes: found.bytes, version } : undefined
    },
  }
}

/** The files below a folder, by path. Paths that are not safe are left out. */
function entriesOf(tree: readonly unknown[], folder: string): ReadonlyMap<string, FileEntry> {
  const prefix = folder === '' ? '' : `${folder}/`
  const entries = new Map<string, FileEntry>()
  for (const one of tree) {
    const { path, type, mode, size, sha } = isRecord(one) ? one : {}
    if (type !== 'blob' || typeof path !== 'string' || typeof sha !== 'string') continue
    const relative = path.startsWith(prefix) ? trySafePath(path.slice(prefix.length)) : undefined
    if (relative === undefined) continue
    entries.set(relative, {
      path: relative,
      version: sha,
      ...(isCount(size) ? { size } : {}),
      ...(mode === LINK ? { unreadable: 'it is a link' } : {}),
    })
  }
  return entries
}

/** GitHub answers 403 or 429 beyond its limit. */
async function refusalExplained(
  api: FetchableSource,
  path: string,
  hasToken: boolean,
): Promise<FetchResult | undefined> {
  try {
    const found = await api.fetch(path)
    return typeof found === 'object' ? found : undefined
  } catch (error) {
    const status = isSkillshelfError(error, 'source-failed') ? error.details.status : undefined
    if (status !== 403 && status !== 429) throw error
    const hint = hasToken
      ? 'check that the token may read the repository, or wait until its limit is reset'
      : 'without a token GitHub allows 60 requests an hour for each network: wait, or give `token`'
    const message = `GitHub refused ${path} with ${status}`
    throw new SkillshelfError('source-failed', message, { subject: path, status, hint }, error)
  }
}

function notFound(what: string): SkillshelfError {
  return new SkillshelfError('source-not-found', `GitHub has no ${what}`, {
    subject: what,
    hint: 'check the spelling; a private repository needs `token`',
  })
}

/** A folder of a repository. */
export interface GithubAddress {
  owner: string
  repository: string
  /** Path of the folder; `''` is the root. */
  folder: string
  /** Branch, tag or commit. `undefined`: the default branch. */
  ref: string | undefined
}

const OWNER = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i
const REPOSITORY = /^(?!\.{1,2}$)[\w.-]+$/
/** Git refuses these in names of branches and tags. */
const REF = /^(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\/][^\s~^:?*[\\]*$/
const SKILL_FILE = /(?:^|\/)skill\.md$/i

/** Parses `owner/name`, `owner/name/folder@ref`, or a URL whose ref is one part of the path. @throws SkillshelfError `invalid-input` */
export function parseGithubAddress(address: string): GithubAddress {
  const text = String(address).trim()
  const found = /^(?:https?:\/\/)?(?:www\.)?(github\.com|raw\.githubusercontent\.com)\//i.exec(text)
  const parsed = found
    ? parseUrl(text.slice(found[0].length), found[1]?.startsWith('raw') ?? false)
    : parseShort(text)
  const { owner, repository, folder, ref } = parsed
  const path = folder.replace(SKILL_FILE, '').replace(/\/+$/, '')
  const safe = path === '' ? '' : trySafePath(path)
  if (
    !OWNER.test(owner) ||
    !REPOSITORY.test(repository) ||
    safe === undefined ||
    (ref !== undefined && !REF.test(ref))
  ) {
    throw new SkillshelfError('invalid-input', `Not a GitHub repository: ${text.slice(0, 200)}`, {
      subject: text.slice(0, 200),
      hint: 'give owner/name, owner/name/folder@branch, or the URL of the repository or a folder',
    })
  }
  return { owner, repository, folder: safe, ref }
}

function parseShort(text: string): GithubAddress {
  // Folders may begin with `@`, such as those of packages.
  const [, path = '', ref] = /^(.*?[^/])(?:@(.+))?$/.exec(text) ?? []
  const [owner = '', repository = '', ...folder] = path.split('/')
  return { owner, repository, folder: folder.join('/'), ref }
}

function parseUrl(text: string, raw: boolean): GithubAddress {
  const [owner = '', name = '', ...rest] = text
    .replace(/[?#].*$/, '')
    .split('/')
    .map(part => tryDecode(part) ?? part)
  const repository = name.replace(/\.git$/, '')
  if (!raw && !/^(?:tree|blob|raw)$/.test(rest.shift() ?? '')) {
    return { owner, repository, folder: '', ref: undefined }
  }
  if (rest[0] === 'refs' && /^(?:heads|tags)$/.test(rest[1] ?? '')) rest.splice(0, 2)
  const [ref, ...folder] = rest
  return {
    owner,
    repository,
    folder: folder.join('/'),
    ref: ref === 'HEAD' ? undefined : ref || undefined,
  }
}
