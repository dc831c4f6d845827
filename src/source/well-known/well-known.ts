import { coalesce, mapParallel } from '../../core/concurrency.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { joinPath, safePath } from '../../core/paths.js'
import { rethrowCallbackError } from '../../core/progress.js'
import type {
  FetchableSource,
  FetchResult,
  FileEntry,
  ListableSource,
  ListOptions,
  ReadOptions,
  ReadResult,
} from '../types.js'
import { type Artifact, fetchArtifact } from './artifact.js'
import { INDEX_V2 } from './index-paths.js'
import { type ArtifactSkill, type IndexedSkill, readIndex, type SkillIndex } from './skill-index.js'

export interface WellKnownOptions {
  /** Where the index is, relative to the source's address. Default: where v0.2 has it, `.well-known/agent-skills/index.json`. */
  index?: string | undefined
  /** The index, where it has been fetched already: the first listing goes by it. */
  found?: FetchResult | undefined
  /** What else is wrong with the place: listed beside what is there. */
  notes?: readonly FileEntry[] | undefined
}

const PARALLEL_FETCHES = 6

/**
 * A skill site (v0.2 or v0.1 of Agent Skills Discovery) as a tree: a folder for each skill of its index. What has a digest is fetched
 * once, checked before it is opened, and kept in memory until the index says another digest; every file of it has that as its version.
 * Listing asks for the index again, on condition that it changed; the listing of one folder does not.
 *
 * `list` and `read` throw `source-not-found` where there is no index, `format` or `unsupported` where it cannot be used. Entries that
 * cannot be used are listed as unreadable.
 */
export function wellKnown(source: FetchableSource, options: WellKnownOptions = {}): ListableSource {
  const { index = INDEX_V2, notes = [] } = options
  const artifacts = new Map<string, (signal: AbortSignal | undefined) => Promise<Artifact>>()
  let held: (SkillIndex & { version: string | undefined }) | undefined
  /** What was found is as good as new, once. */
  let fresh = false

  const take = (found: FetchResult): SkillIndex => {
    held = { ...readIndex(found), version: found.version }
    const known = new Set([...held.skills.values()].flatMap(skill => (skill.kind === 'files' ? [] : [keyOf(skill)])))
    for (const key of artifacts.keys()) if (!known.has(key)) artifacts.delete(key)
    return held
  }
  if (options.found) {
    take(options.found)
    fresh = true
  }

  const look = async (signal: AbortSignal | undefined): Promise<SkillIndex> => {
    throwIfAborted(signal)
    if (held && fresh) {
      fresh = false
      return held
    }
    const found = await source.fetch(index, {
      ...(held?.version === undefined ? {} : { ifVersion: held.version }),
      ...(signal ? { signal } : {}),
    })
    if (found === 'unchanged' && held) return held
    if (found === undefined || found === 'unchanged')
      throw new SkillshelfError('source-not-found', `${source.name} has no ${index}`, { subject: index })
    return take(found)
  }

  const artifactOf = (skill: ArtifactSkill, signal: AbortSignal | undefined): Promise<Artifact> => {
    const key = keyOf(skill)
    const known = artifacts.get(key) ?? kept(at => fetchArtifact(source, skill, at))
    artifacts.set(key, known)
    return known(signal)
  }

  const listSkill = async (skill: IndexedSkill, { folder, summaries, signal }: ListOptions): Promise<FileEntry[]> => {
    if (skill.kind === 'files') return [...skill.files.keys()].map(path => ({ path: joinPath(skill.name, path) }))
    const { kind, name, description, digest: version } = skill
    const path = joinPath(name, 'SKILL.md')
    if (kind === 'skill-md') return [{ path, version }]
    if (summaries && folder === undefined && description !== undefined)
      return [{ path, version, summary: { name, description } }]
    try {
      const { files } = await artifactOf(skill, signal)
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
      const { skills, refused } = folder !== undefined && held ? held : await look(signal)
      const top = folder?.split('/')[0]
      const wanted = [...skills.values()].filter(({ name }) => !top || name === top)
      const listed = await mapParallel(wanted, PARALLEL_FETCHES, skill => listSkill(skill, listing))
      return [...listed.flat(), ...(top ? [] : [...refused, ...notes])]
    },
    async read(path, reading = {}) {
      const [name = '', ...rest] = safePath(path).split('/')
      throwIfAborted(reading.signal)
      const skill = (held ?? (await look(reading.signal))).skills.get(name)
      if (!skill) return undefined
      const inner = rest.join('/')
      if (skill.kind === 'files') return readLoose(source, skill.files.get(inner), reading)
      if (reading.ifVersion === skill.digest) return 'unchanged'
      const artifact = await artifactOf(skill, reading.signal)
      const found = inner === '' ? undefined : await artifact.read(inner)
      return typeof found === 'object' ? { bytes: found.bytes, version: skill.digest } : undefined
    },
    close: async () => source.close?.(),
  }
}

function keyOf({ kind, url, digest }: ArtifactSkill): string {
  return `${kind} ${digest} ${url}`
}

/** What was made once stays; a failure does not. */
function kept<T>(make: (signal: AbortSignal) => Promise<T>): (signal: AbortSignal | undefined) => Promise<T> {
  let made: { value: T } | undefined
  const share = coalesce(async signal => {
    made ??= { value: await make(signal) }
    return made.value
  })
  return async signal => made?.value ?? share(signal)
}

async function readLoose(
  source: FetchableSource,
  url: string | undefined,
  reading: ReadOptions,
): Promise<ReadResult | 'unchanged' | undefined> {
  const found = url === undefined ? undefined : await source.fetch(url, reading)
  if (typeof found !== 'object') return found
  const { bytes, version, partial } = found
  return { bytes, ...(version === undefined ? {} : { version }), ...(partial ? { partial } : {}) }
}
