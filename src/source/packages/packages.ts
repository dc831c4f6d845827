import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mapParallel } from '../../core/concurrency.js'
import { invalidInput, throwIfAborted } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { directory } from '../directory/directory.js'
import { isInside } from '../directory/watch.js'
import type { FileEntry, ListableSource } from '../source.js'
import { type InstalledPackage, installedPackages, isPackageName } from './installed.js'

/** Options of `packages`. */
export interface PackagesOptions {
  /**
   * Packages that skills are read from: `name`, `@scope/name`, every package of a scope (`@scope/*`), every installed package (`*`), or one
   * skill of a package (`name#skill`).
   */
  allow: readonly string[]
  /** Folder of the project whose packages are read. In a workspace, that of the member that depends on them. @default the current folder */
  cwd?: string | URL | undefined
  /** Name of the source: the first part of its skills' ids. @default 'npm' */
  name?: string | undefined
  /** Called with a line for a human if `*` allows packages: their names. @default console.warn */
  onWarning?: ((message: string) => void) | undefined
}

/** An entry of `allow`. */
interface AllowRule {
  /** Name of a package, or what its name starts with. */
  package: string
  isPrefix: boolean
  /** Path of the only skill, in the folder of skills. */
  skill: string | undefined
}

/** A package with skills. */
interface SkillPackage extends InstalledPackage {
  /** Its folder of skills. */
  source: ListableSource
}

type SkillPackages = ReadonlyMap<string, SkillPackage>

const FOLDER = 'skills'
const EVERY = '*'
const PARALLEL = 8
const OPTIONS = { allow: 1, cwd: 1, name: 1, onWarning: 1 } satisfies OptionNames<PackagesOptions>

/**
 * Reads skills from installed npm packages, in Node: those in the folder `skills` of each package, at any depth.
 *
 * A skill is at `<package>/<folder>`, so its id is `npm/<package>/<folder>`. Only packages that `allow` names are read, wherever npm, pnpm or
 * Yarn installed them. A package that is named and not installed, or has no skills, is reported as unreadable. Each listing looks for the
 * packages again. Nothing of a package is imported or executed.
 * @returns A source, which cannot be written to. `list` throws `unsupported` for a project of Yarn Plug'n'Play.
 * @throws SkillshelfError `invalid-input` if `allow` is not a list of names
 * @example
 * ```ts
 * const library = await openLibrary(packages({ allow: ['@tanstack/*', 'my-library'] }))
 * ```
 */
export function packages(options: PackagesOptions): ListableSource {
  checkOptionNames(options, OPTIONS)
  const { name = 'npm', onWarning = message => console.warn(`skillshelf: ${message}`) } = options
  const rules = parseAllow(options.allow)
  const project = folderOf(options.cwd)
  let found: SkillPackages = new Map()
  let searched = false
  let warned = ''

  const find = async (signal: AbortSignal | undefined): Promise<SkillPackages> => {
    const current = await findPackages(project, rules, signal)
    const names = [...current.keys()].sort().join(', ')
    if (rules.some(rule => rule.package === '' && rule.isPrefix) && names !== warned) {
      warned = names
      onWarning(`skills of every installed package are allowed (*): ${names || 'none has skills'}`)
    }
    searched = true
    found = current
    return current
  }
  return {
    name,
    root: path => {
      const [owner, inner] = splitPath(path)
      const source = found.get(owner)?.source
      return source?.root?.(inner) ?? join(project, 'node_modules', path)
    },
    async list({ signal } = {}) {
      const current = await find(signal)
      const listed = await mapParallel([...current.values()], PARALLEL, one =>
        listPackage(one, rules, signal),
      )
      const entries = listed.flat()
      const missing = rules.filter(
        rule =>
          !rule.isPrefix && !entries.some(({ path }) => isAllowed([rule], ...splitPath(path))),
      )
      return [...entries, ...missing.map(notFound)]
    },
    async read(path, readOptions = {}) {
      throwIfAborted(readOptions.signal)
      const [owner, inner] = splitPath(path)
      const current = searched ? found : await find(readOptions.signal)
      const source = current.get(owner)?.source
      return source && isAllowed(rules, owner, inner) ? source.read(inner, readOptions) : undefined
    },
  }
}

