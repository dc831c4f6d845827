import { mapParallel } from '../../core/concurrency.js'
import { SkillshelfError } from '../../core/errors.js'
import type { SkillLibrary } from '../../library/types.js'

/** Bytes of a skill's files that are put into one archive: more does not fit an edge Worker beside the archive itself. */
const MOST = 32 * 1_024 * 1_024
const PARALLEL = 6

/** A skill with all its files, SKILL.md at the root. The same skill gives the same bytes. */
export async function archiveOf(
  library: SkillLibrary,
  name: string,
  format: 'zip' | 'tar.gz',
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const skill = await library.get(name, { signal })
  const files = [{ path: skill.file }, ...skill.files]
  if (skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0) > MOST) throw tooLarge(skill.name)
  const paths = files.map(({ path }) => (path === skill.file ? 'SKILL.md' : path))
  return archiveFrom(library, { ...skill, folder: skill.id }, paths, format, signal)
}

/**
 * An archive of files of a skill, by the paths that they have in it.
 * @throws SkillshelfError `too-large` where they are more than fits
 */
export async function archiveFrom(
  library: SkillLibrary,
  skill: Spelled,
  paths: readonly string[],
  format: 'zip' | 'tar.gz',
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let size = 0
  const read = await mapParallel(paths, PARALLEL, async path => {
    const bytes = await readAs(library, skill, path, signal)
    // Not every source knows before how large a file is.
    size += bytes.length
    if (size > MOST) throw tooLarge(skill.name)
    return [path, bytes]
  })
  const { writeArchive } = await import('../../source/archive/write.js')
  return writeArchive(Object.fromEntries(read), { format })
}

/** A file of a skill, whose SKILL.md is called so however it is spelled. Those of skills further in are read through it. */
export async function readAs(
  library: SkillLibrary,
  { folder, file }: Spelled,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  return (await library.read(folder, path === 'SKILL.md' ? file : path, { signal })).bytes
}

function tooLarge(name: string): SkillshelfError {
  return new SkillshelfError('too-large', `${name} has too many bytes; an archive is made of ${MOST} at most`, {
    subject: name,
    figures: { most: MOST },
    hint: 'read its files one by one',
  })
}

interface Spelled {
  name: string
  /** The id of the skill. */
  folder: string
  /** Its SKILL.md, as the library spells it. */
  file: string
}
