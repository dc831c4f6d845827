import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  promises,
  readSync,
  type Stats,
} from 'node:fs'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'

/** A pipe would block until somebody writes to it. The last part of a path is not followed as a link. */
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

export interface RegularFileOptions {
  /** Bytes of the largest file that is read. */
  limit: number
  /** Says why a file is not read, such as `was replaced`. Default: every regular file is read. */
  problemOf?: ((info: Stats) => string | undefined) | undefined
}

/**
 * Reads a regular file whole.
 *
 * S3: The file is looked at before it is opened, because opening a device can have an effect, and again when it is open, because it may
 * have been replaced. Its size is known before memory is taken for it, and no more than that is read, so a device, a pipe, a sparse file
 * of a terabyte, or a file that grows all the time costs nothing.
 * @param path A path whose last part is not a link: links are resolved, and allowed, by the caller.
 * @throws SkillshelfError `source-failed` for what is not a regular file, `too-large`; errors of the file system
 */
export function readRegularFile(
  path: string,
  { limit, problemOf }: RegularFileOptions,
): Uint8Array<ArrayBuffer> {
  const check = (info: Stats): void => {
    checkKind(path, info)
    const problem = problemOf?.(info)
    if (problem !== undefined) {
      throw new SkillshelfError('source-failed', `${path} ${problem}`, { subject: path })
    }
    checkSize(path, info.size, limit)
  }
  check(lstatSync(path))
  const file = openSync(path, FLAGS)
  try {
    const info = fstatSync(file)
    check(info)
    // Not filled with zeros first.
    const bytes = new Uint8Array(Buffer.allocUnsafeSlow(info.size).buffer)
    let length = 0
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, null)
      if (read === 0) throw truncated(path)
      length += read
    }
    return bytes
  } finally {
    closeSync(file)
  }
}

/** An open file. */
type FileHandle = Awaited<ReturnType<typeof promises.open>>

/** Opens a regular file for `use`, as `readRegularFile` does. The caller has looked at it before. */
export async function withRegularFile<T>(
  path: string,
  use: (file: FileHandle, info: Stats) => Promise<T>,
): Promise<T> {
  const file = await promises.open(path, FLAGS)
  try {
    const info = await file.stat()
    checkKind(path, info)
    return await use(file, info)
  } finally {
    await file.close()
  }
}

export interface PartOptions {
  offset: number
  length: number
  /** Bytes of the largest part that is read. */
  limit: number
  signal?: AbortSignal | undefined
}

/** Reads a part of an open file. @throws SkillshelfError `too-large`, `aborted` */
export async function readPart(
  path: string,
  file: FileHandle,
  { offset, length, limit, signal }: PartOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  checkSize(path, length, limit)
  const bytes = new Uint8Array(length)
  let done = 0
  while (done < length) {
    throwIfAborted(signal)
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) throw truncated(path)
    done += bytesRead
  }
  return bytes
}

/** S3: only regular files are opened. */
function checkKind(path: string, info: Stats): void {
  if (!info.isFile()) {
    throw new SkillshelfError('source-failed', `${path} is not a regular file`, { subject: path })
  }
}

/** S3: the size is known before memory is taken for it, and limited. */
function checkSize(path: string, size: number, limit: number): void {
  if (size <= limit) return
  throw new SkillshelfError(
    'too-large',
    `${path} has ${size} bytes, and at most ${limit} are read`,
    {
      subject: path,
      figures: { most: limit },
    },
  )
}

function truncated(path: string): Error {
  return new SkillshelfError('source-failed', `${path} was truncated while it was read`, {
    subject: path,
  })
}
