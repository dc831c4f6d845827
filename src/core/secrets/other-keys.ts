import { derContent, derKey } from './der.js'
import type { Found } from './private-keys.js'

/** Private keys that are no blocks: JWK, age, PuTTY and others, and those in binary files. */

/** A format with a mark of its own. */
interface KeyFormat {
  kind: string
  /** Searched first, because that is fast. */
  start: string
  /** What the text has from there, within `WINDOW` characters. */
  rest: RegExp
  /** Documents show examples of it. */
  isOftenShown?: boolean
}

/** Characters after a mark that are examined. */
const WINDOW = 8_192
const FORMATS: readonly KeyFormat[] = [
  {
    kind: 'a private key of age',
    start: 'AGE-SECRET-KEY-1',
    rest: /^AGE-SECRET-KEY-1[0-9A-Z]{58}/,
  },
  {
    kind: 'a private key of PuTTY',
    start: 'PuTTY-User-Key-File-',
    rest: /^Private-Lines: \d/m,
  },
  {
    kind: 'a private key of minisign or signify',
    start: 'untrusted comment: ',
    rest: /^[^\n]{0,200}secret key\r?\n[A-Za-z0-9+/]{40}/,
  },
  {
    kind: 'a key of OpenVPN',
    start: '-----BEGIN OpenVPN Static key',
    rest: /^[^\n]{0,60}-----\s{1,4}(?:[0-9a-f]{32}\s{1,4}){8}/,
  },
  {
    kind: 'a private key of DNSSEC',
    start: 'Private-key-format: v',
    rest: /^Private(?:Key|Exponent): [A-Za-z0-9+/]{40}/m,
  },
  {
    kind: 'a private key of WireGuard',
    start: '[Interface]',
    rest: /^\s{0,20}PrivateKey\s{0,5}=\s{0,5}[A-Za-z0-9+/]{43}=/m,
    isOftenShown: true,
  },
]

/** A key in JSON (JWK) or the like has a type, and a member `d`, or `k` if it is secret as a whole. */
const JWK_TYPE = /\bkty["'\\]{0,8}\s{0,10}[:=]\s{0,10}["'\\]{0,8}(?:RSA|EC|OKP|oct)\b/g
const JWK_SECRET =
  /(?<![A-Za-z0-9_])[dk]["'\\]{0,8}\s{0,10}[:=]\s{0,10}["'\\]{0,8}[A-Za-z0-9_-]{40,}(?![A-Za-z0-9_+/-])/g
const MAX_JWKS = 1_000
/** Characters between the two. A chain of certificates may stand there. */
const JWK_WINDOW = 32_768

/** Finds a private key in a text. @param strict A document, which may show what a key looks like. */
export function findOtherKey(text: string, strict: boolean): Found | undefined {
  for (const { kind, start, rest, isOftenShown } of FORMATS) {
    if (strict && isOftenShown) continue
    const at = text.indexOf(start)
    if (at >= 0 && rest.test(text.slice(at, at + WINDOW))) return { kind, at }
  }
  return text.includes('kty') ? findJwk(text) : undefined
}

function findJwk(text: string): Found | undefined {
  // S6: not each key with each secret of a long list.
  const types = [...text.matchAll(JWK_TYPE)].slice(0, MAX_JWKS)
  if (types.length === 0) return undefined
  for (const { index } of [...text.matchAll(JWK_SECRET)].slice(0, MAX_JWKS)) {
    const type = types.find(one => Math.abs(one.index - index) < JWK_WINDOW)
    if (type) return { kind: 'a private key (JWK)', at: type.index }
  }
  return undefined
}

/** Extensions of files that hold one key, without a format. */
const KEY_FILE = /\.(?:key|sk|priv|private|secret)$/i
const RAW_KEY = /^(?:[0-9a-f]{64}|[0-9a-f]{128}|[A-Za-z0-9+/_-]{43}=?|[A-Za-z0-9+/_-]{86}={0,2})$/i
const RAW_BYTES = [32, 64]

/** A key in a binary format, or without one. `name`: of the file. */
export function binaryKey(name: string, bytes: Uint8Array): string | undefined {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const starts = (...values: number[]): boolean =>
    values.every((value, index) => bytes[index] === value)
  if (starts(0xfe, 0xed, 0xfe, 0xed) && /^(?:jks|keystore|jceks)$/.test(extension)) {
    return 'a Java keystore'
  }
  if (starts(0x03, 0xd9, 0xa2, 0x9a)) return 'a KeePass database'
  // A secret key of OpenPGP, version 4 or later.
  if (/^(?:gpg|pgp|skr|key)$/.test(extension) && starts(0x95) && (bytes[3] ?? 0) >= 4) {
    return 'a private key (OpenPGP)'
  }
  if (startsWithText(bytes, '== ed25519v1-secret')) return 'a private key of Tor'
  if (KEY_FILE.test(name) && isRawKey(bytes)) return 'a private key'
  return (
    derKey(bytes) ??
    (/^(?:p12|pfx|key|pem|der|p8|pk8)$/.test(extension) ? shortDerKey(bytes) : undefined)
  )
}

/** A key in DER of which only the start is there. */
function shortDerKey(bytes: Uint8Array): string | undefined {
  if (bytes[0] !== 0x30) return undefined
  const content = derContent(bytes)
  const isInteger = (value: number): boolean =>
    content[0] === 0x02 && content[1] === 0x01 && content[2] === value
  if (isInteger(3)) return 'a key store (PKCS #12)'
  // PKCS #8 and PKCS #1 start with version 0, SEC 1 with version 1.
  const isKey = isInteger(0) || (isInteger(1) && content[3] === 0x04)
  return isKey ? 'a private key (DER)' : undefined
}

/** 32 or 64 bytes, in hex or base64 if they are text. */
function isRawKey(bytes: Uint8Array): boolean {
  if (bytes.length > 256) return false
  const text = String.fromCharCode(...bytes).trim()
  if (new Set(bytes).size < 10) return false
  return RAW_KEY.test(text) || (RAW_BYTES.includes(bytes.length) && /[^\x20-\x7e\s]/.test(text))
}

function startsWithText(bytes: Uint8Array, text: string): boolean {
  return [...text].every((one, index) => bytes[index] === one.charCodeAt(0))
}
