import {
  asSkillshelfError,
  invalidInput,
  SkillshelfError,
  throwIfAborted,
} from '../../core/errors.js'
import { contentLength } from '../http/response.js'
import type { ByteStream } from '../source.js'

/** The used part of a `Blob` or `File`. */
export interface ByteBlob {
  readonly size: number
  readonly name?: string
  stream(): ByteStream
}

/** The used part of a `Response`. */
export interface ByteResponse {
  readonly ok: boolean
  readonly status: number
  readonly url?: string
  readonly headers: { get(name: string): string | null }
  readonly body: ByteStream | null
}

/** The bytes of an archive. A buffer is not copied: do not change it while it is read. */
export type ArchiveBytes = Uint8Array | ArrayBuffer | ByteBlob | ByteStream | ByteResponse

/** The bytes of an archive, or a function that returns them. The function is called on first use, and again after a failure. */
export type ArchiveInput =
  | ArchiveBytes
  | ((options: { signal: AbortSignal }) => ArchiveBytes | Promise<ArchiveBytes>)

export interface OpenedInput {
  /** All bytes, if they are in memory already. */
  bytes?: Uint8Array
  chunks: AsyncIterable<Uint8Array>
  /** Total bytes, if known. */
  total?: number | undefined
}

const CHUNK = 65_536

/** @throws SkillshelfError `source-failed`, `source-not-found`; `invalid-input` for an unknown kind of input */
export async function openInput(input: ArchiveInput, signal: AbortSignal): Promise<OpenedInput> {
  throwIfAborted(signal)
  let bytes: ArchiveBytes
  try {
    bytes = typeof input === 'function' ? await input({ signal }) : input
  } catch (error) {
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be opened')
  }
  throwIfAborted(signal)
  if (bytes instanceof ArrayBuffer) return openBytes(new Uint8Array(bytes))
  if (ArrayBuffer.isView(bytes)) {
    return openBytes(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  }
  if (typeof bytes === 'object' && bytes !== null) {
    if ('getReader' in bytes) return { chunks: readChunks(bytes, signal) }
    if ('stream' in bytes) return { chunks: readChunks(bytes.stream(), signal), total: bytes.size }
    if ('body' in bytes) return openResponse(bytes, signal)
  }
  throw invalidInput(
    `An archive must be bytes, not ${bytes === null ? 'null' : typeof bytes}`,
    'give a Uint8Array, ArrayBuffer, Blob, File, ReadableStream or Response, or a function that returns one',
  )
}

function openBytes(bytes: Uint8Array): OpenedInput {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let offset = 0; offset < bytes.length; offset += CHUNK) {
      yield bytes.subarray(offset, offset + CHUNK)
    }
  }
  return { bytes, chunks: chunks(), total: bytes.length }
}

async function openResponse(response: ByteResponse, signal: AbortSignal): Promise<OpenedInput> {
  const { ok, status, url, body } = response
  if (!ok) {
    const reader = body?.getReader()
    void reader?.cancel().catch(() => undefined)
    const missing = status === 404 || status === 410
    throw new SkillshelfError(
      missing ? 'source-not-found' : 'source-failed',
      `The archive could not be read: ${url || 'the server'} answered ${status}`,
      { status, ...(url ? { subject: url } : {}) },
    )
  }
  if (!body) return openBytes(new Uint8Array())
  return { chunks: readChunks(body, signal), total: contentLength(response) }
}

/** Reads a stream. The stream is canceled if the consumer stops early. */
async function* readChunks(stream: ByteStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let reader: ReturnType<ByteStream['getReader']>
  try {
    reader = stream.getReader()
  } catch (error) {
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be read', {
      hint: 'a stream can be read once: give a function that opens it',
    })
  }
  const cancel = (): void => {
    reader.cancel(signal.reason).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel, { once: true })
  let ended = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      throwIfAborted(signal)
      ended = done
      if (done) return
      if (!ArrayBuffer.isView(value)) {
        throw invalidInput(`The archive stream returned ${typeof value} instead of bytes`)
      }
      yield value
    }
  } catch (error) {
    throwIfAborted(signal)
    throw asSkillshelfError(error, 'source-failed', 'The archive could not be read')
  } finally {
    signal.removeEventListener('abort', cancel)
    // Not awaited: a hanging stream must not delay the error.
    if (!ended) void reader.cancel().catch(() => undefined)
  }
}
