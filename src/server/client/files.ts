import { digestOfLarge } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import type { ReadOptions } from '../../library/create-library.js'
import { checkRange, cutRange } from '../../library/query/byte-range.js'
import { decodeUtf8 } from '../../skill/decode.js'
import { describeFile } from '../../skill/media-types.js'
import type { SkillFile } from '../../skill/skill.js'
import type { HttpClient } from './http-client.js'

/** Reads a file of a skill, or a range of it. @param skillPath Encoded path of the skill on the server. */
export async function readRemoteFile(
  client: HttpClient,
  skillPath: string,
  path: string,
  { range, signal }: ReadOptions,
): Promise<SkillFile> {
  safePath(path)
  checkRange(range)
  // Encoded as one segment, because URLs normalize `.//` and `//` and the server must see the path that was asked for.
  const address = `${skillPath}/files/${encodeURIComponent(path)}`
  const requested = await client.bytes(address, { range, signal })
  // A range past the end is cut from the whole file.
  const { part, bytes, header, url } =
    requested.part === 'unknown' ? await client.bytes(address, { signal }) : requested
  const fail = (message: string): SkillshelfError =>
    new SkillshelfError('source-failed', message, { subject: path, hint: 'try again' })
  if (part === 'unknown') throw fail(`${url} sent a part of the file without a valid Content-Range`)
  const digest = header('skill-digest')
  if (!part && digest !== undefined && (await digestOfLarge(bytes)) !== digest)
    throw fail(`${url} sent bytes that do not match the digest`)
  const cut = range && cutRange(part ? { bytes, partial: part } : { bytes }, range)
  if (range ? !cut : part) throw fail(`${url} sent another range than was asked for`)
  const content = cut ?? { bytes }
  const text = decodeUtf8(content.bytes)
  return {
    ...describeFile({
      path: header('skill-path') ?? safePath(path),
      size: cut?.range.total ?? bytes.length,
      ...(digest === undefined ? {} : { digest }),
    }),
    skill: header('skill-id') ?? '',
    location: header('skill-location') ?? '',
    ...content,
    ...(text === undefined ? {} : { text }),
  }
}
