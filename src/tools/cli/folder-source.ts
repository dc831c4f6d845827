import { existsSync } from 'node:fs'
import { basename, resolve, sep } from 'node:path'
import { isSkillFile } from '../../core/content.js'
import { plainLine } from '../../core/sanitize.js'
import { type DirectoryOptions, directory } from '../../source/directory/directory.js'
import { withoutIgnored } from '../../source/directory/ignore-files.js'
import type { OutsideLink } from '../../source/directory/links.js'
import { isInside } from '../../source/directory/watch.js'
import type { ListableSource } from '../../source/source.js'
import type { HostPlace, SkillRoot } from '../hook/hosts/host.js'
import { realPathOf } from '../hook/hosts/host-settings.js'
import { allRoots } from '../hook/hosts/hosts.js'
import { projectFolders } from '../hook/places.js'
import { envOf, homeOf } from './environment.js'
import { type Io, printErrors } from './io.js'

/** Packages of Nix. Anybody can read them, and nobody can write there. */
const NIX_STORE = '/nix/store'

/** Reads a folder, following the links that coding agents and `npx skills` make there. docs/cli.md lists them. */
export function wholeFolder(io: Io, path: string, options: DirectoryOptions = {}): ListableSource {
  let areas: LinkAreas | undefined
  return directory(path, {
    ...options,
    // Most folders have no link that leads out.
    links(link) {
      areas ??= linkAreas(io, path)
      return isFollowed(areas, link)
    },
  })
}

/** As `wholeFolder`, without the files that Git ignores, which is said once. */
export function folderSource(io: Io, path: string, options: DirectoryOptions = {}): ListableSource {
  const said = new Set<string>()
  return withoutIgnored(wholeFolder(io, path, options), path, lines => {
    for (const line of lines.filter(line => !said.has(line))) {
      said.add(line)
      printErrors(io, `skillshelf: ${plainLine(line)}`)
    }
  })
}

/** Where the links of a folder may lead. */
interface LinkAreas {
  /** Real paths of folders. */
  folders: readonly string[]
  /** Whether the folder is one of the user, who alone makes links in it. */
  isOfUser: boolean
}

/**
 * S2: A link may lead into the repository of its folder, and into the folders of skills of the same project. In the user's own folders of
 * skills, an entry may be a link to any folder, and what is below to the same path elsewhere, as stow links files. A link in a cloned
 * project, or in a skill that was cloned into a folder of the user, leads to nothing else of the user.
 */
function linkAreas(io: Io, path: string): LinkAreas {
  const home = homeOf(io)
  const own = projectFolders(path, home)
  const bases = [
    ...projectFolders(io.cwd, home).folders,
    ...own.folders,
    ...projectsOf(path),
  ].filter(folder => folder !== home)
  const place: HostPlace = { home, env: envOf(io), cwd: io.cwd, folders: bases }
  const roots = allRoots(place)
  const isOfUser = roots.some(
    root => root.owner === 'user' && realPathOf(root.path) === realPathOf(path),
  )
  const folders = roots
    .filter(root => existsSync(root.path) && (root.owner === 'user' ? isOfUser : isWithin(root)))
    .map(root => realPathOf(root.path))
  const repository = own.repository === undefined ? [] : [realPathOf(own.repository)]
  return { folders: [...folders, ...repository, NIX_STORE], isOfUser }
}

/** The projects that a folder of skills such as `shop/.claude/skills` is part of: `shop`. */
function projectsOf(path: string): string[] {
  const place = { home: sep, env: {}, cwd: '', folders: [''] }
  return allRoots(place)
    .filter(({ owner }) => owner === 'project')
    .map(root => sep + root.path)
    .filter(end => path.endsWith(end))
    .map(end => resolve(path.slice(0, -end.length) || sep))
}

/** Whether the folder of skills of a project is in it: it may be a link itself. */
function isWithin({ path, of }: SkillRoot): boolean {
  return isInside(realPathOf(path), realPathOf(of))
}

function isFollowed({ folders, isOfUser }: LinkAreas, { path, target }: OutsideLink): boolean {
  if (folders.some(folder => isInside(target, folder))) return true
  if (!isOfUser) return false
  const isEntry = !path.includes('/')
  const isSamePath = target.endsWith(sep + path.replaceAll('/', sep))
  return isEntry || isSamePath || (isSkillFile(path) && isSkillFile(basename(target)))
}
