import { sleep } from '../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { digestOfLarge, shortDigest } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { tryDecode, trySafePath } from '../../core/paths.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { NAMED_BY_DIGEST } from '../../library/catalog/packed-files.js'
import { headersFor } from '../../library/store/publish/hosting-headers.js'
import {
  findFrontmatterProblem,
  type PublishedSkill,
  planWellKnown,
} from '../../library/store/publish/well-known-plan.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { FOLDER_V2, INDEX_SCHEMA } from '../../source/well-known/site-paths.js'
import { archiveFiles, readArchiveFile } from './archive.js'
import { bytesResponse } from './responses.js'
import { isPartlyListed } from './served-library.js'

const loadSecrets = onDemand(() => import('../../core/secrets/find-secret.js'))

const PARALLEL_ARCHIVES = 3
/** Skills that are prepared before other requests run. */
const SLICE = 8
const ARCHIVE_SUFFIX = '.tgz'

interface SitePlan {
  skills: ReadonlyMap<string, PublishedSkill>
  /** Whether all skills could be read. */
  hasEverySkill: boolean
}

/** Answers with a file of a packed library; `undefined` if the library has no such file. */
export async function packedFileResponse(
  source: Pick<SkillSource, 'read'>,
  request: Request,
  path: string,
  signal: AbortSignal,
): Promise<Response | undefined> {
  if (isHidden(path) || trySafePath(path) !== path) return undefined
  const file = await source.read(path, { signal }).catch(error => {
    // A symlink that leaves the folder is answered like a missing file.
    if (!isSkillshelfError(error, 'invalid-path')) throw error
  })
  if (typeof file !== 'object') return undefined
  const { bytes, version = '' } = file
  // S10: a host may keep other files beside those of the library. `pack` has examined its own.
  if (!isPackedPath(path) && (await loadSecrets()).findSecret(path, bytes)) return undefined
  // The version of an HTTP source may be a date or a quoted ETag, which cannot be used as a tag here.
  const tag = /^[\w.-]+$/.test(version) ? version : shortDigest(await digestOfLarge(bytes))
  return bytesResponse(request, bytes, `"${tag}"`, headersFor(path))
}

function isPackedPath(path: string): boolean {
  return path === CATALOG_FILE || NAMED_BY_DIGEST.test(path) || path.startsWith('.well-known/')
}

/** Decoded path of a request without the leading slash; `undefined` if the encoding is invalid. */
export function decodedPath(request: Request): string | undefined {
  return tryDecode(new URL(request.url).pathname.slice(1))
}

/** Hidden files are not part of a library, except `.well-known/`, where skills name the files. */
function isHidden(path: string): boolean {
  const parts = path.replace(/(^|\/)\.well-known\/.*$/s, '$1').split('/')
  return parts.some(part => part.startsWith('.'))
}

/** Answers requests below `.well-known/`; `undefined` for a path that the site does not have. */
type WellKnownSite = (
  request: Request,
  path: string,
  signal: AbortSignal,
) => Promise<Response | undefined>

const sites = new WeakMap<SkillLibrary, WellKnownSite>()

/** Answers with a file of the well-known sites, if any. @throws SkillshelfError `resource-not-found` for a library that is too large */
export async function wellKnownResponse(
  library: SkillLibrary,
  request: Request,
  path: string,
  signal: AbortSignal,
) {
  if (!path.startsWith('.well-known/')) return undefined
  // An index of the skills found so far would look complete.
  if (isPartlyListed(library)) {
    throw new SkillshelfError(
      'resource-not-found',
      'This library has too many skills for a well-known index',
      {
        subject: path,
        hint: 'list them with /v1/skills',
      },
    )
  }
  const site = sites.get(library) ?? wellKnownSite(library)
  sites.set(library, site)
  return site(request, path, signal)
}

