import { coalesce, mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { dirname, joinPath, relativePath, safePath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import { toReadResult } from '../http/http.js'
import { memory } from '../memory.js'
import type {
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
  ListOptions,
  ReadResult,
} from '../source.js'
import { INDEX_V2 } from './site-paths.js'
import {
  type ArtifactSkill,
  type IndexedSkill,
  parseIndex,
  type SkillIndex,
} from './skill-index.js'

const loadArchive = onDemand(() => import('../archive/archive.js'))

export interface WellKnownOptions {
  /** Path of the index, relative to the source's URL. @default .well-known/agent-skills/index.json */
  index?: string | undefined
  /** The index, if it has been fetched already. The first listing uses it. */
  found?: FetchResult | undefined
  /** Problems found while locating the site. They are listed as unreadable files. */
  problems?: readonly FileEntry[] | undefined
}

/**
 * Reads a skill site (Agent Skills Discovery v0.2 or v0.1) as a tree with one folder per skill.
 *
 * A skill with a digest is downloaded once, verified, and kept in memory until the index has another digest. Its files have the digest as
 * their version. Listing revalidates the index; listing one folder does not.
 *
 * `list` and `read` throw `source-not-found` if the index is missing, `format` or `unsupported` if it is invalid. Invalid entries are listed
 * as unreadable.
 */
export function wellKnown(source: FetchableSource, options: WellKnownOptions = {}): ListableSource {
  const { index = INDEX_V2, problems = [] } = options
  const artifacts = new Map<string, (signal: AbortSignal | undefined) => Promise<Artifact>>()
  let held: (SkillIndex & { version: string | undefined }) | undefined
  /** Whether the next listing may use `held` without revalidation. */
  let fresh = false

  const setIndex = (found: FetchResult): SkillIndex => {
    held = { ...parseIndex(found), version: found.version }
    const current = new Set(
      [...held.skills.values()].flatMap(skill =>
        skill.kind === 'files' ? [] : [artifactKey(skill)],
      ),
    )
    for (const key of artifacts.keys()) {
      if (!current.has(key)) artifacts.delete(key)
    }
    return held
  }
  if (options.found) {
    setIndex(options.found)
    fresh = true
  }

  const loadIndex = async (signal: AbortSignal | undefined): Promise<SkillIndex> => {
    throwIfAborted(signal)
    if (held && fresh) {
      fresh = false
      return held
    }
    const found = await source.fetch(index, { ifVersion: held?.version, signal })
    if (found === 'unchanged' && held) return held
    if (found === undefined || found === 'unchanged') {
      throw new SkillshelfError('source-not-found', `${source.name} has no ${index}`, {
        subject: index,
      })
    }
    return setIndex(found)
  }

  const getArtifact = (
    skill: ArtifactSkill,
    signal: AbortSignal | undefined,
  ): Promise<Artifact> => {
    const key = artifactKey(skill)
    const fetchOnce =
      artifacts.get(key) ?? once(fetchSignal => fetchArtifact(source, skill, fetchSignal))
    artifacts.set(key, fetchOnce)
    return fetchOnce(signal)
  }

  const listSkill = async (
    skill: IndexedSkill,
    { folder, summaries, signal }: ListOptions,
  ): Promise<FileEntry[]> => {
    if (skill.kind === 'files') {
      return [...skill.files.keys()].map(path => ({ path: joinPath(skill.name, path) }))
    }
    const { kind, name, description, digest: version } = skill
    const path = joinPath(name, 'SKILL.md')
    if (kind === 'skill-md') return [{ path, version }]
    if (summaries && folder === undefined && description !== undefined) {
      return [{ path, version, summary: { name, description } }]
    }
    try {
      const { files } = await getArtifact(skill, signal)
      return files.map(file => ({ ...file, path: joinPath(name, file.path), version }))
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      return [{ path, unreadable: errorMessage(error) }]
    }
  }

  return {
    name: source.name,
    async list(listing = {}) {
      const { folder, signal } = listing
      const { skills, invalid } = folder !== undefined && held ? held : await loadIndex(signal)
      const top = folder?.split('/')[0]
      const wanted = [...skills.values()].filter(({ name }) => !top || name === top)
      const listed = await mapParallel(wanted, PARALLEL_READS, skill => listSkill(skill, listing))
      return [...listed.flat(), ...(top ? [] : [...invalid, ...problems])]
    },
    async read(path, reading = {}) {
      const [name = '', ...rest] = safePath(path).split('/')
      throwIfAborted(reading.signal)
      const skill = (held ?? (await loadIndex(reading.signal))).skills.get(name)
      if (!skill) return undefined
      const inner = rest.join('/')
      if (skill.kind === 'files') {
        const url = skill.files.get(inner)
        return url === undefined ? undefined : toReadResult(await source.fetch(url, reading))
      }
      if (reading.ifVersion === skill.digest) return 'unchanged'
      const artifact = await getArtifact(skill, reading.signal)
      const found = inner === '' ? undefined : await artifact.read(inner)
      return typeof found === 'object' ? { bytes: found.bytes, version: skill.digest } : undefined
    },
    close: async () => source.close?.(),
  }
}

function artifactKey({ kind, url, digest }: ArtifactSkill): string {
  return `${kind} ${digest} ${url}`
}

/** Coalesces calls and caches the first success. A failure is not cached. */
function once<T>(
  create: (signal: AbortSignal) => Promise<T>,
): (signal: AbortSignal | undefined) => Promise<T> {
  let cached: { value: T } | undefined
  const share = coalesce(async signal => {
    cached ??= { value: await create(signal) }
    return cached.value
  })
  return async signal => cached?.value ?? share(signal)
}

/** The files of one skill in memory. */
interface Artifact {
  /** Paths are relative to the skill's folder. One is SKILL.md. */
  files: FileEntry[]
  /** Reads a file; `undefined` if there is none under this path, or it is unreadable. */
  read(path: string): Promise<ReadResult | 'unchanged' | undefined>
}

/** Downloads a skill, verifies its digest and opens it. @throws SkillshelfError `source-failed`, `format`, `too-large`, `unsupported` */
async function fetchArtifact(
  source: FetchableSource,
  { name, kind, url, digest }: ArtifactSkill,
  signal: AbortSignal,
): Promise<Artifact> {
  const found = await source.fetch(url, { signal })
  if (found === undefined || found === 'unchanged') {
    throw new SkillshelfError('source-failed', `${url} was not found`, { subject: url })
  }
  const actual = await digestOfLarge(found.bytes)
  if (actual !== digest) {
    throw new SkillshelfError(
      'source-failed',
      `${url} does not match the index: its digest is ${actual}`,
      {
        subject: url,
        hint: `the index expects ${digest}: publish the site again`,
      },
    )
  }
  if (kind === 'skill-md') return openSkillFolder(memory({ 'SKILL.md': found.bytes }), url)
  const { archive } = await loadArchive()
  return openSkillFolder(archive(found.bytes, { name, signal }), url)
}

/** Opens the topmost folder with a SKILL.md. The standard requires it at the root, but not all sites follow. */
async function openSkillFolder(files: ListableSource, url: string): Promise<Artifact> {
  const listing = await files.list()
  const skillFiles = listing.filter(
    ({ path, unreadable }) => !unreadable && /(?:^|\/)skill\.md$/i.test(path),
  )
  const depth = ({ path }: FileEntry): number => path.split('/').length
  const minDepth = Math.min(...skillFiles.map(depth))
  const folders = new Set(
    skillFiles.filter(file => depth(file) === minDepth).map(({ path }) => dirname(path)),
  )
  const [folder] = folders
  if (folder === undefined || folders.size > 1) {
    throw new SkillshelfError(
      'format',
      `${url} has ${folders.size === 0 ? 'no' : 'more than one'} SKILL.md`,
      {
        subject: url,
        hint: 'an archive must hold one skill with its SKILL.md at the root',
      },
    )
  }
  const inside = listing.filter(({ path }) => folder === '' || path.startsWith(`${folder}/`))
  const entries = new Map(inside.map(entry => [relativePath(folder, entry.path), entry]))
  if (!entries.has('SKILL.md')) {
    const spelling = [...entries.keys()].find(path => path.toLowerCase() === 'skill.md') as string
    entries.set('SKILL.md', entries.get(spelling) as FileEntry)
    entries.delete(spelling)
  }
  return {
    files: [...entries].map(([path, entry]) => ({ ...entry, path })),
    async read(path) {
      const entry = entries.get(path)
      return entry && !entry.unreadable ? files.read(entry.path) : undefined
    },
  }
}
