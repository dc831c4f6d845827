/** An array of a `.npy` file (numpy.lib.format, version 1 and 2), in C order. */
export interface NpyArray {
  shape: readonly number[]
  data: Uint8Array | Int8Array | Float32Array | Float64Array
}

const TYPES: Readonly<Record<string, (buffer: ArrayBuffer) => NpyArray['data']>> = {
  '|u1': buffer => new Uint8Array(buffer),
  '|i1': buffer => new Int8Array(buffer),
  '<f4': buffer => new Float32Array(buffer),
  '<f8': buffer => new Float64Array(buffer),
}

/** @throws Error if the bytes are not an array of bytes or floats in C order */
export function readNpy(bytes: Uint8Array): NpyArray {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const start = bytes[6] === 1 ? 10 : 12
  const length = bytes[6] === 1 ? view.getUint16(8, true) : view.getUint32(8, true)
  const header = new TextDecoder().decode(bytes.subarray(start, start + length))
  const [, type = ''] = /'descr': '([^']+)'/.exec(header) ?? []
  const [, shape] = /'shape': \(([\d, ]*)\)/.exec(header) ?? []
  const open = TYPES[type]
  if (!open || shape === undefined || !header.includes("'fortran_order': False"))
    throw new Error(`Unsupported array: ${header.trim()}`)
  return {
    shape: shape
      .split(',')
      .filter(size => size.trim() !== '')
      .map(Number),
    data: open(bytes.slice(start + length).buffer),
  }
}
