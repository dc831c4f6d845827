import { fromBase64, toBase64 } from '../../core/base64.js'
import { digestOf, digestOfLarge } from '../../core/digest.js'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { joinCatalog, splitCatalog } from '../catalog/catalog-bytes.js'

const ALGORITHM = 'Ed25519'
/** What a public key in SPKI starts with; its 32 bytes follow. */
const SPKI_START = Uint8Array.of(
  0x30,
  0x2a,
  0x30,
  0x05,
  0x06,
  0x03,
  0x2b,
  0x65,
  0x70,
  0x03,
  0x21,
  0x00,
)
const PEM = { 'PUBLIC KEY': 'spki', 'PRIVATE KEY': 'pkcs8' } as const
const MAX_SIGNATURES = 8
const MAX_REVISION = 1e15

type Bytes = Uint8Array<ArrayBuffer>
type PemLabel = keyof typeof PEM

/** A key, and the name that people and `seenRevisions` know it by: 16 hex digits of the digest of its public half. */
export interface Key {
  id: string
  key: CryptoKey
}

/** The signatures of a catalog. */
interface Signed {
  revision: number
  /** Seconds since 1970. */
  expires?: number
  signatures: { key: string; signature: string }[]
}

/** A new pair of keys in PEM. */
export async function createKeys(): Promise<{ id: string; privateKey: string; publicKey: string }> {
  const subtle = webCrypto()
  const pair = await supported(() => generatePair(subtle))
  const spki = new Uint8Array(await subtle.exportKey('spki', pair.publicKey))
  const pkcs8 = new Uint8Array(await subtle.exportKey('pkcs8', pair.privateKey))
  return {
    id: keyId(spki),
    privateKey: toPem('PRIVATE KEY', pkcs8),
    publicKey: toPem('PUBLIC KEY', spki),
  }
}

/** WebKitGTK cannot make one pair in 130: then another is made. */
async function generatePair(subtle: SubtleCrypto, attempts = 4): Promise<CryptoKeyPair> {
  try {
    return await subtle.generateKey({ name: ALGORITHM }, true, ['sign', 'verify'])
  } catch (error) {
    if (attempts === 1 || (error as Error).name !== 'OperationError') throw error
    return generatePair(subtle, attempts - 1)
  }
}

/** @throws SkillshelfError `invalid-input` if one is not an Ed25519 public key, `unsupported` */
export function importPublicKeys(pems: readonly string[]): Promise<Key[]> {
  return Promise.all(
    pems.map(async (pem, index) => {
      const der = fromPem('PUBLIC KEY', pem, `Public key ${index + 1}`)
      return { id: keyId(der), key: await importKey('PUBLIC KEY', der, `Public key ${index + 1}`) }
    }),
  )
}

async function importPrivateKey(pem: string, subject: string): Promise<Key> {
  const key = await importKey('PRIVATE KEY', fromPem('PRIVATE KEY', pem, subject), subject)
  const { x = '' } = await webCrypto().exportKey('jwk', key)
  const raw = fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'))
  return { id: keyId(Uint8Array.of(...SPKI_START, ...raw)), key }
}

/** What is signed beside a catalog. */
export interface SignedNumbers {
  /** Readers refuse a lower one. */
  revision: number
  /** Seconds since 1970, after which readers refuse the catalog. */
  expires?: number | undefined
}

/**
 * Signs a catalog, in place of earlier signatures.
 * @throws SkillshelfError `invalid-input`, `unsupported`
 */
export async function signCatalog(
  bytes: Bytes,
  privateKeys: readonly string[],
  { revision, expires }: SignedNumbers,
): Promise<Bytes> {
  if (
    expires !== undefined &&
    !(Number.isInteger(expires) && expires > 0 && expires < MAX_REVISION)
  ) {
    throw invalidInput(
      `"expires" must be a whole number of seconds since 1970, not ${String(expires)}`,
      'such as Math.floor(Date.now() / 1000) + 90 * 86400',
    )
  }
  if (!(Number.isInteger(revision) && revision >= 0 && revision < MAX_REVISION)) {
    throw invalidInput(
      `"revision" must be an integer from 0 with at most 15 digits, not ${String(revision)}`,
    )
  }
  if (privateKeys.length === 0 || privateKeys.length > MAX_SIGNATURES) {
    throw invalidInput(
      `A library is signed with 1 to ${MAX_SIGNATURES} keys, not ${privateKeys.length}`,
    )
  }
  const parts = splitCatalog(bytes)
  if (!parts) throw invalidInput('Only a catalog that pack wrote can be signed')
  const signatures = await Promise.all(
    privateKeys.map(async (pem, index) => {
      const { id, key } = await importPrivateKey(pem, `Private key ${index + 1}`)
      const signature = await webCrypto().sign(
        ALGORITHM,
        key,
        signedMessage(parts.digest, revision, expires),
      )
      return { key: id, signature: toBase64(new Uint8Array(signature)) }
    }),
  )
  return joinCatalog({
    ...parts,
    signed: JSON.stringify({
      revision,
      ...(expires === undefined ? {} : { expires }),
      signatures,
    } satisfies Signed),
  })
}

