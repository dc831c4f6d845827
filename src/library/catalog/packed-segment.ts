import { SkillshelfError } from '../../core/errors.js'
import { inflate } from '../../core/inflate.js'
import { openSegment, type Segment } from '../../search/index/open.js'
import type { SkillSource } from '../../source/source.js'
import { digestIn, readPackedFile } from './packed-files.js'

/** Bytes of a deflated segment when it is inflated, at most. */
const MAX_INFLATED = 33_554_432

/** Reads a segment of a packed library, which may be deflated (see store/pack/segment-file.ts). @throws SkillshelfError as `readPackedFile` */
export async function readPackedSegment(
  source: Pick<SkillSource, 'name' | 'read'>,
  file: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  return unpackSegment(await readPackedFile(source, file, digestIn(file), signal))
}

/** Opens a segment of a packed library. @throws SkillshelfError `format` if this version cannot read it, or it is missing */
export async function openPackedSegment(
  file: string,
  bytes: Uint8Array<ArrayBuffer> | undefined,
): Promise<Segment> {
  const segment = bytes && openSegment(await unpackSegment(bytes))
  if (segment) return segment
  throw new SkillshelfError('format', `${file} cannot be read by this version`, {
    subject: file,
    hint: 'pack the skills again',
  })
}

/** Returns what is not deflated as it is. */
async function unpackSegment(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  // The first bytes of a segment that is not deflated are, as a size, more.
  return (await inflate(bytes, MAX_INFLATED)) ?? bytes
}
