import { SkillshelfError } from '../../core/errors.js'
import { tryDecode, trySafePath } from '../../core/paths.js'

/** A folder of a repository. */
export interface GithubAddress {
  owner: string
  repository: string
  /** Path of the folder; `''` is the root. */
  folder: string
  /** Branch, tag or commit. `undefined`: the default branch. */
  ref: string | undefined
  /** The ref and the folder of a URL, which does not say where the one ends: a branch may be called `feature/x`. */
  refAndFolder?: readonly string[]
}

/** Parts of a ref that are tried. */
const MAX_REF_PARTS = 5

/** The addresses that an address may mean, the likeliest first. */
export function readingsOf(address: GithubAddress): GithubAddress[] {
  const { refAndFolder = [] } = address
  const longer = Array.from(
    { length: Math.min(refAndFolder.length, MAX_REF_PARTS) - 1 },
    (_, index): GithubAddress => ({
      ...address,
      ref: refAndFolder.slice(0, index + 2).join('/'),
      folder: refAndFolder.slice(index + 2).join('/'),
    }),
  )
  return [address, ...longer]
}

const OWNER = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i
const REPOSITORY = /^(?!\.{1,2}$)[\w.-]+$/
/** Git refuses these in names of branches and tags. */
const REF = /^(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\/][^\s~^:?*[\\]*$/
export const SKILL_FILE = /(?:^|\/)skill\.md$/i

/** Parses `owner/name`, `owner/name/folder@ref`, or a URL whose ref is one part of the path. @throws SkillshelfError `invalid-input` */
export function parseGithubAddress(address: string): GithubAddress {
  const text = String(address).trim()
  const found = /^(?:https?:\/\/)?(?:www\.)?(github\.com|raw\.githubusercontent\.com)\//i.exec(text)
  const parsed = found
    ? parseUrl(text.slice(found[0].length), found[1]?.startsWith('raw') ?? false)
    : parseShort(text)
  const { owner, repository, folder, ref, refAndFolder } = parsed
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
  const parts = refAndFolder && [...refAndFolder.slice(0, 1), ...safe.split('/').filter(Boolean)]
  return { owner, repository, folder: safe, ref, ...(parts ? { refAndFolder: parts } : {}) }
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
    ...(ref && ref !== 'HEAD' ? { refAndFolder: rest } : {}),
  }
}
