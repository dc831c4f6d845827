import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { AbortOptions } from '../../../core/abort.js'
import { digestOfLarge } from '../../../core/digest.js'
import { SkillshelfError } from '../../../core/errors.js'
import type { TransformersOptions } from './presets.js'

type Digests = Readonly<Record<string, string>>

/** Keeps files from one load to the next, by their addresses, such as a `Cache` of the browser. */
export interface FileStore {
  match(address: string): Promise<Response | undefined>
  put(address: string, response: Response): Promise<void>
  delete(address: string): Promise<boolean>
}

/** The files of a model that is loaded. */
export interface ModelPlace {
  /** What the addresses of its files start with. */
  base: string
  /** Reads a file on this machine. Absent if the files are fetched. */
  readFile?: ((file: string) => Promise<Uint8Array<ArrayBuffer> | undefined>) | undefined
  /** Keeps what was fetched. */
  store?: FileStore | undefined
}

interface VerifiedFiles {
  fetch: typeof fetch
  cache: FileStore
  /** The error of a file with another digest. Browsers report that of a stream as a failed request. */
  refusal(): unknown
}

/**
 * The `fetch` and the cache that transformers.js gets for a model with digests, so that it creates a session only from bytes with the expected
 * digest, wherever they come from.
 *
 * Files on this machine would else be opened by their path, and those in a cache would not pass `fetch`.
 * @param options `isPinned`: a file without a digest does not exist, so that a model of the same name with more files is not loaded in part.
 */
export function verifiedFiles(
  { base, readFile, store }: ModelPlace,
  digests: Digests,
  { signal, isPinned }: AbortOptions & { isPinned: boolean },
): VerifiedFiles {
  let refusal: unknown
  const fetchVerified = verifiedFetch({ signal, digests, onRefusal: error => (refusal ??= error) })
  const fileAt = (address: string): string | undefined =>
    address.startsWith(base) ? decodeURIComponent(address.slice(base.length)) : undefined
  /** Verified bytes, which are read once. */
  const loaded = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>()
  const readVerified = (file: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const reading =
      loaded.get(file) ??
      (async () => {
        const bytes = await readFile?.(file)
        const expected = digests[file]
        if (bytes && expected !== undefined) checkDigest(file, await digestOfLarge(bytes), expected)
        return bytes
      })()
    loaded.set(file, reading)
    return reading
  }
  const isUnknown = (file: string | undefined): boolean =>
    file !== undefined && isPinned && !Object.hasOwn(digests, file)

  /** A file in the store with another digest was changed there. It is fetched again. */
  const matchStored = async (address: string, file: string): Promise<Response | undefined> => {
    const found = await store?.match(address)
    const expected = digests[file]
    if (!found || expected === undefined) return found
    const bytes = new Uint8Array(await found.arrayBuffer())
    if ((await digestOfLarge(bytes)) !== expected) {
      await store?.delete(address)
      return undefined
    }
    loaded.set(file, Promise.resolve(bytes))
    return respond(bytes)
  }

  return {
    refusal: () => refusal,
    async fetch(input, init) {
      const address = addressOf(input)
      const file = fileAt(address)
      if (isUnknown(file)) return new Response(null, { status: 404 })
      if (file === undefined || !readFile) return fetchVerified(input, init)
      const bytes = await readVerified(file)
      return bytes ? respond(bytes) : new Response(null, { status: 404 })
    },
    cache: {
      async match(address) {
        const file = fileAt(address)
        if (file === undefined) return store?.match(address)
        if (isUnknown(file)) return undefined
        // Errors are thrown by `fetch`, because transformers.js ignores those of a cache.
        const bytes = await (readFile ? readVerified(file) : loaded.get(file))?.catch(
          () => undefined,
        )
        return bytes ? respond(bytes) : matchStored(address, file)
      },
      async put(address, response) {
        const file = fileAt(address)
        if (file === undefined) return store?.put(address, response)
        // `fetch` has verified them.
        const bytes = new Uint8Array(await response.arrayBuffer())
        loaded.set(file, Promise.resolve(bytes))
        // A full or denied store is not an error.
        await store?.put(address, respond(bytes)).catch(() => undefined)
      },
      delete: async address => (await store?.delete(address)) ?? false,
    },
  }
}

function respond(bytes: Uint8Array<ArrayBuffer>): Response {
  return new Response(bytes, { headers: { 'content-length': String(bytes.length) } })
}

/** @throws SkillshelfError `model-failed` */
function checkDigest(file: string, actual: string, expected: string): void {
  if (actual !== expected) {
    throw new SkillshelfError('model-failed', `${file} does not match its digest`, {
      subject: file,
      hint: `expected ${expected}, got ${actual}`,
    })
  }
}

/**
 * Returns a `fetch` that can be canceled and that verifies files against their digests. A body is verified while it streams, so that a
 * wrong file never completes and is never cached.
 */
export function verifiedFetch({
  signal,
  digests = {},
  onRefusal,
}: AbortOptions &
  Pick<TransformersOptions, 'digests'> & { onRefusal?: (error: unknown) => void }): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...(signal ? { signal } : {}) })
    // The address that was asked for: a redirect may lead to one without the name of the file.
    const path = new URL(addressOf(input), 'http://localhost').pathname
    const [file, expected] =
      Object.entries(digests).find(([name]) => path.endsWith(`/${name}`)) ?? []
    // A part of a file is asked for to learn its size.
    if (!file || !expected || !response.ok || response.status === 206 || !response.body) {
      return response
    }
    const hash = sha256.create()
    const verified = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          hash.update(chunk)
          controller.enqueue(chunk)
        },
        flush() {
          try {
            checkDigest(file, `sha256:${bytesToHex(hash.digest())}`, expected)
          } catch (error) {
            onRefusal?.(error)
            throw error
          }
        },
      }),
    )
    const { status, statusText, headers } = response
    return new Response(verified, { status, statusText, headers })
  }
}

function addressOf(input: string | URL | Request): string {
  return typeof input === 'string' || input instanceof URL ? String(input) : input.url
}