/** @throws SkillshelfError `invalid-input` */
function parseAllow(allow: unknown): AllowRule[] {
  if (!Array.isArray(allow)) {
    throw invalidInput(
      '`allow` of packages() must be a list of package names',
      "name the packages that skills are read from, such as allow: ['@tanstack/db']",
    )
  }
  return allow.map(entry => {
    const [name = '', skill] = String(entry)
      .replace(/^workspace:/, '')
      .split('#')
    const isPrefix = name === EVERY || name.endsWith('/*')
    const start = isPrefix ? name.slice(0, -1) : name
    if (
      typeof entry === 'string' &&
      (start === '' ? isPrefix : isPackageName(`${start}${isPrefix ? 'x' : ''}`))
    ) {
      return { package: start, isPrefix, skill }
    }
    throw invalidInput(
      `Not a package in \`allow\`: ${String(entry).slice(0, 200)}`,
      'write name, @scope/name, @scope/*, name#skill, or * for every installed package',
    )
  })
}

async function findPackages(
  project: string,
  rules: readonly AllowRule[],
  signal: AbortSignal | undefined,
): Promise<SkillPackages> {
  const found = new Map<string, SkillPackage>()
  if (rules.length === 0) return found
  const wanted = new Set(rules.filter(rule => !rule.isPrefix).map(rule => rule.package))
  const isOpen = rules.some(rule => rule.isPrefix)
  for await (const { name, folder } of installedPackages(project, signal)) {
    if (!rules.some(rule => isOf(rule, name))) continue
    wanted.delete(name)
    const skills = await realpath(join(folder, FOLDER)).catch(() => undefined)
    // S2: a link cannot make other folders of the user skills of a package.
    if (skills !== undefined && isInside(skills, folder)) {
      found.set(name, { name, folder, source: directory(skills) })
    }
    if (wanted.size === 0 && !isOpen) break
  }
  return found
}

async function listPackage(
  { name, source }: SkillPackage,
  rules: readonly AllowRule[],
  signal: AbortSignal | undefined,
): Promise<FileEntry[]> {
  const entries = await source.list({ signal })
  return entries
    .filter(({ path }) => isAllowed(rules, name, path))
    .map(entry => ({ ...entry, path: joinPath(name, entry.path) }))
}

function isOf(rule: AllowRule, name: string): boolean {
  return rule.isPrefix ? name.startsWith(rule.package) : name === rule.package
}

function isAllowed(rules: readonly AllowRule[], name: string, path: string): boolean {
  return rules.some(
    rule =>
      isOf(rule, name) &&
      (rule.skill === undefined || path === rule.skill || path.startsWith(`${rule.skill}/`)),
  )
}

/** The package that a path of the source is in. */
export function packageOf(path: string): string {
  return splitPath(path)[0]
}

/** The name of a package and the path in its folder of skills. */
function splitPath(path: string): [owner: string, inner: string] {
  const parts = path.split('/')
  const length = path.startsWith('@') ? 2 : 1
  return [parts.slice(0, length).join('/'), parts.slice(length).join('/')]
}

function notFound({ package: name, skill = '' }: AllowRule): FileEntry {
  const what = skill === '' ? 'such package with a folder' : 'such skill in the folder'
  return { path: joinPath(name, skill), unreadable: `no ${what} \`${FOLDER}\` is installed` }
}

function folderOf(cwd: string | URL = '.'): string {
  return resolve(cwd instanceof URL || cwd.startsWith('file:') ? fileURLToPath(cwd) : cwd)
}
