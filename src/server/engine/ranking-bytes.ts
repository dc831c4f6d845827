import { bytesOf } from '../../core/byte-sections.js'
import { concatBytes } from '../../core/bytes.js'
import { hash32 } from '../../core/text/hash32.js'
import type { RuledOut } from '../../search/index/ruled-out.js'
import { haveUnitLength } from '../../search/index/vectors.js'

/** What ranking needs of one skill. */
export interface RowRanking {
  /** The forward list: fingerprints of the words in order. See search/index/write.ts. */
  sequence: Uint16Array
  /** Length of its part from name, tags and description. */
  head: number
  /** Hashes of the terms in ascending order, and the weight byte of each. A decoded row has the first 24 bits of each hash. */
  hashes: Uint32Array
  weights: Uint8Array
  /** Signed bytes. Empty without a vector. */
  vector: Int8Array
  /** Value of one step of `vector`; 0 if the model knows nothing of the skill. */
  scale: number
  messages: readonly string[]
  ruledOut: RuledOut | undefined
}

/** Changes with what rows hold: a skill whose row is older is written again. Rows of any format are read. */
export const RANKING_FORMAT = 2

const HEADER = 12
/** Bit of the length of the head: the row has a part about what the skill rules out. */
const RULES_OUT = 0x8000
/** Its header: f32 scale, u16 bytes of its text. */
const RULED_OUT_HEADER = 6
/** Of 300 terms two share their first 24 bits in one row of 400. */
const HASH_BYTES = 3

/**
 * Encodes a row for an engine, little-endian: u16 length of the head, u16 of the sequence, u16 of the terms, u16 of the vector, f32 scale;
 * u16 sequence, the first 24 bits of the hashes as u24, u8 weights, i8 vector, messages in UTF-8, one a line. If the highest bit of the first
 * number is set, what the skill rules out comes before the messages: f32 scale, u16 bytes of the text, i8 vector (as long as the other one;
 * none if the scale is 0), the text in UTF-8.
 */
export function encodeRanking(row: RowRanking): Uint8Array<ArrayBuffer> {
  const { sequence, head, hashes, weights, vector, scale, messages, ruledOut } = row
  const header = new DataView(new ArrayBuffer(HEADER))
  const first = ruledOut ? head | RULES_OUT : head
  for (const [index, length] of [first, sequence.length, hashes.length, vector.length].entries()) {
    header.setUint16(index * 2, length, true)
  }
  header.setFloat32(8, scale, true)
  const text = new TextEncoder().encode(messages.join('\n'))
  return concatBytes([
    bytesOf(header),
    bytesOf(sequence),
    packHashes(hashes),
    weights,
    bytesOf(vector),
    ...(ruledOut ? encodeRuledOut(ruledOut) : []),
    text,
  ])
}

function encodeRuledOut({ text, vector }: RuledOut): Uint8Array[] {
  const encoded = new TextEncoder().encode(text)
  const header = new DataView(new ArrayBuffer(RULED_OUT_HEADER))
  header.setFloat32(0, vector?.scale ?? 0, true)
  header.setUint16(4, encoded.length, true)
  return [bytesOf(header), ...(vector ? [bytesOf(vector.bytes)] : []), encoded]
}

/** Decodes a row; `undefined` if it is truncated, or its vector is not one of this length and nearly 1 long. */
export function decodeRanking(bytes: Uint8Array, dimensions: number): RowRanking | undefined {
  if (bytes.length < HEADER) return undefined
  // Typed arrays need an aligned start.
  const { buffer } = bytes.slice()
  const header = new DataView(buffer)
  const [first = 0, sequenceLength = 0, terms = 0, vectorLength = 0] = [0, 2, 4, 6].map(at =>
    header.getUint16(at, true),
  )
  const head = first & ~RULES_OUT
  const hashesAt = HEADER + sequenceLength * 2
  const weightsAt = hashesAt + terms * HASH_BYTES
  const vectorAt = weightsAt + terms
  const vectorEnd = vectorAt + vectorLength
  if (vectorEnd > buffer.byteLength || head > sequenceLength) return undefined
  const vector = new Int8Array(buffer, vectorAt, vectorLength)
  const scale = header.getFloat32(8, true)
  if (vectorLength !== dimensions && vectorLength > 0) return undefined
  if (!haveUnitLength(vector, Float32Array.of(scale), vectorLength)) return undefined
  const against =
    first & RULES_OUT ? decodeRuledOut(buffer, vectorEnd, vectorLength) : { end: vectorEnd }
  if (!against) return undefined
  const text = new TextDecoder().decode(new Uint8Array(buffer, against.end))
  return {
    head,
    sequence: new Uint16Array(buffer, HEADER, sequenceLength),
    hashes: unpackHashes(new Uint8Array(buffer, hashesAt, terms * HASH_BYTES)),
    weights: new Uint8Array(buffer, weightsAt, terms),
    vector,
    scale,
    messages: text.split('\n').filter(Boolean),
    ruledOut: against.ruledOut,
  }
}

/** @returns `end`: where the part ends. `undefined` if it is truncated, or its vector is not nearly 1 long. */
function decodeRuledOut(
  buffer: ArrayBuffer,
  at: number,
  dimensions: number,
): { ruledOut?: RuledOut; end: number } | undefined {
  const vectorAt = at + RULED_OUT_HEADER
  if (vectorAt > buffer.byteLength) return undefined
  const header = new DataView(buffer, at)
  const scale = header.getFloat32(0, true)
  const textAt = vectorAt + (scale === 0 ? 0 : dimensions)
  const end = textAt + header.getUint16(4, true)
  if (end > buffer.byteLength) return undefined
  const text = new TextDecoder().decode(new Uint8Array(buffer, textAt, end - textAt))
  if (scale === 0) return { ruledOut: { text, vector: undefined }, end }
  const bytes = new Int8Array(buffer, vectorAt, dimensions)
  if (!haveUnitLength(bytes, Float32Array.of(scale), dimensions)) return undefined
  return { ruledOut: { text, vector: { bytes, scale } }, end }
}

/** Names a term in an engine by 32 bits. */
export const termHash = hash32

/** The first 24 bits of a hash, as a decoded row has it. */
export function shortHash(hash: number): number {
  return hash >>> 8
}

function packHashes(hashes: Uint32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hashes.length * HASH_BYTES)
  for (const [index, hash] of hashes.entries()) {
    bytes[index * HASH_BYTES] = hash >>> 8
    bytes[index * HASH_BYTES + 1] = hash >>> 16
    bytes[index * HASH_BYTES + 2] = hash >>> 24
  }
  return bytes
}

function unpackHashes(bytes: Uint8Array): Uint32Array {
  const hashes = new Uint32Array(bytes.length / HASH_BYTES)
  for (let index = 0; index < hashes.length; index++) {
    const at = index * HASH_BYTES
    hashes[index] =
      (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16)
  }
  return hashes
}

/** The weight of a term, 0 if the row does not have it. */
export function weightOf(
  { hashes, weights }: Pick<RowRanking, 'hashes' | 'weights'>,
  hash: number,
): number {
  let low = 0
  let high = hashes.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = hashes[middle] as number
    if (found === hash) return weights[middle] as number
    if (found < hash) low = middle + 1
    else high = middle - 1
  }
  return 0
}
