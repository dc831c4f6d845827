import { bytesOf } from '../../core/byte-sections.js'
import { concatBytes } from '../../core/bytes.js'
import { hash32 } from '../../core/text/hash32.js'
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
}

const HEADER = 12
/** Of 300 terms two share their first 24 bits in one row of 400. */
const HASH_BYTES = 3

/**
 * Encodes a row for an engine, little-endian: u16 length of the head, u16 of the sequence, u16 of the terms, u16 of the vector, f32 scale;
 * u16 sequence, the first 24 bits of the hashes as u24, u8 weights, i8 vector, messages in UTF-8, one a line.
 */
export function encodeRanking(row: RowRanking): Uint8Array<ArrayBuffer> {
  const { sequence, head, hashes, weights, vector, scale, messages } = row
  const header = new DataView(new ArrayBuffer(HEADER))
  for (const [index, length] of [head, sequence.length, hashes.length, vector.length].entries()) {
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
    text,
  ])
}

/** Decodes a row; `undefined` if it is truncated, or its vector is not one of this length and nearly 1 long. */
export function decodeRanking(bytes: Uint8Array, dimensions: number): RowRanking | undefined {
  if (bytes.length < HEADER) return undefined
  // Typed arrays need an aligned start.
  const { buffer } = bytes.slice()
  const header = new DataView(buffer)
  const [head = 0, sequenceLength = 0, terms = 0, vectorLength = 0] = [0, 2, 4, 6].map(at =>
    header.getUint16(at, true),
  )
  const hashesAt = HEADER + sequenceLength * 2
  const weightsAt = hashesAt + terms * HASH_BYTES
  const vectorAt = weightsAt + terms
  const messagesAt = vectorAt + vectorLength
  if (messagesAt > buffer.byteLength || head > sequenceLength) return undefined
  const vector = new Int8Array(buffer, vectorAt, vectorLength)
  const scale = header.getFloat32(8, true)
  if (vectorLength !== dimensions && vectorLength > 0) return undefined
  if (!haveUnitLength(vector, Float32Array.of(scale), vectorLength)) return undefined
  const text = new TextDecoder().decode(new Uint8Array(buffer, messagesAt))
  return {
    head,
    sequence: new Uint16Array(buffer, HEADER, sequenceLength),
    hashes: unpackHashes(new Uint8Array(buffer, hashesAt, terms * HASH_BYTES)),
    weights: new Uint8Array(buffer, weightsAt, terms),
    vector,
    scale,
    messages: text.split('\n').filter(Boolean),
  }
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
