import { mapParallel } from '../core/concurrency.js'
import { digestOf } from '../core/digest.js'
import { errorMessage, isSkillshelfError, throwIfAborted } from '../core/errors.js'
import { basename } from '../core/paths.js'
import { rethrowCallbackError } from '../core/progress.js'
import { estimateTokens, type TokenCounter } from '../core/tokens.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import { metadataText, parseSkill } from '../skill/parse.js'
import type { FileInfo, SkillDetails } from '../skill/types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { ListableSource, SkillSource } from '../source/types.js'
import { discoverSkills, type SkillFolder, unreadableFolders } from './discover.js'
import type { CatalogEntry, TreeSkill } from './types.js'
import { unreadSkill } from './unread-skill.js'

export interface TreeOptions {
  /** Leave a skill out whose name or description is missing, instead of inferring it; report what breaks the specification as errors. Default false. */
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
}

export interface ReadTreeOptions extends TreeOptions {
  /** Skills that would have to be fetched whole are not: what their source says of them will do. Default false. */
  summaries?: boolean | undefined
}

/** One skill file as it was read: what a refresh compares with. */
export interface KnownSkill {
  path: string
  file: string
  /** Brought up to date where the version changed and the bytes did not. */
  version?: string
  entry: CatalogEntry
}

export interface Tree {
  /** Skills that are new, or whose SKILL.md or files are not as in `known`. */
  changed: readonly TreeSkill[]
  /** Skills that are as in `known`, by path. */
  unchanged: readonly string[]
  /** What is wrong with the source, and every skill that was left out. */
  diagnostics: readonly Diagnostic[]
  /** SKILL.md files found. */
  found: number
  /** There is a packed library at the root, which goes before its files. */
  packed: boolean
}

const PARALLEL_READS = 6
/** What a name or description can be missing for. */
const CAUSES = /-missing$|^empty-file$|frontmatter|^yaml-/

/**
 * Reads every skill of a source that can be listed. One imperfect skill never hides another: what cannot be used at all is left out, with a diagnostic.
 * @throws SkillshelfError when the source cannot be listed
 */
export async function readTree(
  source: ListableSource,
  options: ReadTreeOptions = {},
  known: ReadonlyMap<string, KnownSkill> = new Map(),
): Promise<Tree> {
  const { signal, onProgress, summaries } = options
  const listing = await source.list({ ...(summaries ? { summaries } : {}), ...(signal ? { signal } : {}) })
  const { folders, diagnostics } = discoverSkills(listing)
  const read: TreeSkill[] = []
  const same: string[] = []
  let done = 0
  await mapParallel(folders, PARALLEL_READS, async folder => {
    throwIfAborted(signal)
    const before = known.get(folder.path)
    const listed = listingDigest(folder)
    const unchangedFiles = before !== undefined && before.entry.details === listed && before.file === folder.file.path
    const unread = summaries ? unreadSkill(folder, options.countTokens) : undefined
    if (unread) {
      const { digest, details } = unread.entry
      if (before?.entry.digest === digest && before.entry.details === details) same.push(folder.path)
      else read.push(unread)
    } else if (unchangedFiles && folder.file.version !== undefined && before.version === folder.file.version)
      same.push(folder.path)
    else {
      // Where a listing has no versions, reading may.
      const ifVersion = unchangedFiles && folder.file.version === undefined ? before.version : undefined
      const skill = await readSkill(source, folder, listed, ifVersion, options, diagnostics)
      if (skill === 'unchanged') same.push(folder.path)
      else if (skill === 'unreadable') {
        // What was read of it before stays.
        if (before) same.push(folder.path)
      } else if (skill && unchangedFiles && before.entry.digest === skill.entry.digest) {
        same.push(folder.path)
        if (skill.version !== undefined) before.version = skill.version
      } else if (skill) read.push(skill)
    }
    onProgress?.(++done, folders.length)
  })
  const found = new Set(folders.map(({ path }) => path))
  const isHidden = unreadableFolders(listing)
  for (const path of known.keys()) if (!found.has(path) && isHidden(path)) same.push(path)
  // Whichever read came back first, the result is the same.
  const by =
    <T>(key: (one: T) => string) =>
    (a: T, b: T) =>
      key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0
  read.sort(by(skill => skill.entry.path))
  diagnostics.sort(by(({ path = '', code, message }) => [path, code, message].join('\n')))
  return {
    changed: read,
    unchanged: same,
    diagnostics,
    found: folders.length,
    packed: listing.some(({ path }) => path === CATALOG_FILE),
  }
}

