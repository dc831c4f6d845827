import { basename, dirname } from './paths.js'

/*
 * What belongs to a skill. Listing, packing, publishing, serving, locking, archives and the hook ask this file, so that they agree.
 */

/** Names that tools write beside content, in lower case. */
const JUNK: ReadonlySet<string> = new Set(
  [
    // Version control.
    '.git .hg .svn .jj .bzr',
    // Dependencies that a tool installs.
    'node_modules bower_components .venv venv .tox .nox .eggs .pnpm-store',
    // Caches.
    '__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .ipynb_checkpoints .cache .turbo .parcel-cache .sass-cache .nyc_output',
    '.gradle .terraform .eslintcache .stylelintcache .direnv .pixi .next .svelte-kit .coverage',
    // Histories.
    '.history .bash_history .zsh_history .python_history .node_repl_history .rhistory',
    // Trash.
    '.trash .trashes $recycle.bin',
    // Desktops and editors.
    '.ds_store __macosx .appledouble .spotlight-v100 .fseventsd thumbs.db ehthumbs.db desktop.ini .idea .vscode .vs .obsidian .zed .fleet .localized .stfolder .dropbox',
  ].flatMap(names => names.split(' ')),
)
/** The same, by the shape of the name: compiled Python, AppleDouble, trash of other volumes, and what programs keep while a file is open. */
const JUNK_SHAPE =
  /^\._|^\.trash-|^\.#|^#.*#$|~$|^~\$|^\.~lock\.|^\.nfs[0-9a-f]+$|^\.fuse_hidden|\.egg-info$|\.py[co]$|\.sw[nop]$/
/** What Git keeps. A folder of this name is code that runs: its hooks. */
const CODE = /^(?:\.git|node_modules)$/i
/** Folders of a skill with files that it copies or reads. */
const RESOURCES =
  /^(?:assets|templates?|resources?|references?|examples?|fixtures|__fixtures__|testdata)$/
/** Folders that builds write. Skills in them are copies. */
const OUTPUTS = /^(?:dist|build|out|target|coverage)$/
/** Files that say that a folder is a project, which is built. */
const PROJECTS =
  /^(?:package\.json|deno\.jsonc?|cargo\.toml|go\.mod|pyproject\.toml|setup\.py|pom\.xml|build\.gradle(?:\.kts)?|cmakelists\.txt|makefile)$/

/**
 * Whether a name is that of a file or folder that a tool writes beside content: `.git`, `node_modules`, `.venv`, caches, trash, and files of
 * desktops and editors.
 */
export function isJunkName(name: string): boolean {
  const lower = name.toLowerCase()
  return JUNK.has(lower) || JUNK_SHAPE.test(lower)
}

/** Whether a file is junk, or in a folder of junk. A folder `venv` with a SKILL.md of its own is a skill. */
export function isJunk(path: string, skills?: ReadonlySet<string>): boolean {
  let end = 0
  return path.split('/').some((name, index) => {
    end += name.length + (index > 0 ? 1 : 0)
    return isJunkName(name) && !(mayBeSkill(name) && skills?.has(path.slice(0, end)))
  })
}

/** Whether a name of junk may be that of a skill, such as `venv`: then its SKILL.md decides. */
export function mayBeSkill(name: string): boolean {
  return name === 'venv'
}

/** A listing without junk. */
export function withoutJunk<Entry extends { path: string }>(listing: readonly Entry[]): Entry[] {
  const skills = new Set(listing.flatMap(({ path }) => (isSkillFile(path) ? [dirname(path)] : [])))
  return listing.filter(({ path }) => !isJunk(path, skills))
}

/** Whether a lock covers a file or folder: content, and what runs as part of it, which an attacker would change. */
export function isLocked(name: string): boolean {
  return CODE.test(name) || !isJunkName(name)
}

export function isSkillFile(path: string): boolean {
  return basename(path).toLowerCase() === 'skill.md'
}

/**
 * Whether a folder below a skill holds files of that skill, although it has a SKILL.md: a template, an example. A collection in a skill is
 * below `skills`, and its skills are their own.
 * @param folder Relative to the folder of the skill.
 */
export function isResourceFolder(folder: string): boolean {
  const names = folder.toLowerCase().split('/')
  const first = names.findIndex(name => RESOURCES.test(name))
  return first >= 0 && !names.slice(0, first).includes('skills')
}

/**
 * Finds the folders of a listing that builds write: at its root, and beside the file of a project, such as `package.json`. `build` may be the
 * name of a category of skills, so it is one beside such a file only.
 * @returns whether a folder is in one. A folder with a SKILL.md is a skill, however it is called.
 */
export function createOutputRule(
  listing: readonly { path: string }[],
): (folder: string) => boolean {
  const projects = new Set(
    listing.flatMap(({ path }) =>
      PROJECTS.test(basename(path).toLowerCase()) ? [dirname(path)] : [],
    ),
  )
  return folder => {
    // Its own name is that of a skill.
    for (let at = dirname(folder); at !== ''; at = dirname(at)) {
      const name = basename(at).toLowerCase()
      if (!OUTPUTS.test(name)) continue
      if ((name !== 'build' && dirname(at) === '') || projects.has(dirname(at))) return true
    }
    return false
  }
}
