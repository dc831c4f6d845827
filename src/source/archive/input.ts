import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../../core/errors.js'

/** What is used of a stream of bytes: any platform's `ReadableStream` fits. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(reason?: unknown): Promise<unknown>
  }
}

/** What is used of a `Blob` or `File`. */
export interface ByteBlob {
  readonly size: number
  readonly name?: string
  stream(): ByteStream
}

/** What is used of a `Response`. */
export interface ByteResponse {
  readonly ok: boolean
  readonly status: number
  readonly url?: string
  readonly headers: { get(name: string): string | null }
  readonly body: ByteStream | null
}

/** The bytes of an archive. They are not copied: leave a buffer as it is while it is being read. */
export type ArchiveBytes = Uint8Array | ArrayBuffer | ByteBlob | ByteStream | ByteResponse

/** The bytes, or how to get at them when they are first needed, and again after a failure. */
export type ArchiveInput = ArchiveBytes | ((options: { signal: AbortSignal }) => ArchiveBytes | Promise<ArchiveBytes>)

/** An archive that was opened: all of it, or piece after piece. */
export interface Opened {
  whole?: Uint8Array
  pieces: AsyncIterable<Uint8Array>
  /** Bytes, where it is known. */
  total?: number
}

const PIECE = 65_536

/**
 * @throws SkillshelfError `source-failed`, `source-not-found` where the bytes cannot be had, `invalid-input` where there are none
 */
export async function openInput(input: ArchiveInput, signal: AbortSignal): Promise<Opened> {
  throwIfAborted(signal)
  let bytes: ArchiveBytes
  try {
    bytes = typeof input === 'function' ? await input({ signal }) : input
  } catch (error) {
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be opened')
  }
  throwIfAborted(signal)
  if (bytes instanceof ArrayBuffer) return inMemory(new Uint8Array(bytes))
  if (ArrayBuffer.isView(bytes)) return inMemory(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  if (typeof bytes === 'object' && bytes !== null) {
    if ('getReader' in bytes) return { pieces: piecesOf(bytes, signal) }
    if ('stream' in bytes) return { pieces: piecesOf(bytes.stream(), signal), total: bytes.size }
    if ('body' in bytes) return ofResponse(bytes, signal)
  }
  throw new SkillshelfError('invalid-input', `An archive is bytes, not ${bytes === null ? 'null' : typeof bytes}`, {
    hint: 'give a Uint8Array, an ArrayBuffer, a Blob or File, a ReadableStream, a Response, or a function that gives one',
  })
}

function inMemory(whole: Uint8Array): Opened {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < whole.length; at += PIECE) yield whole.subarray(at, at + PIECE)
  }
  return { whole, pieces: pieces(), total: whole.length }
}

async function ofResponse(response: ByteResponse, signal: AbortSignal): Promise<Opened> {
  const { ok, status, url, headers, body } = response
  if (!ok) {
    void body
      ?.getReader()
      .cancel()
      .catch(() => undefined)
    const gone = status === 404 || status === 410
    throw new SkillshelfError(
      gone ? 'source-not-found' : 'source-failed',
      `The archive: ${url || 'the server'} answered ${status}`,
      {
        status,
        ...(url ? { subject: url } : {}),
      },
    )
  }
  if (!body) return inMemory(new Uint8Array())
  // The length is that of the encoded bytes, which nobody sees.
  const length = headers.get('content-encoding') ? '' : (headers.get('content-length') ?? '')
  return { pieces: piecesOf(body, signal), ...(/^\d+$/.test(length) ? { total: Number(length) } : {}) }
}

/** Whoever stops in the middle, for whatever reason, ends the stream as well. */
async function* piecesOf(stream: ByteStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let reader: ReturnType<ByteStream['getReader']>
  try {
    reader = stream.getReader()
  } catch (error) {
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be read', {
      hint: 'a stream is read once: give a function that opens it',
    })
  }
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  let ended = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      throwIfAborted(signal)
      ended = done
      if (done) return
      if (!ArrayBuffer.isView(value))
        throw new SkillshelfError('invalid-input', `The stream of the archive gave ${typeof value}, not bytes`)
      yield value
    }
  } catch (error) {
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be read')
  } finally {
    signal.removeEventListener('abort', stop)
    // Not waited for: a stream that hangs must not hold up the error.
    if (!ended) void reader.cancel().catch(() => undefined)
  }
}
