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
  for (const { path, content } of skills) {
    if (content !== undefined) contents.set(path, content)
  }
  const groups = groupBy(skills, ({ lines }) => lines)
  // Most libraries have no copies.
  if (groups.size === skills.length) return contents
  const candidates = [...groups.values()]
    .filter(group => group.length > 1)
    .flatMap(group => [...groupBy(group, keyOf).values()])
    .filter(group => group.length > 1 && group.some(({ path }) => !contents.has(path)))
  try {
    for (const group of candidates) {
      const digests = await digestGroup(source, group, signal)
      for (const [index, { path }] of group.entries()) {
        const content = digests[index]
        if (content === undefined) contents.delete(path)
        else contents.set(path, content)
      }
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

/** The digests of skills with the same SKILL.md and file names, `undefined` for those that cannot be read. */
async function digestGroup(
  source: SkillSource,
  group: readonly PlacedSkill[],
  signal: AbortSignal | undefined,
): Promise<(string | undefined)[]> {
  const known = new Map<string, Promise<string>>()
  const read = async (path: string): Promise<string> => {
    const result = await source.read(path, { signal })
    if (typeof result !== 'object') throw new Error(`${path} cannot be read`)
    return digestOfLines(result.bytes)
  }
  /** Versions that differ may be those of two line ends. */
  const digestOfFile = (path: string, version: string, isShared: boolean): Promise<string> => {
    if (!CONTENT_VERSION.test(version)) return read(path)
    if (isShared) return Promise.resolve(version)
    const digest = known.get(version) ?? read(path)
    known.set(version, digest)
    return digest
  }
  const digests: (string | undefined)[] = []
  for (const { path: folder, name, lines, files = [] } of group) {
    try {
      const ofFiles = await mapParallel([...files.entries()], PARALLEL_READS, ([index, file]) => {
        const { path, version = '' } = file
        const isShared = group.every(({ files = [] }) => files[index]?.version === version)
        return digestOfFile(joinPath(folder, path), version, isShared)
      })
      digests.push(
        digestOf(JSON.stringify([name, lines, ...files.map(({ path }) => path), ...ofFiles])),
      )
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (isTimeoutError(error)) throw error
      digests.push(undefined)
    }
  }
  return digests
}
