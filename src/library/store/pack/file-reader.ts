import type { AbortOptions } from '../../../core/abort.js'
import { digestOfLarge } from '../../../core/digest.js'
import { SkillshelfError, throwIfAborted } from '../../../core/errors.js'
import type { ReadResult, SkillSource } from '../../../source/source.js'

/** Bytes of files that a reader holds by default: all of most libraries, and little for a Worker. */
const MAX_HELD = 32 * 1_048_576

/** What the first read of a file found. */
export interface ReadFile<Finding = undefined> {
  size: number
  digest: string
  /** What `examine` returned. */
  finding: Finding | undefined
}

/**
 * Reads the files of a source, each once as long as there is room to hold it. Every read of a file gives the same bytes or fails: a file
 * that is not held is compared with its first read.
 */
export interface FileReader<Finding = undefined> {
  /** As `read` of the source. */
  read: SkillSource['read']
  /** Reads a listed file, unless it was read before. @throws SkillshelfError `source-failed` if it is missing or has changed */
  find(path: string, options?: AbortOptions): Promise<ReadFile<Finding>>
  /** The bytes of a listed file. @throws SkillshelfError as `find` */
  bytesOf(path: string, options?: AbortOptions): Promise<Uint8Array<ArrayBuffer>>
}

interface FileReaderOptions<Finding> {
  /** Bytes. @default 32 MiB */
  hold?: number | undefined
  /** Called with each file at its first read. */
  examine?: ((path: string, bytes: Uint8Array<ArrayBuffer>) => Finding | undefined) | undefined
}

export function createFileReader<Finding = undefined>(
  source: SkillSource,
  { hold = MAX_HELD, examine }: FileReaderOptions<Finding> = {},
): FileReader<Finding> {
  const files = new Map<string, ReadFile<Finding>>()
  const held = new Map<string, ReadResult>()
  let room = hold

  /** Remembers a file at its first read. @returns its digest */
  const remember = async (path: string, result: ReadResult): Promise<string> => {
    const { bytes } = result
    const digest = result.digest ?? (await digestOfLarge(bytes))
    const before = files.get(path)
    if (before) {
      if (before.digest !== digest) throw readError(path, 'changed while it was packed')
      return digest
    }
    files.set(path, { size: bytes.length, digest, finding: examine?.(path, bytes) })
    if (bytes.length <= room) {
      room -= bytes.length
      held.set(path, { bytes, digest })
    }
    return digest
  }

  const reader: FileReader<Finding> = {
    async read(path, options = {}) {
      throwIfAborted(options.signal)
      const known = held.get(path)
      if (known) return known
      const result = await source.read(path, options)
      return typeof result === 'object'
        ? { ...result, digest: await remember(path, result) }
        : result
    },
    async find(path, options) {
      if (!files.has(path)) await reader.bytesOf(path, options)
      return files.get(path) as ReadFile<Finding>
    },
    async bytesOf(path, { signal } = {}) {
      const result = await reader.read(path, { signal })
      if (typeof result !== 'object') throw readError(path, 'is listed but cannot be read')
      return result.bytes
    },
  }
  return reader
}

function readError(path: string, problem: string): SkillshelfError {
  return new SkillshelfError('source-failed', `${path} ${problem}`, {
    subject: path,
    hint: 'pack again',
  })
}
