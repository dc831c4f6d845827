import { type AbortOptions, isTimeoutError } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLines } from '../../core/digest.js'
import { throwIfAborted } from '../../core/errors.js'
import { groupBy } from '../../core/group-by.js'
import { joinPath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type { SkillSource } from '../../source/source.js'
import type { CatalogEntry } from './catalog-entry.js'
import type { SkillFolder } from './discover.js'

/** A version that is a digest of the content, such as those of Git and most ETags. A time of modification is none. */
const CONTENT_VERSION = /^(?:[a-z0-9]+:)?(?=.*[a-f])[0-9a-f]{16,}$/

/** A skill of a tree, as far as it may be a copy of another. */
export interface PlacedSkill extends Pick<CatalogEntry, 'path' | 'name'> {
  /** Digest of its SKILL.md, with LF for CRLF. */
  lines: string
  /** Its other files. `undefined` if the listing lacks them. */
  files: SkillFolder['files'] | undefined
  /** The digest of an earlier read, if nothing of the skill changed since. */
  content?: string | undefined
}

/** Digests of whole skills by path: name, SKILL.md and every other file. Only of skills that may have a copy. */
export type Contents = ReadonlyMap<string, string>

/**
 * Digests the skills that have the SKILL.md and the file names of another one. Files are read only if the versions in the listing do not
 * tell. A skill whose files cannot be read is no copy.
 * @throws SkillshelfError `aborted`
 */
export async function readContents(
  source: SkillSource,
  skills: readonly PlacedSkill[],
  { signal }: AbortOptions,
): Promise<Contents> {
  const contents = new Map<string, string>()
  for (const { path, content } of skills) if (content !== undefined) contents.set(path, content)
  const groups = groupBy(skills, ({ lines }) => lines)
  // Most libraries have no copies.
  if (groups.size === skills.length) return contents
  const candidates = [...groups.values()]
    .filter(group => group.length > 1)
    .flatMap(group => [...groupBy(group, keyOf).values()])
    .filter(group => group.length > 1)
    .flat()
  try {
    for (const skill of candidates) {
      if (contents.has(skill.path)) continue
      const content = await readContent(source, skill, signal)
      if (content !== undefined) contents.set(skill.path, content)
    }
  } catch (error) {
    // Each file of a source that stopped answering would take a timeout.
    if (!isTimeoutError(error)) throw error
  }
  return contents
}

/** A skill that the listing lacks may have any files. */
function keyOf({ name, files }: PlacedSkill): string | undefined {
  return files && JSON.stringify([name, files.map(({ path }) => path)])
}

async function readContent(
  source: SkillSource,
  { path: folder, name, lines, files = [] }: PlacedSkill,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const digests = await mapParallel(files, PARALLEL_READS, async ({ path, version = '' }) => {
      if (CONTENT_VERSION.test(version)) return [path, version]
      const result = await source.read(joinPath(folder, path), { signal })
      if (typeof result !== 'object') throw new Error(`${path} cannot be read`)
      return [path, await digestOfLines(result.bytes)]
    })
    return digestOf(JSON.stringify([name, lines, ...digests]))
  } catch (error) {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    if (isTimeoutError(error)) throw error
    return undefined
  }
}
