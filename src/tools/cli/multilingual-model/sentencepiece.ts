/** A piece of a SentencePiece model and its log probability. */
export interface Piece {
  text: string
  score: number
}

/** Reads the pieces of a SentencePiece model, a `ModelProto`: `repeated SentencePiece pieces = 1`, with `piece = 1` and `score = 2`. */
export function readPieces(bytes: Uint8Array): Piece[] {
  const decoder = new TextDecoder()
  return fieldsOf(bytes)
    .filter(({ field }) => field === 1)
    .map(({ value }) => {
      const piece = { text: '', score: 0 }
      for (const { field, value: part } of fieldsOf(value)) {
        if (field === 1) piece.text = decoder.decode(part)
        if (field === 2) piece.score = new DataView(part.buffer, part.byteOffset, 4).getFloat32(0, true)
      }
      return piece
    })
}

interface Field {
  field: number
  value: Uint8Array
}

const VARINT = 0
const FIXED64 = 1
const BYTES = 2
const FIXED32 = 5

/** The fields of a protobuf message. Numbers are returned as their bytes. */
function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('The SentencePiece model is truncated')
      value += (byte & 127) * shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const key = varint()
    const type = key & 7
    const length = type === BYTES ? varint() : 0
    const start = at
    if (type === VARINT) varint()
    else if (type === BYTES) at += length
    else if (type === FIXED64 || type === FIXED32) at += type === FIXED64 ? 8 : 4
    else throw new Error(`Unsupported type ${type} in the SentencePiece model`)
    if (at > bytes.length) throw new Error('The SentencePiece model is truncated')
    fields.push({ field: key >>> 3, value: bytes.subarray(start, at) })
  }
  return fields
}
