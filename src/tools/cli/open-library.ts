import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { openLibrary } from '../../library/open-library.js'
import { bundled } from '../../search/model/bundled/package.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { http } from '../../source/http/http.js'
import type { SkillSource } from '../../source/source.js'
import { folderSource } from './folder-source.js'
import { type Io, printErrors, withProgressBar } from './io.js'
import { packageSource } from './packages.js'
import { displayPath, pathKind, shellQuote } from './paths.js'

/** Starts an argument that names installed packages. */
const NPM = 'npm:'

/** The default folder of skills: `./skills` if it exists, else the current folder. */
export async function defaultFolder(io: Io): Promise<string> {
  const skills = resolve(io.cwd, 'skills')
  return (await pathKind(skills)) === 'folder' ? skills : resolve(io.cwd)
}

/** Resolves a folder argument to an absolute path. Also accepts the path of a SKILL.md or catalog in the folder. */
export async function findFolder(io: Io, argument: string | undefined): Promise<string> {
  if (argument === undefined) return defaultFolder(io)
  const path = resolve(io.cwd, argument.startsWith('file:') ? fileURLToPath(argument) : argument)
  const kind = await pathKind(path)
  if (kind === 'folder') return path
  if (kind === 'file' && [CATALOG_FILE, 'skill.md'].includes(basename(path).toLowerCase())) {
    return dirname(path)
  }
  if (kind === 'file') {
    throw invalidInput(
      `${displayPath(io, path)} is a file, not a folder`,
      'pass the folder that contains the skills',
    )
  }
  const hint =
    'pass the folder that contains the skills, or create a skill with: skillshelf new my-skill'
  throw new SkillshelfError('source-not-found', `No such folder: ${displayPath(io, path)}`, {
    hint,
  })
}

/** The folder of a project's own skills. Beside those of packages it may be missing. */
export async function findOwnFolder(
  io: Io,
  argument: string | undefined,
  packages: readonly string[] | undefined,
): Promise<string> {
  const isOptional = argument === undefined && packages !== undefined
  return isOptional ? resolve(io.cwd, 'skills') : findFolder(io, argument)
}

export async function isPacked(path: string): Promise<boolean> {
  return (await pathKind(join(path, CATALOG_FILE))) === 'file'
}

/** @throws if the folder is a packed library */
export async function rejectPacked(io: Io, path: string, hint: string): Promise<void> {
  if (await isPacked(path)) throw invalidInput(`${displayPath(io, path)} is a packed library`, hint)
}

export function isUrl(argument = ''): boolean {
  return /^https?:\/\//i.test(argument)
}

/** Skills to open. */
export interface FoundSource {
  source: SkillSource
  /** Shown to the user. */
  where: string
}

async function findSource(
  io: Io,
  argument: string | undefined,
  watch: boolean,
): Promise<FoundSource> {
  if (argument?.startsWith(NPM)) {
    const allow = argument.slice(NPM.length).split(',')
    return { source: packageSource(io, allow), where: argument }
  }
  if (argument !== undefined && isUrl(argument)) return { source: http(argument), where: argument }
  if (
    argument !== undefined &&
    /^[a-z][a-z0-9+.-]+:\/\//i.test(argument) &&
    !argument.startsWith('file:')
  ) {
    throw invalidInput(
      `Unsupported URL: ${argument}`,
      'pass a folder, or a URL that starts with https://',
    )
  }
  const path = await findFolder(io, argument)
  return { source: folderSource(io, path, { watch }), where: displayPath(io, path) }
}

/** Opens the library of a folder or URL argument. `watch`: it follows its folder. @throws if it cannot be read or has no usable skill */
export async function openSkills(
  io: Io,
  argument: string | undefined,
  { meaning, watch = false }: { meaning?: boolean | undefined; watch?: boolean } = {},
): Promise<FoundSource & { library: SkillLibrary }> {
  return openSource(io, await findSource(io, argument, watch), { meaning })
}

/** Opens the library of a source. @throws if it cannot be read or has no usable skill */
export async function openSource(
  io: Io,
  { source, where }: FoundSource,
  { meaning = true }: { meaning?: boolean | undefined } = {},
): Promise<FoundSource & { library: SkillLibrary }> {
  const library = await withProgressBar(io, bar =>
    openLibrary(source, {
      // Commands list and check all skills.
      whole: true,
      signal: io.signal,
      embedder: meaning ? bundled() : false,
      modelTimeout: Number.POSITIVE_INFINITY,
      onProgress: ({ done, total = done }) => bar.update('reading', done, total),
      // Reported below.
      onDiagnostic: () => {},
    }),
  )
  const { skills, diagnostics } = library.snapshot
  warnOfMissingVectors(io, library)
  const unreadable = diagnostics.find(
    ({ code }) => code === 'source-missing' || code === 'source-unreadable',
  )
  if (unreadable) {
    const { code, message, hint } = unreadable
    const isMissing = code === 'source-missing'
    throw new SkillshelfError(
      isMissing ? 'source-not-found' : 'source-failed',
      message,
      hint === undefined ? {} : { hint },
    )
  }
  if (skills.length > 0) return { library, source, where }

  const disabled = diagnostics.filter(({ code }) => code === 'skill-disabled').length
  const unusable = diagnostics.filter(
    ({ code }) => code === 'skill-left-out' || code === 'skill-unreadable',
  )
  if (where.startsWith(NPM)) {
    throw new SkillshelfError(
      'source-not-found',
      unusable[0]?.message ?? `No skills found in ${where}`,
    )
  }
  if (unusable.length > 0) throw noUsableSkillError(where)
  if (disabled > 0) {
    throw invalidInput(
      `All skills in ${where} are disabled (${disabled})`,
      'remove "enabled: false" from their frontmatter',
    )
  }
  throw noSkillsError(where)
}

/** Warns of a packed library without vectors, which is matched by keywords only. */
export function warnOfMissingVectors(io: Io, library: SkillLibrary): void {
  const missing = library.snapshot.diagnostics.find(({ code }) => code === 'vectors-missing')
  if (missing) printErrors(io, `skillshelf: ${missing.message} (pack it again)`)
}

export function noSkillsError(where: string): Error {
  const hint = 'a skill is a folder with a SKILL.md; create one with: skillshelf new my-skill'
  return new SkillshelfError('source-not-found', `No skills found in ${where}`, { hint })
}

export function allInternalError(where: string): Error {
  return invalidInput(
    `All skills of ${where} are internal`,
    'pass --internal to publish them, or the folder of one of them',
  )
}

export function noUsableSkillError(where: string): Error {
  return invalidInput(
    `No usable skill in ${where}`,
    `see the reasons with: skillshelf validate ${shellQuote(where)}`,
  )
}
