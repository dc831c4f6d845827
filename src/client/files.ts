import { digestOfLarge } from '../core/digest.js'
import { SkillshelfError } from '../core/errors.js'
import { safePath } from '../core/paths.js'
import { checkRange, cutPart } from '../library/range.js'
import type { AbortOptions } from '../library/types.js'
import { decodeUtf8 } from '../skill/decode.js'
import { describeFile } from '../skill/media-types.js'
import type { SkillFile } from '../skill/types.js'
import type { ByteRange } from '../source/types.js'
import type { Wire } from './wire.js'

/** Reads a file of a skill, or a part of it. `skill` is what its address has: encoded. */
export async function readRemoteFile(
  wire: Wire,
  skill: string,
  path: string,
  { range, signal }: AbortOptions & { range?: ByteRange | undefined },
): Promise<SkillFile> {
  safePath(path)
  checkRange(range)
  // As one part: an address folds `./` and doubled slashes, and the server is to see what was asked for.
  const address = `${skill}/files/${encodeURIComponent(path)}`
  // There is no part behind the end: it is cut from the whole.
  const given = await wire.bytes(address, { range, signal })
  const { part, ...file } = given.part === 'unknown' ? await wire.bytes(address, { signal }) : given
  const failed = (message: string): SkillshelfError =>
    new SkillshelfError('source-failed', message, { subject: path, hint: 'try again' })
  if (part === 'unknown') throw failed(`${file.url} gave an unknown part of the file`)
  const { bytes, header, url } = file
  const digest = header('skill-digest')
  if (!part && digest !== undefined && (await digestOfLarge(bytes)) !== digest)
    throw failed(`${url} has not the digest that the server says`)
  const cut = range && cutPart(part ? { bytes, partial: part } : { bytes }, range)
  if (range ? !cut : part) throw failed(`${url} gave another part than was asked for`)
  const shown = cut ?? { bytes }
  const text = decodeUtf8(shown.bytes)
  return {
    ...describeFile({
      path: header('skill-path') ?? safePath(path),
      size: cut?.range.total ?? bytes.length,
      ...(digest === undefined ? {} : { digest }),
    }),
    skill: header('skill-id') ?? '',
    location: header('skill-location') ?? '',
    ...shown,
    ...(text === undefined ? {} : { text }),
  }
}
