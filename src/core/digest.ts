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

/** True for a string that `digestOf` could have returned. */
export function isDigest(value: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(value)
}

/** The first 8 bytes of a digest as 16 hex digits: the name of a packed file. */
export function shortDigest(digest: string): string {
  return digest.slice(7, 23)
}
