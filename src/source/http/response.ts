import { concatBytes } from '../../core/bytes.js'
import { SkillshelfError } from '../../core/errors.js'
import { invokeCallback } from '../../core/progress.js'
import type { HttpOptions, HttpResponse } from './options.js'

export interface BodyOptions extends Pick<HttpOptions, 'maxBytes' | 'onProgress'> {
  url: string
  signal: AbortSignal
  /** Return `undefined` for a body that is empty or starts like an HTML page. */
  rejectPages?: boolean | undefined
  /** Called after every 64 KiB received. */
  restartTimeout(): void
}

export const MAX_BYTES = 256 * 1024 * 1024
/** Bytes that must arrive within one timeout. */
const TIMEOUT_STEP = 65_536
const LESS_THAN = 0x3c
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/** Reads a body into memory. @throws SkillshelfError `too-large` if the body is longer than `maxBytes` */
export async function readBody(
  response: HttpResponse,
  { url, maxBytes = MAX_BYTES, signal, rejectPages, restartTimeout, onProgress }: BodyOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const total = contentLength(response)
  const chunks: Uint8Array[] = []
  let done = 0
  let step = TIMEOUT_STEP
  /** Returns false if the body is rejected. */
  const add = (chunk: Uint8Array): boolean => {
    if (rejectPages && done === 0 && startsLikePage(chunk)) return false
    done += chunk.length
    if (done > maxBytes) throw tooLarge(url, maxBytes)
    chunks.push(chunk)
    invokeCallback(onProgress, { phase: 'download', done, total, item: url })
    if (done >= step) {
      step = done + TIMEOUT_STEP
      restartTimeout()
    }
    return true
  }
  const reader = response.body?.getReader?.()
  if (!reader) {
    return add(new Uint8Array(await response.arrayBuffer())) ? concatBytes(chunks) : undefined
  }

  // Not awaited: a hanging stream must not delay the error.
  const cancel = (): void => {
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', cancel, { once: true })
  let complete = false
  try {
    if (total !== undefined && total > maxBytes) throw tooLarge(url, maxBytes)
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value && !add(next.value)) return undefined
    }
    // A canceled stream ends like a complete one.
    complete = !signal.aborted
    if (!complete) throw signal.reason
    return rejectPages && done === 0 ? undefined : concatBytes(chunks)
  } finally {
    signal.removeEventListener('abort', cancel)
    if (!complete) cancel()
  }
}

/** The media type alone is not enough: some servers label archives as HTML. */
function startsLikePage(bytes: Uint8Array): boolean {
  const first = bytes.find(byte => byte > 0x20 && !BYTE_ORDER_MARK.includes(byte))
  return first === undefined || first === LESS_THAN
}

/** The error of a response that is longer than `maxBytes`. */
export function tooLarge(url: string, maxBytes: number): SkillshelfError {
  return new SkillshelfError('too-large', `${url} is longer than ${maxBytes} bytes`, {
    subject: url,
    hint: 'raise `maxBytes` if you trust it',
  })
}

/** The range that a response holds: `undefined` for the whole file, `'unknown'` if not satisfiable, not declared, or hidden by CORS. */
export function contentRange({
  status,
  headers,
}: HttpResponse): { offset: number; total: number } | 'unknown' | undefined {
  if (status !== 206 && status !== 416) return undefined
  const [, offset, total] =
    (status === 206 && /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get('content-range') ?? '')) || []
  return offset === undefined ? 'unknown' : { offset: Number(offset), total: Number(total) }
}

/** The declared bytes of a body. `undefined` for an encoded body, whose length is that of the encoded bytes. */
export function contentLength({ headers }: Pick<HttpResponse, 'headers'>): number | undefined {
  const length = headers.get('content-encoding') ? '' : (headers.get('content-length') ?? '')
  return /^\d+$/.test(length) ? Number(length) : undefined
}

/** The declared media type in lower case, without parameters. */
export function mediaTypeOf({ headers }: HttpResponse): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() || undefined
}
