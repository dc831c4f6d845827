import { parseJson } from './plain-data.js'

/**
 * A container of named byte sections, used by segments and model files. Little-endian.
 *
 *     0  "SHLF"
 *     4  u16 version, u16 number of sections
 *     8  per section: 4 ASCII bytes of tag, u32 offset, u32 length
 *     …  the sections, each at a multiple of 8
 *
 * Readers ignore tags they do not know.
 */
const SECTIONS_VERSION = 1
const MAGIC = 'SHLF'
const HEADER_SIZE = 8
const ENTRY_SIZE = 12
const ALIGNMENT = 8

/** Writes sections in the order of the object. Each key is a tag of 4 ASCII characters. */
export function writeSections(
  sections: Readonly<Record<string, Uint8Array>>,
): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(sections)
  let size = align(HEADER_SIZE + entries.length * ENTRY_SIZE)
  const offsets = entries.map(([, bytes]) => {
    const offset = size
    size = align(size + bytes.length)
    return offset
  })
  const out = new Uint8Array(size)
  const view = new DataView(out.buffer)
  writeAscii(out, 0, MAGIC)
  view.setUint16(4, SECTIONS_VERSION, true)
  view.setUint16(6, entries.length, true)
  for (const [index, [tag, bytes]] of entries.entries()) {
    const entry = HEADER_SIZE + index * ENTRY_SIZE
    writeAscii(out, entry, tag)
    view.setUint32(entry + 4, offsets[index] as number, true)
    view.setUint32(entry + 8, bytes.length, true)
    out.set(bytes, offsets[index] as number)
  }
  return out
}

/** Returns the sections as views on `bytes`; `undefined` if the bytes are truncated or not a container of this version. */
export function readSections(bytes: Uint8Array): Map<string, Uint8Array> | undefined {
  if (bytes.length < HEADER_SIZE || readAscii(bytes, 0) !== MAGIC) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint16(4, true) !== SECTIONS_VERSION) return undefined
  const count = view.getUint16(6, true)
  if (HEADER_SIZE + count * ENTRY_SIZE > bytes.length) return undefined
  const sections = new Map<string, Uint8Array>()
  for (let index = 0; index < count; index++) {
    const entry = HEADER_SIZE + index * ENTRY_SIZE
    const offset = view.getUint32(entry + 4, true)
    const length = view.getUint32(entry + 8, true)
    if (offset % ALIGNMENT !== 0 || offset + length > bytes.length) return undefined
    sections.set(readAscii(bytes, entry), bytes.subarray(offset, offset + length))
  }
  return sections
}

/** Parses a JSON section; `undefined` if it is missing or malformed. */
export function readJsonSection(bytes: Uint8Array | undefined): unknown {
  return bytes && parseJson(bytes)
}

export function writeJsonSection(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value))
}

export function u16(bytes: Uint8Array): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 1)
}

export function u32(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
}

/** The bytes of a typed array, as a view. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength)
}

function align(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT
}

function writeAscii(out: Uint8Array, offset: number, text: string): void {
  for (let index = 0; index < 4; index++) out[offset + index] = text.charCodeAt(index)
}

function readAscii(bytes: Uint8Array, offset: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + 4))
}
