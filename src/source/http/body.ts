import { SkillshelfError } from '../../core/errors.js'
import { invokeCallback } from '../../core/progress.js'
import type { HttpOptions, HttpResponse } from './http.js'

export interface BodyOptions {
  url: string
  maxBytes: number
  signal: AbortSignal
  /** Gives up, and answers `undefined`, where it starts as a page does, or is empty. */
  unlessPage: boolean
  /** Called whenever a good piece has come. */
  anew(): void
  onProgress: HttpOptions['onProgress']
}

/** Bytes that a body must grow by in the time of one try. */
const STEP = 65_536
const LESS_THAN = 0x3c
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]

/**
 * A body, whole, and no longer than it may be.
 * @throws SkillshelfError `too-large`
 */
export async function readBody(
  response: HttpResponse,
  { url, maxBytes, signal, unlessPage, anew, onProgress }: BodyOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // The length is that of the encoded bytes, which nobody sees.
  const declared = response.headers.get('content-encoding') ? '' : (response.headers.get('content-length') ?? '')
  const total = /^\d+$/.test(declared) ? Number(declared) : undefined
  const parts: Uint8Array[] = []
  let done = 0
  let step = STEP
  /** Whether it is wanted. */
  const take = (part: Uint8Array): boolean => {
    if (unlessPage && done === 0 && startsAsPage(part)) return false
    done += part.length
    if (done > maxBytes) throw tooLarge(url, maxBytes)
    parts.push(part)
    invokeCallback(onProgress, { url, done, ...(total === undefined ? {} : { total }) })
    if (done < step) return true
    step = done + STEP
    anew()
    return true
  }
  const reader = response.body?.getReader?.()
  if (!reader) return take(new Uint8Array(await response.arrayBuffer())) ? concat(parts, done) : undefined

  // Not waited for: a body that hangs must not hold up what is said of it.
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  let whole = false
  try {
    if (total !== undefined && total > maxBytes) throw tooLarge(url, maxBytes)
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      if (piece.value && !take(piece.value)) return undefined
    // A body that was cancelled ends as one that is whole.
    whole = !signal.aborted
    if (!whole) throw signal.reason
    return unlessPage && done === 0 ? undefined : concat(parts, done)
  } finally {
    signal.removeEventListener('abort', cancel)
    if (!whole) cancel()
  }
}

/** What is declared to be HTML and is: `<` comes first. Scripts that forget to say what they send declare archives so, too. */
function startsAsPage(bytes: Uint8Array): boolean {
  const first = bytes.find(byte => byte > 0x20 && !BYTE_ORDER_MARK.includes(byte))
  return first === undefined || first === LESS_THAN
}

function tooLarge(url: string, maxBytes: number): SkillshelfError {
  return new SkillshelfError('too-large', `${url} is longer than ${maxBytes} bytes`, {
    subject: url,
    hint: 'where it is to be trusted, raise maxBytes',
  })
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
