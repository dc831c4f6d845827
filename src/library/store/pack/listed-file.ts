import { SkillshelfError } from '../../../core/errors.js'
import type { SkillSource } from '../../../source/types.js'

/**
 * Reads a file that the source listed.
 * @throws SkillshelfError `source-failed` if it does not exist
 */
export async function readListedFile(
  source: SkillSource,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await source.read(path, { signal })
  if (result === undefined || result === 'unchanged')
    throw new SkillshelfError('source-failed', `${path} is listed but cannot be read`, { subject: path })
  return result.bytes
}
