import { SkillshelfError } from '../core/errors.js'
import type { SkillFile } from '../skill/types.js'

/** The text of a file. @throws SkillshelfError `unsupported` where it is none */
export function fileText({ path, text, bytes, mediaType, location }: SkillFile): string {
  if (text !== undefined) return text
  throw new SkillshelfError('unsupported', `${path} is not text: ${mediaType}, ${bytes.length} bytes`, {
    subject: path,
    hint: `it is at ${location}`,
  })
}
