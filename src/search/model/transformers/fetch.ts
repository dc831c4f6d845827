import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { SkillshelfError } from '../../../core/errors.js'

export interface VerifiedFetchOptions {
  signal?: AbortSignal | undefined
  /** `sha256:` digests by the path of a file within the model. */
  digests?: Readonly<Record<string, string>> | undefined
}

/**
 * Returns a `fetch` that can be canceled and that verifies files against their digests. A body is verified while it streams, so that a
 * wrong file never completes and is never cached.
 */
export function verifiedFetch({ signal, digests = {} }: VerifiedFetchOptions): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...(signal ? { signal } : {}) })
    const path = new URL(response.url || String(input), 'http://localhost').pathname
    const [file, expected] = Object.entries(digests).find(([name]) => path.endsWith(`/${name}`)) ?? []
    if (!file || !expected || !response.ok || !response.body) return response
    const hash = sha256.create()
    const verified = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          hash.update(chunk)
          controller.enqueue(chunk)
        },
        flush(controller) {
          const actual = `sha256:${bytesToHex(hash.digest())}`
          if (actual !== expected)
            controller.error(
              new SkillshelfError('model-failed', `${file} does not match its digest`, {
                subject: file,
                hint: `expected ${expected}, got ${actual}`,
              }),
            )
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(verified, { status, statusText, headers })
  }
}
