/** Private keys in DER, the binary form of PEM, by their structure. */

/** How the content of a key starts, in hex. Certificates, requests and public keys start with a sequence, and another identifier. */
const KEYS: readonly RegExp[] = [
  // PKCS #8, and its second version, which has the public key too.
  /^02010030(?:..|81..|82....)06/,
  /^020101300506032b65/,
  // PKCS #1 and SEC 1.
  /^02010002(?:4.|81..|82....)/,
  /^02010104(?:14|1c|20|30|42)/,
  // PKCS #8 with a passphrase, by the identifiers of PKCS #5 and PKCS #12.
  /^30(?:..|81..|82....)06(?:092a864886f70d0105|0a2a864886f70d010c01)/,
]
const PKCS_12 = /^02010330(?:..|8[0-4].{0,8})06092a864886f70d0107/
/** Bytes of the shortest key, and those that tell what it is. */
const MIN_BYTES = 46
const START = 40

/** Length of the outer sequence with its header. `undefined`: it is none, or has no definite length. */
export function derLength(bytes: ArrayLike<number>): number | undefined {
  const [tag, length = 0, high = 0, low = 0] = Array.from(bytes).slice(0, 4)
  if (tag !== 0x30) return undefined
  if (length < 0x80) return length + 2
  if (length === 0x81) return high + 3
  return length === 0x82 ? high * 256 + low + 4 : undefined
}

/** What a key in DER is. @param bytes At least its start. @param available Bytes that it may have. A key that is cut off is none. */
export function derKey(
  bytes: Uint8Array,
  available: number = bytes.length,
): 'a private key (DER)' | 'a key store (PKCS #12)' | undefined {
  if (bytes[0] !== 0x30) return undefined
  const start = hex(bytes.subarray(contentStart(bytes), START))
  if (PKCS_12.test(start)) return 'a key store (PKCS #12)'
  const length = derLength(bytes)
  if (length === undefined || length < MIN_BYTES || length > available) return undefined
  return KEYS.some(shape => shape.test(start)) ? 'a private key (DER)' : undefined
}

/** What the outer sequence holds, as far as its first bytes. */
export function derContent(bytes: Uint8Array): Uint8Array {
  const start = contentStart(bytes)
  return bytes.subarray(start, start + 8)
}

function contentStart(bytes: Uint8Array): number {
  const length = bytes[1] ?? 0
  return length < 0x80 ? 2 : 2 + (length & 0x7f)
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