/** The well-known paths (v0.2), prepared once for each revision. Archives are created on request. */
function wellKnownSite(library: SkillLibrary): WellKnownSite {
  /** Digests of archives by their content; `''` for a skill that is too large for an archive. A request that times out leaves its own. */
  const archiveDigests = new Map<string, string>()

  const plan = oncePerRevision(library, async (signal): Promise<Prepared<SitePlan>> => {
    const { skills } = library.snapshot
    const pause = pauses(signal)
    const packed = await mapReadable(skills, PARALLEL_READS, async ({ id }) => {
      await pause()
      const skill = await library.get(id, { signal })
      const { metadata, frontmatter, file, diagnostics, digest, name, description, tags, tokens } =
        skill
      const files = skill.files.map(one => ({ ...one, digest: one.digest ?? '' }))
      return {
        entry: { path: id, name, description, tags, tokens, digest, details: '' },
        details: { metadata, frontmatter, file, files, diagnostics },
        frontmatterProblem: await findFrontmatterProblem(new TextEncoder().encode(skill.text)),
      }
    })
    const { skills: published } = planWellKnown(
      packed.filter(({ details }) => details.metadata.internal !== true),
    )
    // A skill that failed to load may load the next time.
    const hasEverySkill = packed.length === skills.length
    const value = { skills: new Map(published.map(skill => [skill.name, skill])), hasEverySkill }
    return { value, hasEverySkill }
  })

  /** Not compressed: compressing 1,000 skills for their digests takes a minute. */
  const archive = (skill: PublishedSkill, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> =>
    archiveFiles(library, skill, { format: 'tar.gz', compress: false }, signal)

  const digestArchive = async (
    skill: PublishedSkill,
    key: string,
    signal: AbortSignal,
  ): Promise<string> => {
    const cached = archiveDigests.get(key)
    if (cached !== undefined) return cached
    const computed = await archive(skill, signal).then(digestOfLarge, error => {
      if (isSkillshelfError(error, 'too-large')) return ''
      throw error
    })
    archiveDigests.set(key, computed)
    return computed
  }

  const index = oncePerRevision(library, async (signal): Promise<Prepared<object>> => {
    const { revision } = library.snapshot
    const planned = await plan(signal)
    const skills = [...planned.skills.values()]
    const pause = pauses(signal)
    const used = new Set<string>()
    const entries = await mapReadable(skills, PARALLEL_ARCHIVES, async skill => {
      const { name, description, files, digest } = skill
      if (files.length === 1) {
        return { name, type: 'skill-md', description, url: `${name}/SKILL.md`, digest }
      }
      await pause()
      // Without digests of its files, a skill can change with each revision.
      const key = JSON.stringify([
        skill.folder,
        digest,
        files.map(one => [one.path, one.digest || revision]),
      ])
      used.add(key)
      const archived = await digestArchive(skill, key, signal)
      return { name, type: 'archive', description, url: name + ARCHIVE_SUFFIX, digest: archived }
    })
    for (const key of archiveDigests.keys()) {
      if (!used.has(key)) archiveDigests.delete(key)
    }
    const value = { $schema: INDEX_SCHEMA, skills: entries.filter(({ digest }) => digest !== '') }
    return { value, hasEverySkill: planned.hasEverySkill && entries.length === skills.length }
  })

  const send = async (
    request: Request,
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<Response> =>
    bytesResponse(request, bytes, `"${shortDigest(await digestOfLarge(bytes))}"`, headersFor(path))

  return async (request, path, signal) => {
    if (!path.startsWith(FOLDER_V2)) return undefined
    const rest = path.slice(FOLDER_V2.length)
    if (rest === 'index.json') {
      return send(request, path, new TextEncoder().encode(JSON.stringify(await index(signal))))
    }
    const { skills } = await plan(signal)
    const archived = rest.endsWith(ARCHIVE_SUFFIX)
      ? skills.get(rest.slice(0, -ARCHIVE_SUFFIX.length))
      : undefined
    if (archived) return send(request, path, await archive(archived, signal))
    const [name = '', ...parts] = rest.split('/')
    const skill = skills.get(name)
    const file = skill?.files.find(one => one.path === parts.join('/'))
    if (!skill || !file) return undefined
    return send(request, path, await readArchiveFile(library, skill, file.path, signal))
  }
}

interface Prepared<T> {
  value: T
  /** If `false`, the next request prepares it again. */
  hasEverySkill: boolean
}

/** Prepares a value once for each revision. Requests do not share an unfinished run: a Worker ends its I/O with its request. */
function oncePerRevision<T>(
  library: SkillLibrary,
  prepare: (signal: AbortSignal) => Promise<Prepared<T>>,
): (signal: AbortSignal) => Promise<T> {
  let cached: { revision: string; value: T } | undefined
  return async signal => {
    const { revision } = library.snapshot
    if (cached?.revision === revision) return cached.value
    const { value, hasEverySkill } = await prepare(signal)
    if (hasEverySkill) cached = { revision, value }
    return value
  }
}

/** Lets other requests run after every few calls. */
function pauses(signal: AbortSignal): () => Promise<void> {
  let calls = 0
  return async () => {
    calls++
    if (calls % SLICE === 0) await sleep(0, signal)
  }
}

/** Maps the skills that can be read and leaves out the others. @throws the first error if none can: then the source itself fails */
async function mapReadable<T, R>(
  skills: readonly T[],
  limit: number,
  map: (skill: T) => Promise<R>,
): Promise<R[]> {
  const failures: unknown[] = []
  const results = await mapParallel(skills, limit, async skill => {
    try {
      return { value: await map(skill) }
    } catch (error) {
      if (!isSkillshelfError(error) || error.code === 'aborted' || error.code === 'closed') {
        throw error
      }
      failures.push(error)
      return undefined
    }
  })
  if (failures.length > 0 && failures.length === skills.length) throw failures[0]
  return results.flatMap(result => (result ? [result.value] : []))
}
