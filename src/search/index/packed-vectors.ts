import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import {
  readJsonSection,
  readSections,
  writeJsonSection,
  writeSections,
} from '../../core/byte-sections.js'
import { isStrings } from '../../core/plain-data.js'
import type { Embedder } from '../model/skill-model.js'
import { haveUnitLength, quantizeVector, readVectors, vectorSections } from './vectors.js'

/**
 * Vectors that an embedder computed for skills, in any order and for any of them. Stored as the sections of `Vectors` and two more:
 *
 * | tag  | content |
 * |------|------|
 * | vkey | 8 bytes per skill: the key of its texts; zeros for a skill without a vector |
 * | vlan | JSON: `languages` |
 *
 * A vector belongs to texts, not to a position: a reader takes it only for texts with its key.
 */
export interface PackedVectors {
  /** The embedder: see `Embedder.id`. */
  space: string
  dimensions: number
  /** Of the embedder. Messages of skills in other languages are not among the texts. */
  languages: Embedder['languages']
  /** By number; `undefined` for a skill without a vector. */
  skills: readonly (KeyedVector | undefined)[]
}

/** The vector of a skill. */
export interface KeyedVector {
  /** 16 hex digits, from the texts that were embedded. */
  key: string
  /** See `encodeVector`. */
  vector: Uint8Array
}

/** Names packed vectors: where they are, and the embedder that computed them. */
export interface VectorsFile {
  /** `<16 hex>.vec` */
  file: string
  space: string
}

/** Bytes of a key. */
const KEY_BYTES = 8
/** Bytes of the scale, which comes before the vector. */
const SCALE_BYTES = 4
/** Of the largest embedders. The index has at most 256. */
export const MAX_DIMENSIONS = 4_096

/** Encodes a vector of unit length: a scale (f32), then a signed byte for each number. The scale is 0 for a vector of zeros. */
export function encodeVector(vector: ArrayLike<number>): Uint8Array {
  const encoded = new Uint8Array(SCALE_BYTES + vector.length)
  const scale = quantizeVector(vector, bytesIn(encoded))
  new DataView(encoded.buffer).setFloat32(0, scale, true)
  return encoded
}

/** The step of an encoded vector; 0 if the embedder found no meaning. */
export function scaleOf(encoded: Uint8Array): number {
  return new DataView(encoded.buffer, encoded.byteOffset).getFloat32(0, true)
}

/** The signed bytes of an encoded vector, as a view. */
export function bytesIn(encoded: Uint8Array): Int8Array {
  const { buffer, byteOffset, length } = encoded
  return new Int8Array(buffer, byteOffset + SCALE_BYTES, length - SCALE_BYTES)
}

/** Whether bytes are an encoded vector of unit length. */
export function isVector(encoded: Uint8Array, dimensions: number): boolean {
  if (encoded.length !== SCALE_BYTES + dimensions || scaleOf(encoded) === 0) return false
  return haveUnitLength(bytesIn(encoded), Float32Array.of(scaleOf(encoded)), dimensions)
}

/** Writes vectors. Those without meaning are left out, as skills without a vector. */
export function writePackedVectors({
  space,
  dimensions,
  languages,
  skills,
}: PackedVectors): Uint8Array<ArrayBuffer> {
  const bytes = new Int8Array(skills.length * dimensions)
  const scales = new Float32Array(skills.length)
  const keys = new Uint8Array(skills.length * KEY_BYTES)
  for (const [number, skill] of skills.entries()) {
    if (!skill || !isVector(skill.vector, dimensions)) continue
    bytes.set(bytesIn(skill.vector), number * dimensions)
    scales[number] = scaleOf(skill.vector)
    keys.set(hexToBytes(skill.key), number * KEY_BYTES)
  }
  return writeSections({
    ...vectorSections({ space, dimensions, bytes, scales }),
    vkey: keys,
    vlan: writeJsonSection(languages),
  })
}

/** Reads vectors; `undefined` if the bytes are something else, or a vector is neither of unit length nor zero. */
export function readPackedVectors(file: Uint8Array): PackedVectors | undefined {
  // Typed arrays need an aligned start. (`slice` of a Node Buffer does not copy.)
  const sections = readSections(file.byteOffset % 8 === 0 ? file : new Uint8Array(file))
  const keys = sections?.get('vkey')
  const languages = readJsonSection(sections?.get('vlan'))
  if (!sections || !keys || keys.length % KEY_BYTES !== 0) return undefined
  if (languages !== 'all' && !isStrings(languages)) return undefined
  const vectors = readVectors(sections, keys.length / KEY_BYTES, MAX_DIMENSIONS)
  if (!vectors) return undefined
  const { space, dimensions, bytes, scales } = vectors
  const skills = Array.from(scales, (scale, number): KeyedVector | undefined => {
    if (scale === 0) return undefined
    const vector = new Uint8Array(SCALE_BYTES + dimensions)
    new DataView(vector.buffer).setFloat32(0, scale, true)
    bytesIn(vector).set(bytes.subarray(number * dimensions, (number + 1) * dimensions))
    const key = bytesToHex(keys.subarray(number * KEY_BYTES, (number + 1) * KEY_BYTES))
    return { key, vector }
  })
  return { space, dimensions, languages, skills }
}