async function readSkill(
  source: SkillSource,
  folder: SkillFolder,
  listed: string,
  ifVersion: string | undefined,
  options: TreeOptions,
  diagnostics: Diagnostic[],
): Promise<TreeSkill | 'unchanged' | 'unreadable' | undefined> {
  const { strict = false, signal } = options
  const countTokens = countOnce(options.countTokens ?? estimateTokens)
  const path = folder.file.path
  const unreadable = (why: string): 'unreadable' => {
    diagnostics.push({ code: 'skill-unreadable', severity: 'error', message: `${path} cannot be read: ${why}`, path })
    return 'unreadable'
  }
  let result: Awaited<ReturnType<SkillSource['read']>>
  try {
    result = await source.read(path, { ...(ifVersion ? { ifVersion } : {}), ...(signal ? { signal } : {}) })
  } catch (error) {
    throwIfAborted(signal)
    rethrowCallbackError(error)
    if (isSkillshelfError(error, 'aborted')) throw error
    return unreadable(errorMessage(error))
  }
  if (result === 'unchanged' && ifVersion) return result
  if (result === undefined || result === 'unchanged') {
    unreadable('it is listed but not there')
    return undefined
  }
  const { bytes, version = folder.file.version } = result
  const parsed = await parseSkill(bytes, { folder: folder.path, infer: !strict, strict, countTokens })
  const { metadata } = parsed
  const own = parsed.diagnostics.map(one => ({ ...one, path }))
  if (metadata.name === '' || metadata.description === '') {
    const why = own.filter(one => one.severity === 'error' && CAUSES.test(one.code))
    diagnostics.push({
      code: 'skill-left-out',
      severity: 'error',
      message: `${path} was left out: ${why.map(one => one.message.toLowerCase()).join('; ')}`,
      path,
      hint: 'give it a name and a description',
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
    details: listed,
    tokens: { metadata: countTokens(metadataText(metadata)), instructions: countTokens(parsed.body) },
    ...(metadata.inferred ? { inferred: metadata.inferred } : {}),
    ...(metadata.enabled === false ? { enabled: false } : {}),
    ...(metadata.disableModelInvocation ? { disableModelInvocation: true } : {}),
    ...(metadata.userInvocable === false ? { userInvocable: false } : {}),
  }
  const details: SkillDetails = {
    metadata,
    frontmatter: parsed.frontmatter,
    file: basename(path),
    files: folder.files.map(
      ({ path: file, size }): FileInfo => ({ path: file, ...(size === undefined ? {} : { size }) }),
    ),
    diagnostics: own,
  }
  return { entry, file: path, ...(version === undefined ? {} : { version }), details, body: parsed.body }
}

/** The parser counts the same texts to warn of long ones, and counting is what reading a skill costs most. */
function countOnce(countTokens: TokenCounter): TokenCounter {
  const counts = new Map<string, number>()
  return text => {
    const known = counts.get(text) ?? countTokens(text)
    counts.set(text, known)
    return known
  }
}

/** Changes with the name, size or version of any file beside the SKILL.md. */
function listingDigest(folder: SkillFolder): string {
  return folder.files.length === 0
    ? ''
    : digestOf(folder.files.map(({ path, size, version }) => `${path}\t${size ?? ''}\t${version ?? ''}`).join('\n'))
}
