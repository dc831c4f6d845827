/**
 * The files that the hook keeps for itself, in the cache folder of the user: packed skills, compiled code, a log.
 *
 * S4: What is in them becomes part of a prompt, or is run. So they are used only if nobody but the user can have written them: the folder
 * and the file belong to the user, nobody else may write them, and neither is a link. Windows keeps the cache in the profile of the user,
 * and has no modes to check.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { readRegularFile } from '../../source/directory/regular-file.js'
import { attempt } from './attempt.js'

const HAS_MODES = process.platform !== 'win32'
/** Bits of a mode that let the group and others write. */
const WRITABLE_BY_OTHERS = 0o022

/** The home folder of the user. A `HOME` that is empty or relative is ignored: it would be a folder in the current one, which others may write. */
export function homeFolder(home: string | undefined = homedir()): string {
  return isAbsolute(home) ? home : userInfo().homedir
}

/** The folder of skillshelf in the cache folder of a user. A relative `XDG_CACHE_HOME` is ignored, as its specification says. */
export function cacheHome(home: string = homeFolder()): string {
  const configured = process.env['XDG_CACHE_HOME'] ?? ''
  return join(isAbsolute(configured) ? configured : join(home, '.cache'), 'skillshelf')
}

/** S4: whether only the user can have written a file or folder. */
function isOwn(info: Stats): boolean {
  return !HAS_MODES || (isMine(info) && (info.mode & WRITABLE_BY_OTHERS) === 0)
}

function isMine({ uid }: Stats): boolean {
  return uid === process.geteuid?.()
}

/** Reads a file that only the user can have written. @throws if there is none */
export function readOwnFile(file: string, limit: number): Uint8Array<ArrayBuffer> {
  return readRegularFile(file, {
    limit,
    problemOf: info => (isOwn(info) ? undefined : 'can be written by others'),
  })
}

/** Whether a path is a folder, and not a link to one, that only the user can have written to. */
export function isOwnFolder(folder: string): boolean {
  return attempt(() => {
    const info = lstatSync(folder)
    return info.isDirectory() && isOwn(info)
  }, false)
}

/** Creates a folder of the user, or takes the rights of others to write to it. @throws if it is a link, or of somebody else */
export function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isOwnFolder(folder)) return
  const info = lstatSync(folder)
  if (!info.isDirectory() || !isMine(info)) {
    throw new Error(`${folder} is not a folder of this user`)
  }
  chmodSync(folder, 0o700)
}

/** Writes a file of the user so that readers never see half of it. */
export function writeOwnFile(file: string, content: Uint8Array | string): void {
  const temporary = uniqueName(file)
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A name beside a file that no other process uses. */
export function uniqueName(file: string): string {
  return `${file}.${process.pid}-${process.hrtime.bigint()}`
}

/** Appends a line to a file of the user that has less than `limit` bytes. @throws if it is another kind of file */
export function appendOwnLine(path: string, line: string, limit: number): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
  try {
    const info = fstatSync(file)
    if (info.isFile() && isOwn(info) && info.size < limit) writeSync(file, `${line}\n`)
  } finally {
    closeSync(file)
  }
}
