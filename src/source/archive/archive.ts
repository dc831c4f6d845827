import { abortable } from '../../core/abort.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { invokeCallback } from '../../core/progress.js'
import { memory } from '../memory.js'
import type { FileEntry, SkillSource } from '../types.js'
import { gatherEntries } from './entries.js'
import { gunzip } from './inflate.js'
import { type ArchiveInput, openInput } from './input.js'
import { concat, kindOf, peek } from './kind.js'
import { type ArchiveLimits, limitsOf, type Meter, meterOf } from './limits.js'

export interface ArchiveOptions {
  /** Default: a `File`'s name without its extension, else `archive`. */
  name?: string | undefined
  limits?: ArchiveLimits | undefined
  /** Take no folder off, also where one holds everything. Default false. */
  keepFolders?: boolean | undefined
  /** Ends the opening, and with it every read that waits for it. A read's own signal ends that read alone. */
  signal?: AbortSignal | undefined
  /** Bytes of the archive that have come in, and of how many, where that is known. */
  onProgress?: ((progress: { done: number; total?: number }) => void) | undefined
}

/** An archive that was read. */
interface Shelf {
  files: SkillSource & Required<Pick<SkillSource, 'list'>>
  unreadable: readonly FileEntry[]
}

/**
 * Skills in a zip, a tar.gz or a tar, told apart by their bytes. It is opened at the first `read` or `list`, inflated once, within
 * `limits`, and kept in memory. A function that gives the bytes is called again after a failure.
 *
 * One folder that holds everything is taken off, unless SKILL.md stands right in it: then it is the skill's own. Left out are what
 * macOS adds, and names that lead out of the archive; links and devices are listed as unreadable where their names are harmless. Of
 * two entries with one path the later one counts. Names that differ in case or Unicode form alone are different files, here as in
 * the archive.
 *
 * `read` and `list` throw `format` for what is broken or no archive, `unsupported` for what is encrypted, split, sparse or another
 * kind of archive, `too-large` for what is over a limit, `source-failed` or `source-not-found` where the bytes cannot be had.
 * @throws SkillshelfError `invalid-input` for limits that are no numbers
 */
export function archive(input: ArchiveInput, options: ArchiveOptions = {}): SkillSource {
  const limits = limitsOf(options.limits)
  const stop = new AbortController()
  const abort = (): void => stop.abort(options.signal?.reason)
  options.signal?.addEventListener('abort', abort, { once: true })
  if (options.signal?.aborted) abort()
  let closed = false
  let opening: Promise<Shelf> | undefined

  const open = async (signal: AbortSignal | undefined): Promise<Shelf> => {
    throwIfAborted(signal)
    if (closed) throw new SkillshelfError('closed', 'The archive was closed')
    opening ??= readArchive(input, limits, stop.signal, options).catch(error => {
      // A stream that was begun has nothing left to give; its failure stays.
      if (typeof input === 'function') opening = undefined
      throw closed ? new SkillshelfError('closed', 'The archive was closed') : error
    })
    return abortable(opening, signal)
  }

  return {
    name: options.name ?? nameOf(input),
    async read(path, reading = {}) {
      const safe = safePath(path)
      const { files } = await open(reading.signal)
      return files.read(safe, reading)
    },
    async list({ signal } = {}) {
      const { files, unreadable } = await open(signal)
      return [...(await files.list()), ...unreadable]
    },
    async close() {
      closed = true
      options.signal?.removeEventListener('abort', abort)
      stop.abort()
      opening = undefined
    },
  }
}

async function readArchive(
  input: ArchiveInput,
  limits: Required<ArchiveLimits>,
  signal: AbortSignal,
  { keepFolders, onProgress }: ArchiveOptions,
): Promise<Shelf> {
  const { whole, pieces, total } = await openInput(input, signal)
  const meter = meterOf(limits, signal)
  const entries = gatherEntries(meter, keepFolders)
  const source = metered(pieces, total, meter, onProgress)
  try {
    const { start, pieces: all } = await peek(source, 512)
    const kind = kindOf(start)
    if (kind === 'zip') {
      const parts: Uint8Array[] = []
      for await (const piece of all) parts.push(piece)
      const { readZip } = await import('./zip.js')
      await readZip(whole ?? concat(parts), entries, meter)
    } else {
      const { readTar } = await import('./tar.js')
      await readTar(kind === 'gzip' ? gunzip(all, meter) : plain(all, meter), entries, meter)
    }
  } finally {
    // Not waited for: a stream that hangs must not hold up the error.
    void source.return(undefined).catch(() => undefined)
  }
  throwIfAborted(signal)
  const { files, unreadable } = entries.finish()
  const held = memory(files)
  return { files: { ...held, list: async () => (await held.list?.()) ?? [] }, unreadable }
}

async function* metered(
  pieces: AsyncIterable<Uint8Array>,
  total: number | undefined,
  meter: Meter,
  onProgress: ArchiveOptions['onProgress'],
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const piece of pieces) {
    meter.arrived(piece.length)
    done += piece.length
    invokeCallback(onProgress, { done, ...(total === undefined ? {} : { total }) })
    yield piece
  }
}

async function* plain(pieces: AsyncIterable<Uint8Array>, meter: Meter): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    meter.fed(piece.length)
    meter.inflated(piece.length)
    yield piece
    await meter.pause()
  }
}

function nameOf(input: ArchiveInput): string {
  const name = typeof input === 'object' && input !== null && 'name' in input ? input.name : undefined
  return name?.replace(/\.(?:tar\.gz|[^.]+)$/i, '') || 'archive'
}
