import { SkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'

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

/**
 * Parses `owner/name`, `owner/name/folder@ref`, or a URL of github.com or raw.githubusercontent.com. A SKILL.md stands for its folder. In a
 * URL the ref is one part of the path, because `/` in a branch cannot be told from a folder.
 * @throws SkillshelfError `invalid-input`
 */
export function parseGithubAddress(address: string): GithubAddress {
  const text = String(address).trim()
  const found = /^(?:https?:\/\/)?(?:www\.)?(github\.com|raw\.githubusercontent\.com)\//i.exec(text)
  const parsed = found ? parseUrl(text.slice(found[0].length), found[1]?.startsWith('raw') ?? false) : parseShort(text)
  const { owner, repository, folder, ref } = parsed
  const path = folder.replace(SKILL_FILE, '').replace(/\/+$/, '')
  const safe = path === '' ? '' : trySafePath(path)
  if (!OWNER.test(owner) || !REPOSITORY.test(repository) || safe === undefined || (ref !== undefined && !REF.test(ref)))
    throw new SkillshelfError('invalid-input', `Not a GitHub repository: ${text.slice(0, 200)}`, {
      subject: text.slice(0, 200),
      hint: 'give owner/name, owner/name/folder@branch, or the URL of the repository or a folder',
    })
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
    .map(decode)
  const repository = name.replace(/\.git$/, '')
  if (!raw && !/^(?:tree|blob|raw)$/.test(rest.shift() ?? '')) return { owner, repository, folder: '', ref: undefined }
  if (rest[0] === 'refs' && /^(?:heads|tags)$/.test(rest[1] ?? '')) rest.splice(0, 2)
  const [ref, ...folder] = rest
  return { owner, repository, folder: folder.join('/'), ref: ref === 'HEAD' ? undefined : ref || undefined }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