/** What a catalog proves. */
export interface Verified {
  revision: number
  /** Seconds since 1970. */
  expires: number | undefined
  /** Ids of the keys that signed it, each once. */
  signers: string[]
  /** Of its content and revision. */
  digest: string
}

/**
 * Verifies a catalog: every key is tried with every signature. T1 to T7 are clauses of docs/trust.md.
 * @param threshold Number of keys that must have signed it.
 * @throws SkillshelfError `untrusted`
 */
export async function verifyCatalog(
  bytes: Bytes,
  keys: readonly Key[],
  { subject, threshold }: { subject: string; threshold: number },
): Promise<Verified> {
  // T1
  const parts = splitCatalog(bytes)
  if (parts?.signed === undefined) {
    throw untrusted(
      subject,
      'has no signature',
      'pack it with --sign, or open it without "publicKeys"',
    )
  }
  // T2
  if ((await digestOfLarge(parts.content)) !== parts.digest) throw untrusted(subject, 'was altered')
  // T3
  const { revision, expires, signatures } = JSON.parse(parts.signed) as Signed
  const message = signedMessage(parts.digest, revision, expires)
  const verified = await Promise.all(
    keys.map(async ({ id, key }) => {
      const results = await Promise.all(
        signatures.map(({ signature }) =>
          webCrypto().verify(ALGORITHM, key, fromBase64(signature), message),
        ),
      )
      return results.includes(true) ? [id] : []
    }),
  )
  // T4
  const signers = [...new Set(verified.flat())]
  if (signers.length >= threshold) return { revision, expires, signers, digest: digestOf(message) }
  if (signers.length > 0) {
    throw untrusted(
      subject,
      `is signed by ${signers.length} of ${threshold} keys: ${signers.join(', ')}`,
      'its publishers sign one pack with each key: pack --sign one.pem --sign two.pem',
    )
  }
  const named = signatures.map(({ key }) => key)
  const isForged = keys.some(({ id }) => named.includes(id))
  throw isForged
    ? untrusted(subject, 'has a signature that does not fit it')
    : untrusted(
        subject,
        `is signed by ${named.join(', ')}, which is not in "publicKeys": ${keys.map(({ id }) => id).join(', ')}`,
        'if its publisher has a new key, get the public key from the publisher',
      )
}

/** The error of a library that is not shown. */
export function untrusted(subject: string, problem: string, hint?: string): SkillshelfError {
  return new SkillshelfError('untrusted', `${subject} ${problem}`, {
    subject,
    ...(hint ? { hint } : {}),
  })
}

/** The bytes that are signed. The first line keeps a signature from being used for anything else. */
function signedMessage(digest: string, revision: number, expires?: number): Bytes {
  const lines = [
    'skillshelf-signature/1',
    digest,
    revision,
    ...(expires === undefined ? [] : [expires]),
  ]
  return new TextEncoder().encode(`${lines.join('\n')}\n`)
}

function keyId(spki: Bytes): string {
  return digestOf(spki).slice(7, 23)
}

async function importKey(label: PemLabel, der: Bytes, subject: string): Promise<CryptoKey> {
  const isPublic = label === 'PUBLIC KEY'
  try {
    return await supported(() =>
      webCrypto().importKey(PEM[label], der, { name: ALGORITHM }, !isPublic, [
        isPublic ? 'verify' : 'sign',
      ]),
    )
  } catch (error) {
    throw error instanceof SkillshelfError ? error : notKey(label, subject)
  }
}

/** @throws SkillshelfError `unsupported` if the runtime has no Ed25519 */
async function supported<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof Error && error.name === 'NotSupportedError') throw noEd25519(error)
    throw error
  }
}

function webCrypto(): SubtleCrypto {
  const subtle = globalThis.crypto?.subtle
  if (!subtle) throw noEd25519()
  return subtle
}

function noEd25519(cause?: unknown): SkillshelfError {
  const hint = 'use HTTPS and Chrome 137, Firefox 129, Safari 17, Node 20 or later'
  return new SkillshelfError(
    'unsupported',
    'Signatures need WebCrypto with Ed25519, which is missing here',
    { hint },
    cause,
  )
}

function notKey(label: PemLabel, subject: string): SkillshelfError {
  const problem = `is not an Ed25519 ${label.toLowerCase()} in PEM`
  return invalidInput(`${subject} ${problem}`, 'create one with: npx skillshelf keys new')
}

function fromPem(label: PemLabel, pem: string, subject: string): Bytes {
  const form = new RegExp(
    `^\\s*-----BEGIN ${label}-----([\\sA-Za-z0-9+/=]+)-----END ${label}-----\\s*$`,
  )
  const base64 = form.exec(pem)?.[1]
  try {
    if (base64 !== undefined) return fromBase64(base64.replace(/\s/g, ''))
  } catch {
    // Not base64.
  }
  throw notKey(label, subject)
}

function toPem(label: PemLabel, der: Bytes): string {
  return `-----BEGIN ${label}-----\n${toBase64(der)}\n-----END ${label}-----\n`
}
