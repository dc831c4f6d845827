export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** True for a view on shared memory. Decoders, digests and transfers refuse it, and another thread may change it. */
export function isShared({ buffer }: ArrayBufferView): boolean {
  return Object.prototype.toString.call(buffer) === '[object SharedArrayBuffer]'
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}

/** A growing byte buffer. */
export interface ByteWriter {
  /** Number of bytes written so far: the offset of the next one. */
  readonly length: number
  byte(value: number): void
  /** Writes an unsigned LEB128 number below 2^32. */
  varint(value: number): void
  bytes(value: Uint8Array): void
  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer>
}

/** Reads bytes in sequence. */
export interface ByteReader {
  /** Offset of the next byte. Set it to continue elsewhere. */
  at: number
  /** Reads an unsigned LEB128 number. Past the end it is 0. */
  varint(): number
}

/** @param capacity Bytes that are reserved at the start. */
export function createByteWriter(capacity: number): ByteWriter {
  let buffer = new Uint8Array(capacity)
  let length = 0
  const reserve = (count: number): void => {
    if (length + count <= buffer.length) return
    const grown = new Uint8Array(Math.max(buffer.length * 2, length + count))
    grown.set(buffer)
    buffer = grown
  }
  return {
    get length() {
      return length
    },
    byte(value) {
      reserve(1)
      buffer[length++] = value
    },
    varint(value) {
      reserve(5)
      let rest = value
      while (rest > 127) {
        buffer[length++] = (rest & 127) | 128
        rest >>>= 7
      }
      buffer[length++] = rest
    },
    bytes(value) {
      reserve(value.length)
      buffer.set(value, length)
      length += value.length
    },
    finish: () => buffer.slice(0, length),
  }
}

/** @param at Offset of the first byte to read. */
export function createByteReader(bytes: Uint8Array, at = 0): ByteReader {
  return {
    at,
    varint() {
      let value = 0
      let shift = 0
      for (;;) {
        const byte = bytes[this.at++] ?? 0
        value += (byte & 127) * 2 ** shift
        if (byte < 128) return value
        shift += 7
      }
    },
  }
}
