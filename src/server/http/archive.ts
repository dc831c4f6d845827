import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'
import type { WriteArchiveOptions } from '../../source/archive/write.js'

/** An edge Worker has no memory for more files beside the archive itself. */
const MAX_BYTES = 32 * 1_048_576

/** Skill whose SKILL.md is called `SKILL.md` in an archive, however the library spells it. */
interface ArchivedSkill {
  name: string
  /** Id of the skill. */
  folder: string
  /** Path of its SKILL.md in the library. */
  file: string
}

/**
 * Creates an archive of a skill with SKILL.md at its root. The same skill gives the same bytes.
 * @throws SkillshelfError `too-large`, `skill-not-found`, `ambiguous-name`, `source-failed`
 */
export async function skillArchive(
  library: SkillLibrary,
  name: string,
  format: 'zip' | 'tar.gz',
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const skill = await library.get(name, { signal })
  if (skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0) > MAX_BYTES) throw tooLarge(skill.name)
  const paths = [skill.file, ...skill.files.map(({ path }) => path)]
  const archived = paths.map(path => (path === skill.file ? 'SKILL.md' : path))
  return archiveFiles(library, { ...skill, folder: skill.id }, archived, { format }, signal)
}

/**
 * Creates an archive of files of a skill.
 * @param paths Paths in the archive.
 * @throws SkillshelfError `too-large`
 */
export async function archiveFiles(
  library: SkillLibrary,
  skill: ArchivedSkill,
  paths: readonly string[],
  options: WriteArchiveOptions,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let size = 0
  const files = await mapParallel(paths, PARALLEL_READS, async path => {
    const bytes = await readArchiveFile(library, skill, path, signal)
    // Some sources do not know the size of a file before it is read.
    size += bytes.length
    if (size > MAX_BYTES) throw tooLarge(skill.name)
    return [path, bytes]
  })
  const { writeArchive } = await import('../../source/archive/write.js')
  return writeArchive(Object.fromEntries(files), options)
}

/** Reads a file by its path in the archive. Files of nested skills are read through the outer skill. */
export async function readArchiveFile(
  library: SkillLibrary,
  { folder, file }: ArchivedSkill,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return (await library.read(folder, path === 'SKILL.md' ? file : path, { signal })).bytes
}

function tooLarge(name: string): SkillshelfError {
  return new SkillshelfError('too-large', `${name} is too large for an archive (at most ${MAX_BYTES} bytes)`, {
    subject: name,
    figures: { most: MAX_BYTES },
    hint: 'read its files one by one',
  })
}
