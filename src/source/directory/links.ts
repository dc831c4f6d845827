import { lstat, realpath } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { isInside, realPath } from './watch.js'

/** A link that leads out of the folder of a source, or out of the folder that an earlier link on its path leads to. */
export interface OutsideLink {
  /** Its path in the folder. */
  path: string
  /** The absolute path that it leads to, without links. */
  target: string
}

/** Where links may lead: inside of these folders, or wherever a function says. */
export type LinkPolicy = readonly string[] | ((link: OutsideLink) => boolean)

/** Resolves a path in a folder, as far as links may lead. */
export type ResolveLinks = (path: string) => Promise<string>

/**
 * Makes the check of all links of a folder.
 *
 * S2: A path resolves inside of its folder, or inside of what links lead to that the policy allows: each link that leaves where the one
 * before leads is asked for. What Git keeps is never read through a link: its settings may hold credentials.
 * @returns A function that resolves a path of the folder, and throws `invalid-path` for a link that leaves it
 */
export function createLinkCheck(root: string, policy: LinkPolicy = []): ResolveLinks {
  const isAllowed = typeof policy === 'function' ? policy : allowFolders(policy)
  return async path => {
    const file = join(root, path)
    const [realRoot, real] = await Promise.all([realpath(root), realpath(file)])
    if (isInside(real, realRoot)) {
      if (real !== join(realRoot, path) && hasGit(real.slice(realRoot.length))) {
        throw refused(file, `${file} is a link to what Git keeps`)
      }
      return real
    }
    const parts = path.split('/')
    let area = realRoot
    for (let length = 1; length <= parts.length; length++) {
      const part = parts.slice(0, length).join('/')
      const at = join(root, part)
      if (!(await lstat(at)).isSymbolicLink()) continue
      const target = await realpath(at)
      if (isInside(target, area)) continue
      const isBack = isInside(target, realRoot)
      if (!isBack && (hasGit(target) || !isAllowed({ path: part, target }))) {
        throw refused(file, `${at} is a link that leaves ${root}`)
      }
      area = isBack ? realRoot : target
    }
    return real
  }
}

function refused(file: string, problem: string): SkillshelfError {
  const message = `${problem}; open a folder that has both, or allow it with \`links\``
  return new SkillshelfError('invalid-path', message, { subject: file })
}

function hasGit(path: string): boolean {
  return path.split(sep).includes('.git')
}

/** @throws SkillshelfError `invalid-input` */
function allowFolders(folders: unknown): (link: OutsideLink) => boolean {
  if (!Array.isArray(folders) || !folders.every(one => typeof one === 'string')) {
    throw invalidInput('`links` must be a list of folders, or a function')
  }
  const allowed = folders.map(folder => resolve(folder))
  // A target has no links on its path, so the folder must not either.
  return ({ target }) => allowed.some(folder => isInside(target, realPath(folder) ?? folder))
}

/** What is wrong with a link that leads to nothing. `undefined`: it leads to something. */
export function brokenLink(error: unknown): string | undefined {
  if (isMissing(error)) return 'it is a link to something that does not exist'
  return codeOf(error) === 'ELOOP' ? 'it is a link that leads to itself' : undefined
}

/** Whether an error of the file system says that nothing is there. */
export function isMissing(error: unknown): boolean {
  const code = codeOf(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
