import { SkillshelfError } from '../../core/errors.js'
import { openSegment, type Segment } from '../../search/index/open.js'

/** Opens a segment of a packed library. @throws SkillshelfError `format` if this version cannot read it, or it is missing */
export function openPackedSegment(file: string, bytes: Uint8Array | undefined): Segment {
  const segment = bytes && openSegment(bytes)
  if (segment) return segment
  throw new SkillshelfError('format', `${file} cannot be read by this version`, {
    subject: file,
    hint: 'pack the skills again',
  })
}
