import { abortable, linkedController } from '../../core/abort.js'
import { concatBytes } from '../../core/bytes.js'
import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { safePath } from '../../core/paths.js'
import { invokeCallback, type OnProgress } from '../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { memory } from '../memory.js'
import type { ListableSource } from '../source.js'
import { createEntries } from './entries.js'
import { detectFormat, isSkillFile, peek } from './format.js'
import { gunzip } from './inflate.js'
import { type ArchiveInput, openInput } from './input.js'
import { type ArchiveLimits, createMeter, type Meter, resolveLimits } from './limits.js'

const loadZip = onDemand(() => import('./zip.js'))
const loadTar = onDemand(() => import('./tar.js'))

/** Options of `archive`. */
export interface ArchiveOptions {
  /** Name of the source: the first part of its skills' ids. @default The name of a `File` without its extension, or `archive`. */
  name?: string | undefined
  /** Limits on size and number of files. They protect against zip bombs. */
  limits?: ArchiveLimits | undefined
  /** Keep a single top-level folder that holds everything. @default false */
  keepFolders?: boolean | undefined
  /** Aborts the opening and every read that waits for it. The signal of a read aborts that read only. */
  signal?: AbortSignal | undefined
  /** Called for each chunk of the archive received, with phase `download` and the source's name as `item`. */
  onProgress?: OnProgress | undefined
}

const OPTIONS = {
  name: 1,
  limits: 1,
  keepFolders: 1,
  signal: 1,
  onProgress: 1,
} satisfies OptionNames<ArchiveOptions>

/**
 * Reads skills from a zip, tar.gz or tar archive, or from one SKILL.md with frontmatter.
 *
 * The format is detected from the bytes. The first `read` or `list` inflates the archive into memory. If `input` is a function, it is
 * called again after a failure.
 *
 * - A single top-level folder is removed from the paths, unless it holds a SKILL.md itself.
 * - Files that macOS adds and names that leave the archive are skipped.
 * - Links and devices are listed as unreadable.
 * - If two entries have the same path, the later one wins. Names are case-sensitive.
 *
 * `read` and `list` throw `format` for a broken archive, `unsupported` for an encrypted, split or sparse one or another archive format,
 * `too-large` beyond a limit, and `source-failed` or `source-not-found` if the bytes cannot be read.
 * @param input Bytes, `Blob`, `File`, `ReadableStream` or `Response`, or a function that returns one.
 * @throws SkillshelfError `invalid-input` for a limit that is not a non-negative number
 * @example
 * ```ts
 * const library = await openLibrary(archive(() => fetch('/skills.zip')))
 * ```
 */
export function archive(input: ArchiveInput, options: ArchiveOptions = {}): ListableSource {
  checkOptionNames(options, OPTIONS)
  const limits = resolveLimits(options.limits)
  const name = options.name ?? archiveName(input)
  const { controller, unlink } = linkedController(options.signal)
  let closed = false
  let opening: Promise<ListableSource> | undefined

  const open = async (signal: AbortSignal | undefined): Promise<ListableSource> => {
    throwIfAborted(signal)
    if (closed) throw closedError()
    opening ??= readArchive(input, { ...options, limits, name, signal: controller.signal }).catch(
      error => {
        // A stream cannot be read twice, so its failure is final.
        if (typeof input === 'function') opening = undefined
        throw closed ? closedError() : error
      },
    )
    return abortable(opening, signal)
  }

  return {
    name,
    // An answer waits for the whole archive. Its requests have timeouts.
    timeout: Number.POSITIVE_INFINITY,
    async read(path, reading = {}) {
      const safe = safePath(path)
      return (await open(reading.signal)).read(safe, reading)
    },
    async list({ signal } = {}) {
      return (await open(signal)).list()
    },
    async close() {
      closed = true
      unlink()
      controller.abort()
      opening = undefined
    },
  }
}

function closedError(): SkillshelfError {
  return new SkillshelfError('closed', 'The archive was closed')
}

interface ReadArchiveOptions extends Pick<ArchiveOptions, 'keepFolders' | 'onProgress'> {
  limits: Required<ArchiveLimits>
  /** Name of the source, for progress. */
  name: string
  signal: AbortSignal
}

async function readArchive(
  input: ArchiveInput,
  { keepFolders, onProgress, limits, name, signal }: ReadArchiveOptions,
): Promise<ListableSource> {
  const { bytes, chunks, total } = await openInput(input, signal)
  const meter = createMeter(limits, signal)
  const entries = createEntries(meter, keepFolders)
  const received = countReceived(chunks, meter, done =>
    invokeCallback(onProgress, { phase: 'download', done, total, item: name }),
  )
  try {
    const { start, chunks: all } = await peek(received, 512)
    const format = detectFormat(start)
    if (format === 'zip') {
      const packed = await collect(all)
      const { readZip } = await loadZip()
      await readZip(bytes ?? packed, entries, meter)
    } else if (format === 'tar' && isSkillFile(start)) {
      entries.put('SKILL.md', await collect(countPlain(all, meter)))
    } else {
      const { readTar } = await loadTar()
      await readTar(format === 'gzip' ? gunzip(all, meter) : countPlain(all, meter), entries, meter)
    }
  } finally {
    // Not awaited: a hanging stream must not delay the error.
    void received.return(undefined).catch(() => undefined)
  }
  throwIfAborted(signal)
  const { files, unreadable } = entries.finish()
  const readable = memory(files)
  return { ...readable, list: async () => [...(await readable.list()), ...unreadable] }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return concatBytes(parts)
}

async function* countReceived(
  chunks: AsyncIterable<Uint8Array>,
  meter: Meter,
  onReceived: (done: number) => void,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const chunk of chunks) {
    meter.received(chunk.length)
    done += chunk.length
    onReceived(done)
    yield chunk
  }
}

async function* countPlain(
  chunks: AsyncIterable<Uint8Array>,
  meter: Meter,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    meter.deflated(chunk.length)
    meter.inflated(chunk.length)
    yield chunk
    await meter.pause()
  }
}

function archiveName(input: ArchiveInput): string {
  const name =
    typeof input === 'object' && input !== null && 'name' in input ? input.name : undefined
  return name?.replace(/\.(?:tar\.gz|[^.]+)$/i, '') || 'archive'
}
