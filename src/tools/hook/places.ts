/** The folders of skills that a coding agent reads for a prompt. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isInside } from '../../source/directory/watch.js'
import { attempt } from './attempt.js'
import { HOSTS, type Host } from './hosts.js'

/** A folder of skills. */
export interface SkillRoot {
  path: string
  /** Who decides what is in it: the user, the project, or the author of a plugin. */
  owner: 'user' | 'project' | 'plugin'
  /** The folder of the project or plugin that the root is part of, or the home folder. */
  of: string
}

/** Where skills may lie for a prompt. JSON, because it is passed to another process. */
export interface SkillPlaces {
  /** The folders that the host reads, without those that do not exist. Of skills with the same name, that of the first is offered. */
  roots: readonly SkillRoot[]
  /** The folders of the project, from the current one up. */
  folders: readonly string[]
  home: string
  /** The repository of the project, if it is in one. */
  repository?: string
}

export function skillPlaces(host: Host, cwd: string, home: string): SkillPlaces {
  const { folders, repository } = projectFolders(cwd, home)
  const seen = new Set<string>()
  const roots = rootsOf(host, folders, home).filter(
    ({ path }) => !seen.has(path) && seen.add(path) && existsSync(path),
  )
  return { roots, folders, home, ...(repository === undefined ? {} : { repository }) }
}

/** The folders of skills that any host reads. Links may lead to skills in them. */
export function knownRoots({ roots, folders, home }: SkillPlaces): readonly SkillRoot[] {
  // Plugins of other hosts are not needed: links to them are rare.
  return [
    ...roots,
    ...Object.values(HOSTS).flatMap(({ project, user }) =>
      rootsOf({ project, user }, folders, home),
    ),
  ]
}

function rootsOf(
  { project, user, plugins }: Pick<Host, 'project' | 'user' | 'plugins'>,
  folders: readonly string[],
  home: string,
): SkillRoot[] {
  return [
    ...folders.flatMap(of =>
      project.map(path => ({ path: join(of, path), owner: 'project' as const, of })),
    ),
    ...user.map(path => ({ path: join(home, path), owner: 'user' as const, of: home })),
    ...(plugins?.(home) ?? []).map(of => ({
      path: join(of, 'skills'),
      owner: 'plugin' as const,
      of,
    })),
  ]
}

/** The folders from the current one up to the repository, or to the home folder, which is not part of a project. */
function projectFolders(cwd: string, home: string): { folders: string[]; repository?: string } {
  const folders: string[] = []
  // The current folder may be known by a path that does not go through the home folder.
  const realHome = isInside(cwd, home) ? undefined : realPath(home)
  const isHome = (folder: string): boolean =>
    folder === home || (realHome !== undefined && realPath(folder) === realHome)
  for (let folder = cwd; !isHome(folder); folder = dirname(folder)) {
    folders.push(folder)
    // Skills above the repository belong to others.
    if (existsSync(join(folder, '.git'))) return { folders, repository: folder }
    if (dirname(folder) === folder) break
  }
  return { folders }
}

function realPath(path: string): string {
  return attempt(() => realpathSync.native(path), path)
}
