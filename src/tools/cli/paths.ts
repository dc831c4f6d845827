import type { Stats } from 'node:fs'
import { lstat, mkdir, realpath, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { invalidInput } from '../../core/errors.js'
import { type Io, systemError } from './io.js'

/** Formats a path relative to the current folder, or as it is if it is outside. */
export function displayPath(io: Io, path: string): string {
  const short = relative(io.cwd, path)
  return short === '' ? 'the current folder' : short.startsWith('..') ? path : short
}

/** Formats a displayed folder for a shell command. */
export function shellQuote(where: string): string {
  if (where === 'the current folder') return '.'
  return /^[\w./~+@-]+$/.test(where) ? where : `'${where.replaceAll("'", `'\\''`)}'`
}

/** @returns `undefined` if nothing exists at the path. */
export async function pathKind(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  const info = await statIfThere(path)
  return info && (info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other')
}

/** Describes the file or folder that a path leads to. `undefined`: nothing is there. */
export function statIfThere(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  })
}

/** Describes what is at a path, without following a link. `undefined`: nothing, or nothing that can be read. */
export function fileInfo(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined)
}

/** Resolves symbolic links in the part of a path that exists. */
export async function resolveLinks(path: string): Promise<string> {
  return realpath(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    return join(await resolveLinks(dirname(path)), basename(path))
  })
}

/** Creates a folder and its parents. Node's recursive `mkdir` never returns where a file system refuses new folders, such as /proc. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path)
  if ((await pathKind(path)) === 'folder') return
  if (parent !== path) await makeFolder(parent)
  await mkdir(path).catch(async ({ code = '' }: NodeJS.ErrnoException) => {
    if (code === 'EEXIST' && (await pathKind(path)) === 'folder') return
    throw invalidInput(
      `Cannot create the folder ${path}: ${systemError(code)}`,
      'choose another folder',
    )
  })
}

/** Whether a path is below a folder, and not the folder itself. Both are absolute. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

/** Writes a file so that readers never see half of it. Replaces a symbolic link instead of following it. */
export async function writeAtomic(target: string, content: Uint8Array | string): Promise<void> {
  if ((await fileInfo(target))?.isSymbolicLink()) await unlink(target)
  const data =
    typeof content === 'string'
      ? content
      : Buffer.from(content.buffer, content.byteOffset, content.length)
  await writeFileAtomic(target, data, { fsync: false })
}
