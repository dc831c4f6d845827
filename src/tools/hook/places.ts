/** The folders of skills that a coding agent reads for a prompt. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
  /** Folders that only other hosts read. Links may lead to skills in them. */
  others: readonly SkillRoot[]
  /** The repository of the project, if it is in one. */
  repository?: string
}

export function skillPlaces(host: Host, cwd: string, home: string): SkillPlaces {
  const { folders, repository } = projectFolders(cwd, home)
  const rootsOf = ({ project, user, plugins }: Host): SkillRoot[] => [
    ...folders.flatMap(of => project.map(path => ({ path: join(of, path), owner: 'project' as const, of }))),
    ...user.map(path => ({ path: join(home, path), owner: 'user' as const, of: home })),
    ...(plugins?.(home) ?? []).map(of => ({ path: join(of, 'skills'), owner: 'plugin' as const, of })),
  ]
  const known = new Set<string>()
  const isNew = ({ path }: SkillRoot): boolean => !known.has(path) && known.add(path) !== undefined
  const roots = rootsOf(host).filter(isNew)
  // Plugins of other hosts are not needed: links to them are rare, and their lists would be read for each prompt.
  const others = Object.values(HOSTS)
    .flatMap(({ project, user }) => rootsOf({ project, user } as Host))
    .filter(isNew)
  return {
    roots: roots.filter(({ path }) => existsSync(path)),
    others,
    ...(repository === undefined ? {} : { repository }),
  }
}

/** The folders from the current one up to the repository, or to the home folder, which is not part of a project. */
function projectFolders(cwd: string, home: string): { folders: string[]; repository?: string } {
  const folders: string[] = []
  const realHome = realPath(home)
  for (let folder = cwd; folder !== home && realPath(folder) !== realHome; folder = dirname(folder)) {
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
