import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

/** `sha256:` and 64 lower-case hex digits. Synchronous, and the same on pages that are no secure context, where WebCrypto is missing. */
export function digestOf(data: Uint8Array | string): string {
  return `sha256:${bytesToHex(sha256(typeof data === 'string' ? new TextEncoder().encode(data) : data))}`
}

/** As `digestOf`, by the platform's own code where it has some: ten times faster, for what may be large. */
export async function digestOfLarge(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle
  return subtle ? `sha256:${bytesToHex(new Uint8Array(await subtle.digest('SHA-256', bytes)))}` : digestOf(bytes)
}

/** The first 8 bytes of a digest as 16 hex digits: the name of a packed file. */
export function shortDigest(digest: string): string {
  return digest.slice(7, 23)
}
