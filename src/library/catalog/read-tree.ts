import { type AbortOptions, isTimeoutError } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf, digestOfLines, isDigest } from '../../core/digest.js'
import { errorMessage, isSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { basename, joinPath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { estimateTokens, INSTRUCTIONS_TOKENS, type TokenCounter } from '../../core/tokens.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { MESSAGES_FILE } from '../../skill/messages.js'
import { metadataText, parseSkill } from '../../skill/parse.js'
import type { SystemRules } from '../../skill/specification.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ListableSource, SkillSource } from '../../source/source.js'
import type { CatalogEntry, TreeSkill } from './catalog-entry.js'
import { discoverSkills, type SkillFolder, unreadableFolders } from './discover.js'
import { type Contents, type PlacedSkill, readContents } from './read-contents.js'
import { readMessages } from './read-messages.js'
import { fieldsOfMetadata } from './summary-fields.js'

export interface TreeOptions extends AbortOptions {
  /** Leaves out skills without a name or description, and reports violations of the specification as errors. @default false */
  strict?: boolean | undefined
  /** What a system allows beyond the specification. */
  allows?: SystemRules | undefined
  countTokens?: TokenCounter | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

export interface ReadTreeOptions extends TreeOptions {
  /** Use the summaries in the listing instead of fetching skills that can only be fetched whole. @default false */
  summaries?: boolean | undefined
}

/** A skill of an earlier read, to compare with. */
export interface KnownSkill {
  path: string
  file: string
  /** Updated in place if the version changed but the bytes did not. */
  version?: string
  entry: CatalogEntry
  /** See `TreeSkill`. */
  lines?: string
  /** Digest of the whole skill, if it may have had a copy. */
  content?: string | undefined
}

export interface Tree {
  /** Skills that are new, or that changed since the earlier read. Sorted by path. */
  changed: readonly TreeSkill[]
  unchanged: readonly string[]
  contents: Contents
  /** Problems of the source, and every skill that was left out. */
  diagnostics: readonly Diagnostic[]
  /** Number of SKILL.md files in the listing. */
  found: number
  /** True if the root holds a packed library. */
  packed: boolean
}

/** Codes of diagnostics that explain a missing name or description. */
const CAUSES = /-missing$|^empty-file$|^file-not-there$|frontmatter|^yaml-/

/**
 * Reads every skill of a source. Skills that cannot be used are left out with a diagnostic; the others are not affected.
 * @param known Skills of the last read by path. Unchanged ones are not parsed again.
 * @throws SkillshelfError as `source.list` throws, `source-failed` if several reads in a row time out.
 */
export async function readTree(
  source: ListableSource,
  options: ReadTreeOptions = {},
  known: ReadonlyMap<string, KnownSkill> = new Map(),
): Promise<Tree> {
  const { signal, onProgress, summaries, countTokens = estimateTokens } = options
  const listing = await source.list({ summaries, signal })
  const { folders, diagnostics } = discoverSkills(listing)
  const changed: TreeSkill[] = []
  const unchanged: string[] = []
  let done = 0
  const readSkill = createSkillReader(source, options, diagnostics)
  await mapParallel(folders, PARALLEL_READS, async folder => {
    throwIfAborted(signal)
    const { path, file } = folder
    const before = known.get(path)
    const files = filesDigest(folder)
    const sameFiles =
      before !== undefined && before.entry.details === files && before.file === file.path
    const unread = summaries ? unreadSkill(folder, countTokens) : undefined
    if (unread) {
      const { digest, details } = unread.entry
      if (before?.entry.digest === digest && before.entry.details === details) unchanged.push(path)
      else changed.push(unread)
    } else if (sameFiles && file.version !== undefined && before.version === file.version) {
      unchanged.push(path)
    } else {
      // Some sources report versions only when a file is read.
      const ifVersion = sameFiles && file.version === undefined ? before.version : undefined
      const skill = await readSkill(folder, files, ifVersion)
      if (skill === 'unchanged' || (skill === 'unreadable' && before)) unchanged.push(path)
      else if (
        typeof skill === 'object' &&
        sameFiles &&
        before.entry.digest === skill.entry.digest
      ) {
        unchanged.push(path)
        if (skill.version !== undefined) before.version = skill.version
      } else if (typeof skill === 'object') changed.push(skill)
    }
    done++
    onProgress?.(done, folders.length)
  })
  const found = new Set(folders.map(({ path }) => path))
  const isUnreadable = unreadableFolders(listing)
  for (const path of known.keys()) {
    if (!found.has(path) && isUnreadable(path)) unchanged.push(path)
  }
  const placed = placeSkills(folders, { changed, unchanged, known })
  const contents = await readContents(source, placed, { signal })
  // Reads finish in any order; the result must not depend on it.
  changed.sort(compareBy(skill => skill.entry.path))
  diagnostics.sort(compareBy(({ path = '', code, message }) => [path, code, message].join('\n')))
  const packed = listing.some(({ path }) => path === CATALOG_FILE)
  return { changed, unchanged, contents, diagnostics, found: folders.length, packed }
}

/** The skills of a tree, to find copies among them. */
function placeSkills(
  folders: readonly SkillFolder[],
  {
    changed,
    unchanged,
    known,
  }: Pick<Tree, 'changed' | 'unchanged'> & { known: ReadonlyMap<string, KnownSkill> },
): PlacedSkill[] {
  const filesOf = new Map(folders.map(({ path, files }) => [path, files]))
  const place = ({ entry, lines = entry.digest }: Pick<KnownSkill, 'entry' | 'lines'>) => {
    const { path, name } = entry
    return { path, name, lines, files: filesOf.get(path) }
  }
  return [
    ...changed.map(place),
    ...unchanged.flatMap(path => {
      const skill = known.get(path)
      return skill ? [{ ...place(skill), content: skill.content }] : []
    }),
  ]
}

/** Makes an entry from the summary in a listing, if any. Its size is unknown: the recommended maximum keeps budgets safe. */
function unreadSkill(
  { path, file }: SkillFolder,
  countTokens: TokenCounter,
): TreeSkill | undefined {
  const { summary, version } = file
  if (!summary?.name || !summary.description) return undefined
  const { name, description } = summary
  const summaryDigest = digestOf(JSON.stringify([name, description]))
  const hasDigest = version !== undefined && isDigest(version)
  return {
    entry: {
      path,
      name,
      description,
      tags: [],
      digest: hasDigest
        ? version
        : digestOf(JSON.stringify([file.path, version ?? '', summaryDigest])),
      details: summaryDigest,
      tokens: { metadata: countTokens(metadataText(summary)), instructions: INSTRUCTIONS_TOKENS },
      unread: true,
    },
    file: file.path,
    ...(version === undefined ? {} : { version }),
    details: {
      metadata: { name, description },
      frontmatter: '',
      file: basename(file.path),
      files: [],
      diagnostics: [],
    },
    body: '',
  }
}

/** Returns a function that reads and parses one skill. The result is `undefined` if the skill is left out. */
function createSkillReader(
  source: SkillSource,
  { strict = false, allows, countTokens = estimateTokens, signal }: TreeOptions,
  diagnostics: Diagnostic[],
) {
  let timeoutsInARow = 0
  const report = (code: Diagnostic['code'], path: string, problem: string, hint?: string): void => {
    const details = hint === undefined ? { path } : { path, hint }
    diagnostics.push({ code, severity: 'error', message: `${path} ${problem}`, ...details })
  }

  return async (
    folder: SkillFolder,
    filesDigest: string,
    ifVersion: string | undefined,
  ): Promise<TreeSkill | 'unchanged' | 'unreadable' | undefined> => {
    const { path } = folder.file
    let result: Awaited<ReturnType<SkillSource['read']>>
    try {
      result = await source.read(path, { ifVersion, signal })
      timeoutsInARow = 0
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (isSkillshelfError(error, 'aborted')) throw error
      // One file that never arrives is left out. A source that stopped answering would take a timeout for each of its files.
      if (isTimeoutError(error)) {
        timeoutsInARow++
        if (timeoutsInARow >= PARALLEL_READS) throw error
      }
      report('skill-unreadable', path, `cannot be read: ${errorMessage(error)}`)
      return 'unreadable'
    }
    if (result === 'unchanged' && ifVersion) return result
    if (typeof result !== 'object') {
      report(
        'skill-unreadable',
        path,
        'cannot be read: the source lists the file, but does not have it',
      )
      return undefined
    }
    const { bytes, version = folder.file.version } = result
    const count = cachedCounter(countTokens)
    const parsed = await parseSkill(bytes, {
      folder: folder.path,
      infer: !strict,
      strict,
      allows,
      countTokens: count,
    })
    const { metadata } = parsed
    const own = parsed.diagnostics.map(one => ({ ...one, path }))
    if (metadata.name === '' || metadata.description === '') {
      const causes = own.filter(one => one.severity === 'error' && CAUSES.test(one.code))
      const problems = causes
        .map(({ message }) => message.charAt(0).toLowerCase() + message.slice(1))
        .join('; ')
      report(
        'skill-left-out',
        path,
        `was left out: ${problems}`,
        'add a name and a description to the frontmatter',
      )
      return undefined
    }
    const {
      messages,
      notMessages,
      diagnostics: ignored,
    } = await readMessages(source, folder, metadata.messages ?? [], signal)
    own.push(...ignored.map(one => ({ ...one, path: joinPath(folder.path, MESSAGES_FILE) })))
    const hasReturns = own.some(({ code }) => code === 'crlf')
    return {
      entry: {
        ...fieldsOfMetadata(metadata),
        path: folder.path,
        digest: digestOf(bytes),
        details: filesDigest,
        tokens: { metadata: count(metadataText(metadata)), instructions: count(parsed.body) },
      },
      file: path,
      ...(version === undefined ? {} : { version }),
      ...(hasReturns ? { lines: await digestOfLines(bytes) } : {}),
      details: {
        metadata,
        frontmatter: parsed.frontmatter,
        file: basename(path),
        files: folder.files.map(({ version: _, ...file }) => file),
        ...(messages.length > 0 ? { messages } : {}),
        ...(notMessages.length > 0 ? { notMessages } : {}),
        diagnostics: own,
      },
      body: parsed.body,
    }
  }
}

/** Caches counts: the parser counts the same texts for its warnings, and counting dominates the cost of reading a skill. */
function cachedCounter(countTokens: TokenCounter): TokenCounter {
  const counts = new Map<string, number>()
  return text => {
    const count = counts.get(text) ?? countTokens(text)
    counts.set(text, count)
    return count
  }
}

/** Changes with the name, size or version of any file beside the SKILL.md. */
function filesDigest(folder: SkillFolder): string {
  return folder.files.length === 0
    ? ''
    : digestOf(
        folder.files
          .map(({ path, size, version }) => `${path}\t${size ?? ''}\t${version ?? ''}`)
          .join('\n'),
      )
}

function compareBy<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => {
    const keyOfA = key(a)
    const keyOfB = key(b)
    if (keyOfA === keyOfB) return 0
    return keyOfA < keyOfB ? -1 : 1
  }
}
