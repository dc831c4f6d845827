/**
 * The rule of links: where a link in a folder of skills may lead.
 *
 * A link in a cloned project can name any file of the person who works in it, such as one with credentials, and what is read becomes part
 * of a prompt. But links are also how `npx skills`, stow, Nix and Home Manager install skills. So it matters who made the link:
 *
 * 1. The user decides about the folders of skills in the home folder. These may be links, and each of their entries may be a link to a
 *    folder, wherever that is.
 * 2. Everywhere else in them, and in projects and plugins, a link to a folder must lead into the repository or plugin that it is part of,
 *    or into a folder of skills that a host knows here. A folder of skills that is a link itself must do so too.
 * 3. A SKILL.md or messages.txt that is a link must lead there as well, to a file of the same name, in any case of letters. In folders of the
 *    user it may also lead to another file of the skill, or to a file of its name anywhere, or to one in the Nix store whose name ends in
 *    that: `hm_SKILL.md`.
 *
 * S2: Whatever the rule does not allow is not read.
 */
import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { isInside } from '../../source/directory/watch.js'
import { attempt } from './attempt.js'
import type { SkillRoot } from './hosts/host.js'
import type { SkillPlaces } from './places.js'
import { Refusal } from './refusal.js'

const NIX_STORE = '/nix/store'

export interface LinkTarget {
  /** A path without links. */
  real: string
  info: Stats
}

/** Each method throws a `Refusal` for a link that is not followed. */
export interface LinkRule {
  /** Follows a folder of skills, whether or not a link is on its path. */
  followRoot(root: SkillRoot): LinkTarget
  /** Follows a link to a folder. `isEntry`: it lies in the root itself, not below. */
  followFolder(root: SkillRoot, link: string, isEntry: boolean): LinkTarget
  /** Follows a link to a file, in the folder of a skill. */
  followFile(root: SkillRoot, link: string): LinkTarget
}

export function createLinkRule(places: SkillPlaces): LinkRule {
  const { repository } = places
  // Most folders have no link, so this is computed when the first is met.
  const realRepository = once(() => (repository === undefined ? undefined : realPath(repository)))
  const realRoots = once(() =>
    places.linkRoots.flatMap(root => {
      const real = realPath(root.path)
      return real !== undefined && (root.owner === 'user' || isPartOf(root, real)) ? [real] : []
    }),
  )
  /** Whether the real path of a project's or plugin's folder of skills is in that project or plugin. */
  const isPartOf = (root: SkillRoot, real: string): boolean => {
    const owner = realPath(root.of)
    if (owner === undefined) return false
    const area = root.owner === 'plugin' ? owner : realRepository()
    return (
      real === join(owner, relative(root.of, root.path)) ||
      (area !== undefined && isInside(real, area))
    )
  }
  /** Whether a project, a plugin, or a folder below an entry of the user may lead to a real path. */
  const isAllowed = (root: SkillRoot, real: string): boolean => {
    const area =
      root.owner === 'plugin'
        ? realPath(root.of)
        : root.owner === 'project'
          ? realRepository()
          : undefined
    return (
      (area !== undefined && isInside(real, area)) ||
      realRoots().some(folder => isInside(real, folder))
    )
  }

  return {
    followRoot(root) {
      const target = follow(root.path)
      if (!target.info.isDirectory()) throw new Refusal('is not a folder')
      if (root.owner === 'user' || isPartOf(root, target.real) || isAllowed(root, target.real)) {
        return target
      }
      throw leaves(root)
    },
    followFolder(root, link, isEntry) {
      const target = follow(link)
      if (!target.info.isDirectory()) {
        throw new Refusal('is a link to something that is not a folder')
      }
      if ((root.owner === 'user' && isEntry) || isAllowed(root, target.real)) return target
      throw leaves(root)
    },
    followFile(root, link) {
      const target = follow(link)
      const folder = realpathSync.native(dirname(link))
      const { real } = target
      const [name, realName] = [basename(link), basename(real)]
      const isNamed = realName.toLowerCase() === name.toLowerCase()
      const isInStore =
        isInside(real, NIX_STORE) &&
        (realName.endsWith(`_${name}`) || realName.endsWith(`-${name}`))
      const isOfUser = root.owner === 'user' && (isInStore || isInside(real, folder))
      if (!isNamed && !isOfUser) throw new Refusal(`is a link to a file that is not called ${name}`)
      if (root.owner === 'user' || isInside(real, folder) || isAllowed(root, real)) return target
      throw leaves(root)
    },
  }
}

function follow(link: string): LinkTarget {
  const real = realpathSync.native(link)
  return { real, info: statSync(real) }
}

function leaves({ owner }: SkillRoot): Refusal {
  return new Refusal(
    `is a link that leaves ${owner === 'user' ? 'the folders of skills' : `its ${owner}`}`,
  )
}

function realPath(path: string): string | undefined {
  return attempt(() => realpathSync.native(path), undefined)
}

function once<T>(compute: () => T): () => T {
  let result: { value: T } | undefined
  return () => {
    result ??= { value: compute() }
    return result.value
  }
}
