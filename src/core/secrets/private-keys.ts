/**
 * Private keys, by their shape.
 *
 * A block counts if its body is one: base64 of some length between its two markers. Documentation that shows the markers with dots, words
 * or a few letters between them does not.
 */

/** A match in a text. */
export interface Found {
  kind: string
  /** Position in the text. */
  at: number
}

const MARKER = /-{4,5} ?(BEGIN|END) ([A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)? ?-{4,5}/g
/** Base64 of `-----BEGIN`, as in a kubeconfig. */
const ENCODED_MARKER = 'LS0tLS1CRUdJTi'
/** Characters of a block. A PGP key with many subkeys has some 50,000. */
export const MAX_BLOCK = 65_536
/** Base64 characters of the shortest key, and of its longest line: Ed25519 has 64. */
const MIN_BODY = 40
const MIN_LINE = 24
const MIN_DISTINCT = 10
/** Header lines of OpenSSL, SSH2 and PGP. */
const HEADER = /^[ \t]*[A-Za-z][A-Za-z0-9-]{2,30}: [^\n]{0,500}$/gm
const PLACEHOLDER = /EXAMPLE|PLACEHOLDER|YOUR_|x{6}|X{6}/

const AGE = /AGE-SECRET-KEY-1[0-9A-Z]{58}/
const PUTTY = 'PuTTY-User-Key-File-'
const PUTTY_SECRET = /^Private-Lines: \d/m
/** A private key in JSON (JWK) has a member `d`. */
const JWK_TYPE = /"kty"\s{0,10}:\s{0,10}"(?:RSA|EC|OKP)"/g
const JWK_SECRET = /"d"\s{0,10}:\s{0,10}"[A-Za-z0-9_-]{40,}"/
const MAX_JWKS = 1_000
/** Characters around a mark that are examined. */
const WINDOW = 8_192

/** Finds a private key in a text. @param strict A document: a key that is cut off is an example. */
export function findPrivateKey(text: string, strict: boolean): Found | undefined {
  return findBlock(text, strict) ?? findEncodedBlock(text, strict) ?? findOtherKey(text)
}

function findBlock(text: string, strict: boolean): Found | undefined {
  if (!text.includes('PRIVATE KEY')) return undefined
  const markers = [...text.matchAll(MARKER)]
  for (const [number, { 0: marker, 1: word, 2: type = '', index }] of markers.entries()) {
    if (word !== 'BEGIN') continue
    const start = index + marker.length
    const next = markers[number + 1]
    const end = Math.min(next?.index ?? text.length, start + MAX_BLOCK)
    const block = text.slice(start, end)
    const body = next?.[1] === 'END' ? block : linesOfBase64(block)
    if (isKeyBody(body, strict)) {
      return { kind: `a private key (${`${type}PRIVATE KEY`.trim()})`, at: index }
    }
  }
  return undefined
}

/** The start of a block without an end, as far as it is base64. */
function linesOfBase64(block: string): string {
  const lines = block.replaceAll(/(?:\\+[rn])+/g, '\n').split('\n')
  const first = lines.findIndex(line => line.trim() !== '')
  const after = lines.findIndex(
    (line, number) => number > first && !/^[\s#>|*/"'`]*[A-Za-z0-9+/=]{16,}\W*$/.test(line),
  )
  return lines.slice(0, after < 0 ? undefined : after).join('\n')
}

/** True if the text between two markers can be a key. */
function isKeyBody(block: string, strict: boolean): boolean {
  const plain = block.replaceAll(/(?:\\+[rn])+/g, '\n').replaceAll(HEADER, '')
  const parts = plain
    .split(/[\s#>|*"'`,;\\]+/)
    .filter(part => part !== '' && part !== '+' && part !== '//')
  // Dots, brackets and the like stand for a key that is left out.
  if (parts.some(part => !/^[A-Za-z0-9+/=_-]+$/.test(part))) return false
  const body = parts.join('')
  const longest = parts.reduce((most, part) => Math.max(most, part.length), 0)
  if (body.length < MIN_BODY || longest < MIN_LINE || new Set(body).size < MIN_DISTINCT) {
    return false
  }
  return !PLACEHOLDER.test(body) && !(strict && isCutOff(body))
}

/** True if a key in DER states a length that the body does not have. */
function isCutOff(body: string): boolean {
  const [tag, length = 0, high = 0, low = 0] = decodeBase64(body.slice(0, 8))
  if (tag !== 0x30) return false
  const stated =
    length < 0x80 ? length : length === 0x81 ? high : length === 0x82 ? high * 256 + low : 0
  return body.length * 0.75 < stated
}

/** Finds a block that is base64 as a whole. */
function findEncodedBlock(text: string, strict: boolean): Found | undefined {
  for (let at = text.indexOf(ENCODED_MARKER); at >= 0; at = text.indexOf(ENCODED_MARKER, at + 1)) {
    const encoded = /^[A-Za-z0-9+/]*/.exec(text.slice(at, at + MAX_BLOCK))?.[0] ?? ''
    const decoded = String.fromCharCode(...decodeBase64(encoded.slice(0, 4_096)))
    const found = decoded.includes('PRIVATE KEY') && findBlock(decoded, strict)
    if (found) return { kind: `${found.kind} in base64`, at }
    at += encoded.length
  }
  return undefined
}

function findOtherKey(text: string): Found | undefined {
  const age = text.includes('AGE-SECRET-KEY-1') && AGE.exec(text)
  if (age) return { kind: 'a private key of age', at: age.index }
  const putty = text.indexOf(PUTTY)
  if (putty >= 0 && PUTTY_SECRET.test(text.slice(putty, putty + WINDOW))) {
    return { kind: 'a private key of PuTTY', at: putty }
  }
  if (!text.includes('"kty"')) return undefined
  let examined = 0
  for (const { index } of text.matchAll(JWK_TYPE)) {
    // S6: the windows of many keys overlap.
    if (++examined > MAX_JWKS) break
    const before =
      text
        .slice(Math.max(0, index - WINDOW), index)
        .split(/[{}]/)
        .at(-1) ?? ''
    const after = text.slice(index, index + WINDOW).split('}')[0] ?? ''
    if (JWK_SECRET.test(before) || JWK_SECRET.test(after)) {
      return { kind: 'a private key (JWK)', at: index }
    }
  }
  return undefined
}

/** Bytes of base64, without those of an incomplete group. */
function decodeBase64(text: string): number[] {
  return [...atob(text.slice(0, text.length - (text.length % 4)).replaceAll(/[=_-]/g, 'A'))].map(
    one => one.charCodeAt(0),
  )
}

/** A key in a binary format, by the file's first bytes. `name`: of the file. */
export function binaryKey(name: string, bytes: Uint8Array): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const starts = (...values: number[]): boolean =>
    values.every((value, index) => bytes[index] === value)
  if (starts(0xfe, 0xed, 0xfe, 0xed) && /^(?:jks|keystore|jceks)$/.test(extension)) {
    return 'a Java keystore'
  }
  if (starts(0x03, 0xd9, 0xa2, 0x9a)) return 'a KeePass database'
  if (!starts(0x30) || !/^(?:p12|pfx|key|pem|der|p8|pk8)$/.test(extension)) return undefined
  const content = derContent(bytes)
  const isInteger = (value: number): boolean =>
    content[0] === 0x02 && content[1] === 0x01 && content[2] === value
  if (isInteger(3)) return 'a key store (PKCS #12)'
  // PKCS #8 and PKCS #1 start with version 0, SEC 1 with version 1. Certificates and public keys start with a sequence.
  if (isInteger(0) || (isInteger(1) && content[3] === 0x04)) return 'a private key (DER)'
  return undefined
}

/** What the outer sequence of DER holds, as far as its first bytes. */
function derContent(bytes: Uint8Array): Uint8Array {
  const length = bytes[1] ?? 0
  const skip = length < 0x80 ? 2 : 2 + (length & 0x7f)
  return bytes.subarray(skip, skip + 8)
}
