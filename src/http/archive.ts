import { mapParallel } from '../async/parallel.js'
import type { SkillLibrary } from '../library/types.js'
import { SkillshelfError } from '../skill/error.js'

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
  const size = skill.files.reduce((sum, file) => sum + (file.size ?? 0), 0)
  if (size > MOST)
    throw new SkillshelfError('too-large', `${skill.name} has ${size} bytes; an archive is made of ${MOST} at most`, {
      subject: skill.id,
      hint: 'read its files one by one',
    })
  const paths = files.map(({ path }) => (path === skill.file ? 'SKILL.md' : path))
  return archiveFrom(library, { ...skill, folder: skill.id }, paths, format, signal)
}

/** An archive of files of a skill, by the paths that they have in it. */
export async function archiveFrom(
  library: SkillLibrary,
  skill: Spelled,
  paths: readonly string[],
  format: 'zip' | 'tar.gz',
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = await mapParallel(paths, PARALLEL, async path => [path, await readAs(library, skill, path, signal)])
  const { writeArchive } = await import('../source/archive/write.js')
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

interface Spelled {
  /** The id of the skill. */
  folder: string
  /** Its SKILL.md, as the library spells it. */
  file: string
}
