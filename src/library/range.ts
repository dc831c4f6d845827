import { SkillshelfError } from '../core/errors.js'
import type { ByteRange, ReadResult } from '../source/types.js'

/** @throws SkillshelfError `invalid-input` */
export function checkRange(range: ByteRange | undefined): void {
  if (!range) return
  const { offset, length = 0 } = range
  if (!(Number.isInteger(offset) && offset >= 0 && Number.isInteger(length) && length >= 0))
    throw new SkillshelfError('invalid-input', 'A range is { offset, length? } in whole bytes from 0')
}

/** The part that is wanted, of what a place gave: the whole file or a part of it. `undefined` where that is another part. */
export function cutPart(
  { bytes, partial }: Pick<ReadResult, 'bytes' | 'partial'>,
  wanted: ByteRange,
): { bytes: Uint8Array<ArrayBuffer>; range: { offset: number; length: number; total: number } } | undefined {
  const { offset = 0, total = bytes.length } = partial ?? {}
  const start = Math.min(wanted.offset, total)
  const end = wanted.length === undefined ? total : Math.min(total, start + wanted.length)
  if (start < offset || end > offset + bytes.length) return undefined
  const part = bytes.slice(start - offset, end - offset)
  return { bytes: part, range: { offset: start, length: part.length, total } }
}
