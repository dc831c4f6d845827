import { constants } from 'node:fs'
import { access, open, readlink, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { fileInfo, makeFolder, resolveLinks, statIfThere, writeAtomic } from './paths.js'

/** Bytes. Settings that people write have some kilobytes. */
const MAX_SIZE = 4_000_000
const BYTE_ORDER_MARK = '\ufeff'

/** A file of settings as it was read. */
export interface SettingsFile {
  /** Its path, which may be a link. */
  address: string
  /** Its real path. */
  path: string
  isLinked: boolean
  /** `undefined`: there is no file. */
  bytes: Buffer | undefined
  /** Starts the file if it had one. */
  mark: string
  /** Without the mark. */
  text: string | undefined
}

/** Reads a file of settings of another program. @throws if it is no regular file, too large, or not UTF-8 */
export async function readSettings(address: string): Promise<SettingsFile> {
  const path = await resolveLinks(address)
  if ((await fileInfo(path))?.isSymbolicLink()) {
    throw invalidInput(
      `${path} is a link to ${await readlink(path)}, where there is nothing`,
      'create that file, or remove the link',
    )
  }
  const file = { address, path, isLinked: (await fileInfo(address))?.isSymbolicLink() ?? false }
  const bytes = await readBytes(path)
  const text = bytes && decode(bytes, path)
  const mark = text?.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  return { ...file, bytes, mark, text: text?.slice(mark.length) }
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  // S3: only regular files are opened. Opening a pipe would wait for a writer, and opening a device may change it.
  const info = await statIfThere(path)
  if (!info) return undefined
  if (!info.isFile()) {
    throw invalidInput(
      `${path} is ${info.isDirectory() ? 'a folder' : 'not a regular file'}`,
      'move it away: the settings of the host belong there',
    )
  }
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.alloc(Math.min(size, MAX_SIZE) + 1)
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0)
    if (size > MAX_SIZE || bytesRead > size) {
      throw invalidInput(
        `${path} is too large or grows: ${MAX_SIZE.toLocaleString('en')} bytes are read`,
        'add the hook by hand',
      )
    }
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Text that is not UTF-8 is refused: written again, it would be another one. */
function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidInput(`${path} is not UTF-8`, 'save it as UTF-8')
  }
}

/** Writes settings that were read before, or removes the file. S11: an edit that was made in the meantime stays. */
export async function writeSettings(
  { address, path, bytes, mark }: SettingsFile,
  text: string | undefined,
): Promise<void> {
  if (!bytes) await makeFolder(dirname(path))
  const current = await readBytes(path)
  const isSame = bytes && current ? bytes.equals(current) : bytes === current
  if (!isSame || (await resolveLinks(address)) !== path) {
    throw new SkillshelfError(
      'conflict',
      `${path} was changed by another program in the meantime`,
      {
        hint: 'nothing was written; run the command again',
      },
    )
  }
  if (bytes) await rejectReadOnly(path)
  if (text === undefined) await rm(path)
  else await writeAtomic(path, mark + text)
}

/** Replacing a file needs no permission to write it, so its own is asked for. */
async function rejectReadOnly(path: string): Promise<void> {
  const { mode } = await stat(path)
  const isWritable =
    (mode & 0o222) !== 0 &&
    (await access(path, constants.W_OK).then(
      () => true,
      () => false,
    ))
  if (!isWritable) {
    throw invalidInput(`${path} is read-only`, 'allow to write it, or add the hook by hand')
  }
}
