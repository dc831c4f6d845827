import { derLength } from './der.js'
import { decodeBase64 } from './encoded.js'

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

/** Also in addresses and forms, where a blank is `%20` or `+`, and with the dashes of word processors. */
const MARKER =
  /(?:-{4,5}|[\u2013\u2014]{1,5})(?: |%20|\+)?(BEGIN|END)(?: |%20|\+)((?:[A-Z0-9]{1,12}(?: |%20|\+)){0,4})PRIVATE(?: |%20|\+)KEY(?:(?: |%20|\+)BLOCK)?(?: |%20|\+)?(?:-{4,5}|[\u2013\u2014]{1,5})/g
const MARKED = /PRIVATE(?: |%20|\+)KEY/
/** Characters of a block. A PGP key with many subkeys has some 50,000. */
export const MAX_BLOCK = 65_536
/** Base64 characters of the shortest key, and of its longest line: Ed25519 has 64. */
const MIN_BODY = 40
const MIN_LINE = 24
const MIN_DISTINCT = 10
/** Header lines of OpenSSL, SSH2 and PGP. */
const HEADER = /^[ \t]*[A-Za-z][A-Za-z0-9-]{2,30}: [^\n]{0,500}$/gm
/** As `cat -n` and editors show them. */
const LINE_NUMBER = /^[ \t]*\d{1,6}(?:[:|\t]|[.)] )/gm
const PLACEHOLDER = /EXAMPLE|PLACEHOLDER|YOUR_|x{6}|X{6}/

/** Finds the block of a private key in a text. @param strict A document: a key that is cut off is an example. */
export function findPrivateKey(text: string, strict: boolean): Found | undefined {
  if (!MARKED.test(text)) return undefined
  const markers = [...text.matchAll(MARKER)]
  for (const [number, { 0: marker, 1: word, 2: type = '', index }] of markers.entries()) {
    if (word !== 'BEGIN') continue
    const start = index + marker.length
    const next = markers[number + 1]
    const end = Math.min(next?.index ?? text.length, start + MAX_BLOCK)
    const block = text.slice(start, end)
    const body = next?.[1] === 'END' ? block : linesOfBase64(block)
    if (isKeyBody(body, strict)) {
      return { kind: `a private key (${type.replaceAll(/%20|\+/g, ' ')}PRIVATE KEY)`, at: index }
    }
  }
  return undefined
}

/** The start of a block without an end, as far as it is base64. */
function linesOfBase64(block: string): string {
  const lines = withLines(block).split('\n')
  const first = lines.findIndex(line => line.trim() !== '')
  const after = lines.findIndex(
    (line, number) => number > first && !/^[\s#>|*/"'`]*[A-Za-z0-9+/=]{16,}\W*$/.test(line),
  )
  return lines.slice(0, after < 0 ? undefined : after).join('\n')
}

/** True if the text between two markers can be a key. */
function isKeyBody(block: string, strict: boolean): boolean {
  const parts = withLines(block)
    .replaceAll(LINE_NUMBER, '')
    .replaceAll(HEADER, '')
    .split(/[\s#>|*"'`,;\\^]+/)
    .filter(part => !/^(?:[+.]?|\/\/)$/.test(part))
  // Dots, brackets and the like stand for a key that is left out.
  if (parts.some(part => !/^[A-Za-z0-9+/=_-]+$/.test(part))) return false
  const body = parts.join('')
  const longest = parts.reduce((most, part) => Math.max(most, part.length), 0)
  if (body.length < MIN_BODY || longest < MIN_LINE || new Set(body).size < MIN_DISTINCT) {
    return false
  }
  return !PLACEHOLDER.test(body) && !(strict && isCutOff(body))
}

/** A text whose line ends are those of a file, not the ones of JSON, HTML or an address. */
function withLines(block: string): string {
  return block
    .replaceAll(
      /(?:\\+(?:[rn]|u000[ad]))+|<\/?[a-z]{1,8} ?\/?>|&#(?:10|13|x0?[ad]);|%0[ad]/gi,
      '\n',
    )
    .replaceAll(/%(2B|2F|3D)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
}

/** True if a key in DER states a length that the body does not have. */
function isCutOff(body: string): boolean {
  const length = derLength(decodeBase64(body.slice(0, 8)))
  return length !== undefined && body.length * 0.75 < length
}
