import { lstat, realpath } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { isInside } from './watch.js'

/** A link that leads out of the folder of a source. */
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
 * S2: A path resolves inside of its folder, or inside of what one link leads to that the policy allows. A second link there must stay there.
 * @returns A function that resolves a path of the folder, and throws `invalid-path` for a link that leaves it
 */
export function createLinkCheck(root: string, policy: LinkPolicy = []): ResolveLinks {
  const isAllowed = typeof policy === 'function' ? policy : allowFolders(policy)
  return async path => {
    const file = join(root, path)
    const [realRoot, real] = await Promise.all([realpath(root), realpath(file)])
    if (isInside(real, realRoot)) return real
    const link = await firstLinkOut(root, realRoot, path)
    if (link && isInside(real, link.target) && isAllowed(link)) return real
    throw new SkillshelfError(
      'invalid-path',
      `Invalid path ${JSON.stringify(file)}: it is a link that leaves ${root}; open a folder that has both, or allow it with \`links\``,
      { subject: file },
    )
  }
}

/** @throws SkillshelfError `invalid-input` */
function allowFolders(folders: unknown): (link: OutsideLink) => boolean {
  if (!Array.isArray(folders) || !folders.every(one => typeof one === 'string')) {
    throw invalidInput('`links` must be a list of folders, or a function')
  }
  const allowed = folders.map(folder => resolve(folder))
  return ({ target }) => allowed.some(folder => isInside(target, folder))
}

/** The first part of a path that leads out of the root. */
async function firstLinkOut(
  root: string,
  realRoot: string,
  path: string,
): Promise<OutsideLink | undefined> {
  const parts = relative('.', path).split(sep)
  for (let length = 1; length <= parts.length; length++) {
    const part = parts.slice(0, length).join(sep)
    const at = join(root, part)
    if (!(await lstat(at)).isSymbolicLink()) continue
    const target = await realpath(at)
    if (!isInside(target, realRoot) && isAbsolute(target)) {
      return { path: part.split(sep).join('/'), target }
    }
  }
  return undefined
}
