import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { SkillshelfError } from '../../core/errors.js'

export interface Fetching {
  signal?: AbortSignal | undefined
  digests?: Readonly<Record<string, string>> | undefined
}

/**
 * `fetch` that can be cancelled, and that fails where a file is not what its digest says. The body is checked while it streams,
 * so that a wrong file never ends up in a cache.
 */
export function fetchChecked({ signal, digests = {} }: Fetching): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...(signal ? { signal } : {}) })
    const path = new URL(response.url || String(input), 'http://localhost').pathname
    const [file, digest] = Object.entries(digests).find(([name]) => path.endsWith(`/${name}`)) ?? []
    if (!file || !digest || !response.ok || !response.body) return response
    const hash = sha256.create()
    const checked = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          hash.update(chunk)
          controller.enqueue(chunk)
        },
        flush(controller) {
          const found = `sha256:${bytesToHex(hash.digest())}`
          if (found !== digest)
            controller.error(
              new SkillshelfError('model-failed', `${file} is not the file that was asked for`, {
                subject: file,
                hint: `its digest is ${found}, expected ${digest}`,
              }),
            )
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(checked, { status, statusText, headers })
  }
}
