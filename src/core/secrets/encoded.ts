import { fromBase64 } from '../base64.js'
import { derKey } from './der.js'

/** What a text holds in base64: keys without their markers, and texts, such as the values of a Kubernetes secret. */

/** A run of base64. */
export interface EncodedPart {
  /** Position in the text. */
  at: number
  /** What it is as a whole. */
  key?: string
  /** What it says. */
  text?: string
}

/** Also base64url, and runs of lines, such as those of `base64`: indented, quoted, or with the line ends of JSON. */
const RUN =
  /[A-Za-z0-9+/_-]{40,}={0,2}(?:(?:\\r|\r)?(?:\\n|\n)[ \t>#*"'`]{0,16}[A-Za-z0-9+/_-]{4,}={0,2})*/g
const BETWEEN = /\\[rn]|[^A-Za-z0-9+/_-]/g
/** Characters that tell whether it is a key or a text. */
const START = 88
/** No text has these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
/** Of the start of a text, so many characters are ASCII at least. */
const MIN_ASCII = 0.6

/** Finds keys and texts in base64. In linear time. */
export function* encodedParts(text: string): Generator<EncodedPart> {
  for (const { 0: run, index } of text.matchAll(RUN)) {
    // The first line, which tells whether the rest is worth it.
    const start = decodeBase64(run.slice(0, START).replaceAll(BETWEEN, ''))
    if (start[0] !== 0x30 && !looksLikeText(start)) continue
    const encoded = run.replaceAll(BETWEEN, '')
    const key = derKey(start, Math.floor(encoded.length * 0.75))
    if (key !== undefined) yield { at: index, key }
    else if (looksLikeText(start)) {
      yield { at: index, text: new TextDecoder().decode(decodeBase64(encoded)) }
    }
  }
}

function looksLikeText(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes)
  return (
    !CONTROL.test(start) &&
    start.replaceAll(/[\u0080-\u00ff]/g, '').length >= MIN_ASCII * start.length
  )
}

/** Bytes of base64 or base64url, without those of an incomplete group. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', 'A')
  return fromBase64(plain.slice(0, plain.length - (plain.length % 4)))
}
