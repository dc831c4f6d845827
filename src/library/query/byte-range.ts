import { invalidInput } from '../../core/errors.js'
import type { ByteRange, ReadResult } from '../../source/source.js'

/** Bytes of a file, with the range they cover. */
export interface RangeResult {
  bytes: Uint8Array<ArrayBuffer>
  range: { offset: number; length: number; total: number }
}

export function checkRange(range: ByteRange | undefined): void {
  if (!range) return
  const { offset, length = 0 } = range
  if (!(Number.isInteger(offset) && offset >= 0 && Number.isInteger(length) && length >= 0)) {
    throw invalidInput('"range" must be { offset, length? } in whole bytes from 0')
  }
}

/** Cuts a range out of a whole file, or out of a part of it. `undefined` if the part does not cover the range. */
export function cutRange(
  { bytes, partial }: Pick<ReadResult, 'bytes' | 'partial'>,
  wanted: ByteRange,
): RangeResult | undefined {
  const { offset = 0, total = bytes.length } = partial ?? {}
  const start = Math.min(wanted.offset, total)
  const end = wanted.length === undefined ? total : Math.min(total, start + wanted.length)
  if (start < offset || end > offset + bytes.length) return undefined
  const part = bytes.slice(start - offset, end - offset)
  return { bytes: part, range: { offset: start, length: part.length, total } }
}
