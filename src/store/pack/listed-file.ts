import { SkillshelfError } from '../../core/errors.js'
import type { SkillSource } from '../../source/types.js'

/**
 * A file that is listed.
 * @throws SkillshelfError `source-failed` where it is not there after all
 */
export async function readWhole(
  source: SkillSource,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await source.read(path, signal ? { signal } : {})
  if (result === undefined || result === 'unchanged')
    throw new SkillshelfError('source-failed', `${path} is listed but cannot be read`, { subject: path })
  return result.bytes
}
