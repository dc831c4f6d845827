import { isTimeoutError } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOf } from '../../core/digest.js'
import { errorMessage, isSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { basename, joinPath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { estimateTokens, type TokenCounter } from '../../core/tokens.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { joinMessages, MESSAGES_FILE, parseMessages } from '../../skill/messages.js'
import { metadataText, parseSkill } from '../../skill/parse.js'
import type { FileInfo, SkillDetails } from '../../skill/skill.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ListableSource, SkillSource } from '../../source/source.js'
import { discoverSkills, type SkillFolder, unreadableFolders } from './discover.js'
import type { CatalogEntry, TreeSkill } from './types.js'
import { unreadSkill } from './unread-skill.js'

export interface TreeOptions {
  /**
   * Leave out skills without a name or description instead of inferring them, and report what breaks the specification as errors.
   * @default false
   */
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

export interface ReadTreeOptions extends TreeOptions {
  /**
   * Use the summaries in the listing instead of fetching skills that can only be fetched whole.
   * @default false
   */
  summaries?: boolean | undefined
}

/** A skill of an earlier read, to compare with. */
export interface KnownSkill {
  path: string
  file: string
  /** Updated in place if the version changed but the bytes did not. */
  version?: string
  entry: CatalogEntry
}

export interface Tree {
  /** Skills that are new, or that changed since the earlier read. Sorted by path. */
  changed: readonly TreeSkill[]
  /** Paths of the skills that did not change. */
  unchanged: readonly string[]
  /** Problems of the source, and every skill that was left out. */
  diagnostics: readonly Diagnostic[]
  /** Number of SKILL.md files in the listing. */
  found: number
  /** True if the root holds a packed library. */
  packed: boolean
}

/** Codes of diagnostics that explain a missing name or description. */
const CAUSES = /-missing$|^empty-file$|frontmatter|^yaml-/

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
  const { signal, onProgress, summaries } = options
  const listing = await source.list({ summaries, signal })
  const { folders, diagnostics } = discoverSkills(listing)
  const changed: TreeSkill[] = []
  const unchanged: string[] = []
  let done = 0
  const timeouts = { inARow: 0 }
  await mapParallel(folders, PARALLEL_READS, async folder => {
    throwIfAborted(signal)
    const before = known.get(folder.path)
    const files = filesDigest(folder)
    const sameFiles = before !== undefined && before.entry.details === files && before.file === folder.file.path
    const unread = summaries ? unreadSkill(folder, options.countTokens) : undefined
    if (unread) {
      const { digest, details } = unread.entry
      if (before?.entry.digest === digest && before.entry.details === details) unchanged.push(folder.path)
      else changed.push(unread)
    } else if (sameFiles && folder.file.version !== undefined && before.version === folder.file.version)
      unchanged.push(folder.path)
    else {
      // Some sources report versions only when a file is read.
      const ifVersion = sameFiles && folder.file.version === undefined ? before.version : undefined
      const skill = await readSkill(source, folder, files, ifVersion, options, diagnostics, timeouts)
      if (skill === 'unchanged') unchanged.push(folder.path)
      else if (skill === 'unreadable') {
        if (before) unchanged.push(folder.path)
      } else if (skill && sameFiles && before.entry.digest === skill.entry.digest) {
        unchanged.push(folder.path)
        if (skill.version !== undefined) before.version = skill.version
      } else if (skill) changed.push(skill)
    }
    onProgress?.(++done, folders.length)
  })
  const found = new Set(folders.map(({ path }) => path))
  const isUnreadable = unreadableFolders(listing)
  for (const path of known.keys()) if (!found.has(path) && isUnreadable(path)) unchanged.push(path)
  // Reads finish in any order; the result must not depend on it.
  changed.sort(compareBy(skill => skill.entry.path))
  diagnostics.sort(compareBy(({ path = '', code, message }) => [path, code, message].join('\n')))
  return {
    changed,
    unchanged,
    diagnostics,
    found: folders.length,
    packed: listing.some(({ path }) => path === CATALOG_FILE),
  }
}

/** Reads and parses one skill; `undefined` if it is left out. */
async function readSkill(
  source: SkillSource,
  folder: SkillFolder,
  files: string,
  ifVersion: string | undefined,
  options: TreeOptions,
  diagnostics: Diagnostic[],
  timeouts: { inARow: number },
): Promise<TreeSkill | 'unchanged' | 'unreadable' | undefined> {
  const { strict = false, signal } = options
  const countTokens = cachedCounter(options.countTokens ?? estimateTokens)
  const path = folder.file.path
  const reportUnreadable = (reason: string): void =>
    void diagnostics.push({
      code: 'skill-unreadable',
      severity: 'error',
      message: `${path} cannot be read: ${reason}`,
      path,
    })
  let result: Awaited<ReturnType<SkillSource['read']>>
  try {
    result = await source.read(path, { ifVersion, signal })
    timeouts.inARow = 0
  } catch (error) {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    if (isSkillshelfError(error, 'aborted')) throw error
    // One file that never arrives is left out. A source that stopped answering would take a timeout for each of its files.
    if (isTimeoutError(error) && ++timeouts.inARow >= PARALLEL_READS) throw error
    reportUnreadable(errorMessage(error))
    return 'unreadable'
  }
  if (result === 'unchanged' && ifVersion) return result
  if (result === undefined || result === 'unchanged') {
    reportUnreadable('the source lists the file, but does not have it')
    return undefined
  }
  const { bytes, version = folder.file.version } = result
  const parsed = await parseSkill(bytes, { folder: folder.path, infer: !strict, strict, countTokens })
  const { metadata } = parsed
  const own = parsed.diagnostics.map(one => ({ ...one, path }))
  if (metadata.name === '' || metadata.description === '') {
    const causes = own.filter(one => one.severity === 'error' && CAUSES.test(one.code))
    diagnostics.push({
      code: 'skill-left-out',
      severity: 'error',
      message: `${path} was left out: ${causes.map(one => lowerFirst(one.message)).join('; ')}`,
      path,
      hint: 'add a name and a description to the frontmatter',
    })
    return undefined
  }
  const entry: CatalogEntry = {
    path: folder.path,
    name: metadata.name,
    ...(metadata.displayName !== undefined ? { displayName: metadata.displayName } : {}),
    description: metadata.description,
    tags: metadata.tags ?? [],
    digest: digestOf(bytes),
    details: files,
    tokens: { metadata: countTokens(metadataText(metadata)), instructions: countTokens(parsed.body) },
    ...(metadata.inferred ? { inferred: metadata.inferred } : {}),
    ...(metadata.enabled === false ? { enabled: false } : {}),
    ...(metadata.disableModelInvocation ? { disableModelInvocation: true } : {}),
    ...(metadata.userInvocable === false ? { userInvocable: false } : {}),
  }
  const { messages, diagnostics: ignored } = await readMessages(source, folder, metadata.messages ?? [], signal)
  own.push(...ignored.map(one => ({ ...one, path: joinPath(folder.path, MESSAGES_FILE) })))
  const details: SkillDetails = {
    metadata,
    frontmatter: parsed.frontmatter,
    file: basename(path),
    files: folder.files.map(
      ({ path: file, size }): FileInfo => ({ path: file, ...(size === undefined ? {} : { size }) }),
    ),
    ...(messages.length > 0 ? { messages } : {}),
    diagnostics: own,
  }
  return { entry, file: path, ...(version === undefined ? {} : { version }), details, body: parsed.body }
}

/** The messages of the frontmatter and of the file beside it. */
async function readMessages(
  source: SkillSource,
  { path, files }: SkillFolder,
  own: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof joinMessages>> {
  if (!files.some(file => file.path === MESSAGES_FILE)) return joinMessages(own)
  try {
    const result = await source.read(joinPath(path, MESSAGES_FILE), { signal })
    const text = result === undefined || result === 'unchanged' ? '' : decodeText(result.bytes).text
    return joinMessages([...own, ...parseMessages(text)])
  } catch (error) {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    const { messages, diagnostics } = joinMessages(own)
    const message = `${MESSAGES_FILE} cannot be read: ${errorMessage(error)}`
    return { messages, diagnostics: [...diagnostics, { code: 'messages-ignored', severity: 'warning', message }] }
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
    : digestOf(folder.files.map(({ path, size, version }) => `${path}\t${size ?? ''}\t${version ?? ''}`).join('\n'))
}

function compareBy<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
