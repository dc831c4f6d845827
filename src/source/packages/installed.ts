import { existsSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { mapParallel } from '../../core/concurrency.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { isRecord, parseJson } from '../../core/plain-data.js'

/** A package that a project can import. */
export interface InstalledPackage {
  /** The name that it is installed under. */
  name: string
  /** Its real path: installers such as pnpm link packages. */
  folder: string
}

const MANIFEST = 'package.json'
/** S3: a larger package.json is no list of dependencies. */
const MAX_BYTES = 1_048_576
const PARALLEL = 16
const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies']
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/

export function isPackageName(name: string): boolean {
  return name.length <= 214 && PACKAGE_NAME.test(name)
}

/**
 * Finds the packages of a project: those in its `node_modules` and those of the folders above it, then what these depend on. Nothing is
 * imported, so what a package exports does not matter. Of two versions of a package, the one nearer to the project comes.
 * @throws SkillshelfError `unsupported` for a project of Yarn Plug'n'Play
 */
export async function* installedPackages(
  project: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<InstalledPackage> {
  rejectPlugAndPlay(project)
  const seen = new Set<string>()
  let level = (await mapParallel(moduleFolders(project), PARALLEL, packagesIn)).flat()
  while (level.length > 0) {
    const dependents: InstalledPackage[] = []
    for (const { name, folder: link } of level) {
      throwIfAborted(signal)
      if (seen.has(name)) continue
      const folder = await realpath(link).catch(() => undefined)
      if (folder === undefined || !existsSync(join(folder, MANIFEST))) continue
      seen.add(name)
      dependents.push({ name, folder })
      yield { name, folder }
    }
    level = (
      await mapParallel(dependents, PARALLEL, ({ folder }) => dependenciesOf(folder, seen))
    ).flat()
  }
}

/** Where Node looks for packages, the nearest first. */
function moduleFolders(from: string): string[] {
  const folders: string[] = []
  for (let folder = from; ; folder = dirname(folder)) {
    folders.push(join(folder, 'node_modules'))
    if (dirname(folder) === folder) return folders
  }
}

async function packagesIn(modules: string): Promise<InstalledPackage[]> {
  const names = await namesIn(modules)
  const scopes = names.filter(name => name.startsWith('@'))
  const scoped = await mapParallel(scopes, PARALLEL, async scope => {
    const inner = await namesIn(join(modules, scope))
    return inner.map(name => `${scope}/${name}`)
  })
  return [...names, ...scoped.flat()]
    .filter(isPackageName)
    .map(name => ({ name, folder: join(modules, name) }))
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).sort()
}

/** The packages that one depends on, where they are installed. */
async function dependenciesOf(
  folder: string,
  seen: ReadonlySet<string>,
): Promise<InstalledPackage[]> {
  const manifest = await readManifest(folder)
  const names = DEPENDENCIES.flatMap(field => Object.keys(recordOf(manifest[field])))
  return names.flatMap(name => {
    if (seen.has(name) || !isPackageName(name)) return []
    const modules = moduleFolders(folder).find(one => existsSync(join(one, name, MANIFEST)))
    return modules === undefined ? [] : [{ name, folder: join(modules, name) }]
  })
}

/** The package.json of a package, empty if it cannot be read. */
export async function readManifest(folder: string): Promise<Readonly<Record<string, unknown>>> {
  const file = join(folder, MANIFEST)
  const info = await stat(file).catch(() => undefined)
  if (!info?.isFile() || info.size > MAX_BYTES) return {}
  return recordOf(parseJson(await readFile(file, 'utf8').catch(() => '')))
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Plug'n'Play has no `node_modules`, and its packages are in archives that only code of the project can find. */
function rejectPlugAndPlay(project: string): void {
  const modules = moduleFolders(project)
  const found = modules.find(one => existsSync(join(dirname(one), '.pnp.cjs')))
  if (found === undefined || modules.some(one => existsSync(one))) return
  throw new SkillshelfError('unsupported', `${dirname(found)} uses Yarn Plug'n'Play`, {
    subject: dirname(found),
    hint: 'set `nodeLinker: node-modules` in .yarnrc.yml',
  })
}
