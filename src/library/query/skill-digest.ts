import type { AbortOptions } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLarge } from '../../core/digest.js'
import { checkOptionNames, ONLY_SIGNAL } from '../../core/text/option-names.js'
import type { Skill, SkillFile, SkillId } from '../../skill/skill.js'
import type { SkillLibrary } from '../api/skill-library.js'

/** Options of `digestOfOpened`. */
interface DigestOptions extends AbortOptions {
  /** A file that was read: its bytes count, whatever the source has by now. */
  read?: Pick<SkillFile, 'path' | 'bytes'> | undefined
}

/**
 * The digest of a whole skill: its SKILL.md and every other file, by path and content. It is what `trust` of `createSession` compares.
 *
 * Files of packed libraries and engines have digests, so nothing is read. Those of plain folders are read.
 * @param skill Name or id of the skill.
 * @param options `signal` aborts.
 * @returns `sha256:` and 64 hex digits
 * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `source-failed`, `aborted`, `closed`
 * @example
 * ```ts
 * import { createSession, skillDigest } from 'skillshelf/session'
 *
 * const reviewed = { 'team/pdf': await skillDigest(library, 'team/pdf') }
 * const session = createSession(library, { trust: reviewed })
 * ```
 */
export async function skillDigest(
  library: Pick<SkillLibrary, 'get' | 'read'>,
  skill: SkillId,
  options: AbortOptions = {},
): Promise<string> {
  checkOptionNames(options, ONLY_SIGNAL)
  const { signal } = options
  return digestOfOpened(library, await library.get(skill, { signal }), { signal })
}

/** S12: the digest of a skill with every file, as it is now. */
export async function digestOfOpened(
  library: Pick<SkillLibrary, 'read'>,
  skill: Skill,
  { read, signal }: DigestOptions = {},
): Promise<string> {
  const digestOfFile = async (path: string, known: string | undefined): Promise<string> => {
    if (read?.path === path) return digestOfLarge(read.bytes)
    return known ?? digestOfLarge((await library.read(skill.id, path, { signal })).bytes)
  }
  const files = [{ path: skill.file, digest: skill.digest }, ...skill.files]
  const lines = await mapParallel(files, PARALLEL_READS, async ({ path, digest }) =>
    JSON.stringify([path, await digestOfFile(path, digest)]),
  )
  // By code units, which no locale changes.
  return digestOf(['skillshelf-skill/1', ...lines.sort()].join('\n'))
}
