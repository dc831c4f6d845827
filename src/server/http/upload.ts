import { asSkillshelfError, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { archive } from '../../source/archive/archive.js'
import { memory } from '../../source/memory.js'
import type { SkillSource } from '../../source/source.js'

/** A body of this type is one file. */
const MARKDOWN = 'text/markdown'

/**
 * Opens the body of an upload.
 * @param options `types`: accepted media types.
 * @throws SkillshelfError `unsupported`, `too-large`, `invalid-input` for an unreadable archive, `aborted`
 */
export async function uploadedSource(
  request: Request,
  { types, ...options }: { types: readonly string[]; signal: AbortSignal; keepFolders?: boolean | undefined },
): Promise<SkillSource> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (!types.includes(type))
    throw new SkillshelfError(
      'unsupported',
      type ? `Unsupported content type "${type}"` : 'The upload has no Content-Type',
      { subject: 'content-type', hint: `send ${types.join(', ')}` },
    )
  if (type === MARKDOWN) return memory({ 'SKILL.md': bytes }, { name: 'upload' })
  const source = archive(bytes, { name: 'upload', ...options })
  // An unreadable archive is the client's error, so it must not be answered with 503.
  await source.list?.({ signal: options.signal }).catch((error: unknown): never => {
    if (isSkillshelfError(error, 'too-large', 'aborted')) throw error
    const { message, details } = asSkillshelfError(error, 'format', 'The archive cannot be read')
    throw new SkillshelfError('invalid-input', message.replace(` (${details.hint})`, ''), {
      subject: 'body',
      hint: 'send a zip or a tar.gz',
    })
  })
  return source
}
