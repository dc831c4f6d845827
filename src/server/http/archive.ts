import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { asSkillshelfError, isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { PublishedSkill } from '../../library/store/publish/well-known-plan.js'
import { archive } from '../../source/archive/archive.js'
import type { WriteArchiveOptions } from '../../source/archive/write.js'
import { memory } from '../../source/memory.js'
import type { SkillSource } from '../../source/source.js'

/** An edge Worker has no memory for more files beside the archive itself. */
const MAX_BYTES = 32 * 1_048_576

/** An upload of this type is one file. */
const MARKDOWN = 'text/markdown'

/** Skill whose SKILL.md is called `SKILL.md` in an archive, however the library spells it. `folder`: its id. */
type ArchivedSkill = Pick<PublishedSkill, 'name' | 'folder' | 'file'> & {
  files: readonly { path: string }[]
}

/** An archive with SKILL.md at its root. @throws SkillshelfError `too-large`, `skill-not-found`, `ambiguous-name`, `source-failed` */
export async function skillArchive(
  library: SkillLibrary,
  name: string,
  format: 'zip' | 'tar.gz',
  signal: AbortSignal,
) {
  const skill = await library.get(name, { signal })
  if (skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0) > MAX_BYTES) {
    throw tooLarge(skill.name)
  }
  const files = [{ path: 'SKILL.md' }, ...skill.files]
  return archiveFiles(library, { ...skill, folder: skill.id, files }, { format }, signal)
}

/** Creates an archive of the files of a skill. @throws SkillshelfError `too-large` */
export async function archiveFiles(
  library: SkillLibrary,
  skill: ArchivedSkill,
  options: WriteArchiveOptions,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let size = 0
  const files = await mapParallel(
    skill.files,
    PARALLEL_READS,
    async ({ path }): Promise<[string, Uint8Array][]> => {
      const bytes = await readArchiveFile(library, skill, path, signal).catch(error => {
        // S10: a file that looks like a secret is listed, but not served.
        if (path === 'SKILL.md' || !isSkillshelfError(error, 'resource-not-found')) throw error
      })
      if (!bytes) return []
      // Some sources do not know the size of a file before it is read.
      size += bytes.length
      if (size > MAX_BYTES) throw tooLarge(skill.name)
      return [[path, bytes]]
    },
  )
  const { archiveExamined } = await import('../../source/archive/write.js')
  return archiveExamined(Object.fromEntries(files.flat()), options)
}

/** Reads a file by its path in the archive. Files of nested skills are read through the outer skill. */
export async function readArchiveFile(
  library: SkillLibrary,
  { folder, file }: Pick<ArchivedSkill, 'folder' | 'file'>,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return (await library.read(folder, path === 'SKILL.md' ? file : path, { signal })).bytes
}

function tooLarge(name: string): SkillshelfError {
  return new SkillshelfError(
    'too-large',
    `${name} is too large for an archive (at most ${MAX_BYTES} bytes)`,
    {
      subject: name,
      figures: { most: MAX_BYTES },
      hint: 'read its files one by one',
    },
  )
}

/** Opens the body of an upload of one of these `types`. @throws `unsupported`, `too-large`, `aborted`, `invalid-input` if unreadable */
export async function uploadedSource(
  request: Request,
  {
    types,
    ...options
  }: { types: readonly string[]; signal: AbortSignal; keepFolders?: boolean | undefined },
): Promise<SkillSource> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (!types.includes(type)) {
    throw new SkillshelfError(
      'unsupported',
      type ? `Unsupported content type "${type}"` : 'The upload has no Content-Type',
      { subject: 'content-type', hint: `send ${types.join(', ')}` },
    )
  }
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
