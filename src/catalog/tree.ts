import { mapParallel } from '../async/parallel.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { digestOf } from '../skill/digest.js'
import { isSkillshelfError, throwIfAborted } from '../skill/error.js'
import { metadataText, parseSkill } from '../skill/parse.js'
import { basename } from '../skill/path.js'
import { estimateTokens, type TokenCounter } from '../skill/tokens.js'
import type { FileInfo, SkillDetails } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import { discoverSkills, type SkillFolder } from './discover.js'
import type { CatalogEntry, TreeSkill } from './types.js'

export interface TreeOptions {
  /** Leave a skill out whose name or description is missing, instead of inferring it; report what breaks the specification as errors. Default false. */
  strict?: boolean
  countTokens?: TokenCounter
  signal?: AbortSignal
  onProgress?: (done: number, total: number) => void
}

/** One skill file as it was read: what a refresh compares with. */
export interface Known {
  path: string
  file: string
  /** Brought up to date where the version changed and the bytes did not. */
  version?: string
  entry: CatalogEntry
}

export interface Tree {
  /** Skills that are new, or whose SKILL.md or files are not as in `known`. */
  read: readonly TreeSkill[]
  /** Skills that are as in `known`, by path. */
  same: readonly string[]
  /** What is wrong with the source, and every skill that was left out. */
  diagnostics: readonly Diagnostic[]
  /** SKILL.md files found. */
  found: number
}

const PARALLEL_READS = 6
/** What a name or description can be missing for. */
const CAUSES = /-missing$|^empty-file$|frontmatter|^yaml-/

/**
 * Reads every skill of a source that can be listed. One imperfect skill never hides another: what cannot be used at all is left out, with a diagnostic.
 * @throws SkillshelfError when the source cannot be listed
 */
export async function readTree(
  source: SkillSource & Required<Pick<SkillSource, 'list'>>,
  options: TreeOptions = {},
  known: ReadonlyMap<string, Known> = new Map(),
): Promise<Tree> {
  const { signal, onProgress } = options
  const { folders, diagnostics } = discoverSkills(await source.list(signal ? { signal } : {}))
  const read: TreeSkill[] = []
  const same: string[] = []
  let done = 0
  await mapParallel(folders, PARALLEL_READS, async folder => {
    throwIfAborted(signal)
    const before = known.get(folder.path)
    const listed = listingDigest(folder)
    const unchangedFiles = before !== undefined && before.entry.details === listed && before.file === folder.file.path
    if (unchangedFiles && folder.file.version !== undefined && before.version === folder.file.version)
      same.push(folder.path)
    else {
      const skill = await readSkill(source, folder, listed, options, diagnostics)
      if (skill === 'unreadable') {
        // What was read of it before stays.
        if (before) same.push(folder.path)
      } else if (skill && unchangedFiles && before.entry.digest === skill.entry.digest) {
        same.push(folder.path)
        if (skill.version !== undefined) before.version = skill.version
      } else if (skill) read.push(skill)
    }
    onProgress?.(++done, folders.length)
  })
  // Whichever read came back first, the result is the same.
  const by =
    <T>(key: (one: T) => string) =>
    (a: T, b: T) =>
      key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0
  read.sort(by(skill => skill.entry.path))
  diagnostics.sort(by(({ path = '', code, message }) => [path, code, message].join('\n')))
  return { read, same, diagnostics, found: folders.length }
}

async function readSkill(
  source: SkillSource,
  folder: SkillFolder,
  listed: string,
  options: TreeOptions,
  diagnostics: Diagnostic[],
): Promise<TreeSkill | 'unreadable' | undefined> {
  const { strict = false, signal } = options
  const countTokens = countOnce(options.countTokens ?? estimateTokens)
  const path = folder.file.path
  const unreadable = (why: string): 'unreadable' => {
    diagnostics.push({ code: 'skill-unreadable', severity: 'error', message: `${path} cannot be read: ${why}`, path })
    return 'unreadable'
  }
  let result: Awaited<ReturnType<SkillSource['read']>>
  try {
    result = await source.read(path, signal ? { signal } : {})
  } catch (error) {
    throwIfAborted(signal)
    if (isSkillshelfError(error, 'aborted')) throw error
    return unreadable(error instanceof Error ? error.message : String(error))
  }
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
