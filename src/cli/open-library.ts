import { stat } from 'node:fs/promises'
import { basename, dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundled } from '../embed/bundled/node.js'
import { openLibrary } from '../library/library.js'
import type { SkillLibrary } from '../library/types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { directory } from '../source/directory/directory.js'
import { http } from '../source/http/http.js'
import type { SkillSource } from '../source/types.js'
import { commandError } from './errors.js'
import { cancellable, type Io } from './io.js'
import { startProgressBar } from './progress-bar.js'
import { plural } from './text.js'

export type Folder = SkillSource & Required<Pick<SkillSource, 'list'>>

/** Where skills are when nobody says: ./skills if it is there, else the current folder. */
export async function defaultFolder(io: Io): Promise<string> {
  const skills = resolve(io.cwd, 'skills')
  return (await pathKind(skills)) === 'folder' ? skills : resolve(io.cwd)
}

/** The absolute path of a folder that a person named. A SKILL.md or a catalog in it names it too. */
export async function findFolder(io: Io, at: string | undefined): Promise<string> {
  if (at === undefined) return defaultFolder(io)
  const path = resolve(io.cwd, at.startsWith('file:') ? fileURLToPath(at) : at)
  const kind = await pathKind(path)
  if (kind === 'folder') return path
  if (kind === 'file' && [CATALOG_FILE, 'skill.md'].includes(basename(path).toLowerCase())) return dirname(path)
  if (kind === 'file')
    throw commandError(`${displayPath(io, path)} is a file, not a folder`, 'give the folder that holds skills')
  throw commandError(
    `There is no folder ${displayPath(io, path)}`,
    'give the folder that holds skills, or make a skill with: skillshelf new my-skill',
    'source-not-found',
  )
}

/** A folder as a source that can be listed. `name` is the first part of its skills' ids. */
export function openFolder(path: string, name?: string): Folder {
  return directory(path, name === undefined ? {} : { name }) as Folder
}

/** What `--skills` names: an address or a folder. */
export async function findSource(io: Io, at: string | undefined): Promise<{ source: SkillSource; where: string }> {
  if (at !== undefined && /^https?:\/\//i.test(at)) return { source: http(at), where: at }
  if (at !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(at) && !at.startsWith('file:'))
    throw commandError(`${at} cannot be opened`, 'give a folder, or an address that starts with https://')
  const path = await findFolder(io, at)
  return { source: openFolder(path), where: displayPath(io, path) }
}

/** Opens the skills of a folder or an address. One that cannot be read or holds none is an error: a person asked for it by name. */
export async function openSkills(
  io: Io,
  at: string | undefined,
  { meaning = false }: { meaning?: boolean | undefined } = {},
): Promise<{ library: SkillLibrary; source: SkillSource; where: string }> {
  const { source, where } = await findSource(io, at)
  const progress = startProgressBar(io)
  let library: SkillLibrary
  try {
    library = await openLibrary(source, {
      ...cancellable(io),
      ...(meaning ? { embedder: bundled() } : {}),
      onProgress: ({ done, total }) => progress.update('reading', done, total),
    })
  } finally {
    progress.stop()
  }
  const { skills, diagnostics } = library.snapshot
  const wordsOnly = diagnostics.find(({ code }) => code === 'vectors-missing')
  if (wordsOnly) io.stderr(`skillshelf: ${wordsOnly.message} (pack it again with --meaning)\n`)
  const broken = diagnostics.find(({ code }) => code === 'source-missing' || code === 'source-unreadable')
  if (broken) throw commandError(broken.message, broken.hint, 'source-failed')
  if (skills.length > 0) return { library, source, where }

  const disabled = diagnostics.filter(({ code }) => code === 'skill-disabled').length
  const unusable = diagnostics.filter(({ code }) => code === 'skill-left-out' || code === 'skill-unreadable').length
  if (unusable > 0)
    throw commandError(
      `${where} holds no skill that can be used; ${plural(unusable, 'file')} could not be read as one`,
      `see why with: skillshelf validate ${shellQuote(where)}`,
    )
  if (disabled > 0)
    throw commandError(
      `${where} holds only disabled skills (${disabled})`,
      'take enabled: false out of their frontmatter',
    )
  throw noSkillsError(where)
}

export function noSkillsError(where: string): Error {
  return commandError(
    `${where} holds no skill`,
    'a skill is a folder with a SKILL.md; make one with: skillshelf new my-skill',
    'source-not-found',
  )
}

/** A path as a person would write it from where they stand. */
export function displayPath(io: Io, path: string): string {
  const short = relative(io.cwd, path)
  return short === '' ? 'the current folder' : short.startsWith('..') ? path : short
}

/** A folder as it can be typed into a shell. */
export function shellQuote(where: string): string {
  if (where === 'the current folder') return '.'
  return /^[\w./~+@-]+$/.test(where) ? where : `'${where.replaceAll("'", `'\\''`)}'`
}

export async function pathKind(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const info = await stat(path)
    return info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other'
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}
