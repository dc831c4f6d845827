import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** SHA-256 as `sha256:` and 64 lowercase hex digits. Synchronous, and works in insecure contexts, where WebCrypto is missing. */
export function digestOf(data: Uint8Array | string): string {
  return `sha256:${bytesToHex(sha256(typeof data === 'string' ? new TextEncoder().encode(data) : data))}`
}

/** As `digestOf`, with WebCrypto where available: about ten times faster for large files. */
export async function digestOfLarge(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle
  return subtle
    ? `sha256:${bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes)))}`
    : digestOf(bytes)
}

/** As `digestOfLarge`, with LF for CRLF in text, which has no NUL: a checkout on Windows has the same digest. */
export async function digestOfLines(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return digestOfLarge(withoutReturns(bytes))
}

function withoutReturns(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const [feed, carriageReturn] = [0x0a, 0x0d]
  if (!bytes.includes(carriageReturn) || bytes.includes(0)) return bytes
  return bytes.filter((byte, at) => byte !== carriageReturn || bytes[at + 1] !== feed)
}

/** Characters of a digest. */
export const DIGEST_LENGTH = 'sha256:'.length + 64

/** True for a string that `digestOf` could have returned. */
export function isDigest(value: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(value)
}

/** Cheap check for thousands of digests. The hex digits are checked when the file is read. */
export function looksLikeDigest(value: unknown): value is string {
  return typeof value === 'string' && value.length === DIGEST_LENGTH && value.startsWith('sha256:')
}

/** The first 8 bytes of a digest as 16 hex digits: the name of a packed file. */
export function shortDigest(digest: string): string {
  return digest.slice(7, 23)
}
