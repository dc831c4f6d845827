import { concatBytes } from '../../core/bytes.js'
import { DIGEST_LENGTH, digestOfLarge, isDigest } from '../../core/digest.js'

// How a catalog begins: `{"format":"skillshelf/1","digest":"sha256:...","signed":{...},`. What follows is its content, which the digest covers.

export const CATALOG_FORMAT = 'skillshelf/1'

const DIGEST_START = `{"format":"${CATALOG_FORMAT}","digest":"`
/** Where the signatures start, or the content, which the digest covers. */
const DIGEST_END = DIGEST_START.length + DIGEST_LENGTH + '",'.length
const SIGNATURE = String.raw`\{"key":"[0-9a-f]{16}","signature":"[A-Za-z0-9+/]{86}=="\}`
/** Signatures of the digest, at most 8. docs/trust.md describes them. */
const SIGNED = new RegExp(
  String.raw`^"signed":(\{"revision":(?:0|[1-9]\d{0,14}),(?:"expires":[1-9]\d{0,14},)?"signatures":\[(?:${SIGNATURE},){0,7}${SIGNATURE}\]\})( ?),`,
)
/** Bytes of the longest signatures. */
const MAX_SIGNED = 2_048
/** The end of the first line. Each entry has its own line after it. */
export const HEADER_END = ',"skills":['

/** The parts of a catalog that begins as `writeCatalog` writes it. */
export interface CatalogParts {
  digest: string
  /** JSON; `undefined` for a library without signatures. */
  signed: string | undefined
  /** What the digest covers. */
  content: Uint8Array<ArrayBuffer>
}

/** @returns `undefined` if the catalog begins in another way */
export function splitCatalog(bytes: Uint8Array<ArrayBuffer>): CatalogParts | undefined {
  const start = new TextDecoder().decode(bytes.subarray(0, DIGEST_END))
  const digest = start.slice(DIGEST_START.length, -2)
  if (!start.startsWith(DIGEST_START) || !start.endsWith('",') || !isDigest(digest)) {
    return undefined
  }
  const signed = readSigned(bytes)
  return {
    digest,
    signed: signed?.[1],
    content: bytes.subarray(DIGEST_END + (signed?.[0].length ?? 0)),
  }
}

export function joinCatalog({ digest, signed, content }: CatalogParts): Uint8Array<ArrayBuffer> {
  const start = `${DIGEST_START}${digest}",${signed === undefined ? '' : `"signed":${signed},`}`
  return concatBytes([new TextEncoder().encode(start), content])
}

/** The digest of what the digest of a catalog should cover. */
export async function digestOfContent(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return digestOfLarge(splitCatalog(bytes)?.content ?? bytes.subarray(DIGEST_END))
}

function readSigned(bytes: Uint8Array<ArrayBuffer>): RegExpExecArray | null {
  return SIGNED.exec(new TextDecoder().decode(bytes.subarray(DIGEST_END, DIGEST_END + MAX_SIGNED)))
}

/** The same catalog in other bytes, so that it has another version. A signature stays valid. */
export async function rewriteCatalog(
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = splitCatalog(bytes)
  if (parts?.signed !== undefined) {
    const isSpaced = readSigned(bytes)?.[2] !== ''
    return joinCatalog({ ...parts, signed: isSpaced ? parts.signed : `${parts.signed} ` })
  }
  const text = new TextDecoder().decode(bytes)
  const hasDigest = text.startsWith(DIGEST_START)
  const content = hasDigest ? text.slice(DIGEST_END) : text
  const spaced = content.includes(HEADER_END)
    ? content.replace(HEADER_END, ` ${HEADER_END}`)
    : `${content}\n`
  return hasDigest ? withDigest(spaced) : new TextEncoder().encode(spaced)
}

/** A catalog of its content, which starts with the first field. */
export async function withDigest(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const content = new TextEncoder().encode(text)
  return joinCatalog({ digest: await digestOfLarge(content), signed: undefined, content })
}
