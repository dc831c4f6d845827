import { ownerOf } from '../catalog/discover.js'
import { createLookup, type Lookup } from '../catalog/lookup.js'
import {
  createSnapshot,
  deepFreeze,
  diffSnapshots,
  type Layer,
  type LayeredSnapshot,
  skillId,
} from '../catalog/snapshot.js'
import type { CatalogEntry, LibraryChange } from '../catalog/types.js'
import { lexicalMatcher } from '../match/lexical.js'
import type { LiveSegment, Matcher, MatchQuery } from '../match/types.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { digestOf } from '../skill/digest.js'
import { asSkillshelfError, isSkillshelfError, SkillshelfError, throwIfAborted } from '../skill/error.js'
import { describeFile, textOf } from '../skill/media.js'
import { joinPath, safePath } from '../skill/path.js'
import type { TokenCounter } from '../skill/tokens.js'
import type { FileInfo, Skill, SkillFile, SkillId, SkillSummary } from '../skill/types.js'
import type { ByteRange, SkillSource } from '../source/types.js'
import { type LibraryInput, toSources, untilAborted } from './input.js'
import { emptyShelf, openShelf, type Shelf, sourceDiagnostic } from './shelf.js'
import type { Cancellable, Explanation, SkillFilter, SkillLibrary } from './types.js'

export interface LibraryOptions extends Cancellable {
  /** Ranks skills. Default: `lexicalMatcher()`, in process. */
  matcher?: Matcher
  /**
   * Fail when a source cannot be read, leave out skills without a name or description of their own, and report what breaks the
   * specification as errors. Default false: open with what can be read, and say the rest in `snapshot.diagnostics`.
   */
  strict?: boolean
  countTokens?: TokenCounter
  /** Skills (of a tree) or segments (of a packed library) read so far. */
  onProgress?: (progress: { source: string; done: number; total: number }) => void
}

const LIMIT = 3
const THRESHOLD = 0.7
const SEARCH_LIMIT = 5
/** Opened skills that are kept. */
const CACHED_SKILLS = 64

/** One source and what was last read of it. */
interface Stand {
  source: SkillSource
  origin: string
  /** Says that the origin is not the source's own name. */
  renamed?: Diagnostic
  shelf: Shelf
  /** Why the last look failed, while what was there before stays. */
  failure?: Diagnostic
}

/** A refresh that several callers wait for. Each leaves with its own signal; when the last has left, it is aborted. */
interface Refreshing {
  done: Promise<LibraryChange>
  abort: AbortController
  waiting: number
}

/** All that a refresh swaps, at once. */
interface State extends LayeredSnapshot {
  stands: readonly Stand[]
  lookup: Lookup
  cache: Map<SkillId, Skill>
}

/**
 * Opens a library. One imperfect skill never hides another, and a source that cannot be read never stops the start: see
 * `snapshot.diagnostics`.
 * @throws SkillshelfError `invalid-input`; with `strict` also when a source cannot be read
 */
export async function openLibrary(input: LibraryInput, options: LibraryOptions = {}): Promise<SkillLibrary> {
  const { matcher = lexicalMatcher(), strict = false, signal } = options
  const sources = nameOrigins(toSources(input))
  const shelfOptions = (source: SkillSource, at: AbortSignal | undefined) => ({
    strict,
    ...(options.countTokens ? { countTokens: options.countTokens } : {}),
    ...(at ? { signal: at } : {}),
    ...(options.onProgress
      ? { onProgress: (done: number, total: number) => options.onProgress?.({ source: source.name, done, total }) }
      : {}),
  })

  const stands = await Promise.all(
    sources.map(async (named): Promise<Stand> => {
      const { source } = named
      try {
        return { ...named, shelf: await openShelf(source, shelfOptions(source, signal)) }
      } catch (error) {
        if (strict || isSkillshelfError(error, 'aborted'))
          throw asSkillshelfError(error, 'source-failed', `${source.name} could not be opened`)
        return { ...named, shelf: emptyShelf(source), failure: sourceDiagnostic(source, error) }
      }
    }),
  )

  let state = createState(stands)
  let closed = false
  let refreshing: Refreshing | undefined
  const listeners = new Set<(change: LibraryChange) => void>()
  await matcher.update({ revision: state.snapshot.revision, segments: liveSegments(state) }, signal ? { signal } : {})

  const open = ({ signal: at }: Cancellable = {}): void => {
    if (closed) throw new SkillshelfError('closed', 'The library was closed')
    throwIfAborted(at)
  }
  const whereIs = (summary: SkillSummary): { stand: Stand; entry: CatalogEntry } => {
    const stand = state.stands.find(one => one.origin === summary.origin)
    const entry = stand?.shelf.byPath.get(summary.path)
    if (stand && entry) return { stand, entry }
    throw new SkillshelfError('skill-not-found', `There is no skill ${summary.id}`, { subject: summary.id })
  }
  const only = ({ tags, origins }: SkillFilter): Set<SkillId> | undefined =>
    tags || origins
      ? new Set(
          filterSkills(state.snapshot.skills, { ...(tags ? { tags } : {}), ...(origins ? { origins } : {}) }).map(
            skill => skill.id,
          ),
        )
      : undefined
  const ask = async (query: string | MatchQuery, limit: number, filter: SkillFilter & Cancellable) => {
    open(filter)
    const allowed = only(filter)
    return matcher.match(toQuery(query), {
      limit: checkLimit(limit),
      ...(allowed ? { only: allowed } : {}),
      ...(filter.signal ? { signal: filter.signal } : {}),
    })
  }

  const refresh = async (at: AbortSignal | undefined): Promise<LibraryChange> => {
    const before = state
    const next = await Promise.all(
      before.stands.map(async ({ failure: _, ...stand }): Promise<Stand> => {
        try {
          return { ...stand, shelf: await stand.shelf.refresh(shelfOptions(stand.source, at)) }
        } catch (error) {
          if (isSkillshelfError(error, 'aborted')) throw error
          return { ...stand, failure: sourceDiagnostic(stand.source, error) }
        }
      }),
    )
    if (next.every((stand, index) => isSame(stand, before.stands[index])))
      return { revision: before.snapshot.revision, added: [], changed: [], removed: [] }
    const after = createState(next, before)
    const change = diffSnapshots(
      { layers: layersOf(before.stands), snapshot: before.snapshot },
      { layers: layersOf(next), snapshot: after.snapshot },
    )
    if (next.some((stand, index) => stand.shelf !== before.stands[index]?.shelf))
      await matcher.update(
        { revision: after.snapshot.revision, segments: liveSegments(after) },
        at ? { signal: at } : {},
      )
    open()
    state = after
    if (change.added.length + change.changed.length + change.removed.length > 0) tell(listeners, change)
    return change
  }

  const library: SkillLibrary = {
    get snapshot() {
      return state.snapshot
    },
    async list(filter = {}) {
      open(filter)
      return filterSkills(state.snapshot.skills, filter)
    },
    async get(name, at = {}) {
      open(at)
      const { cache } = state
      const summary = state.lookup.find(name)
      const held = cache.get(summary.id)
      if (held) return held
      const { stand, entry } = whereIs(summary)
      const { digest, text, body, details } = await stand.shelf.open(entry, at.signal)
      const skill: Skill = deepFreeze({
        ...summary,
        digest,
        metadata: details.metadata,
        instructions: body.trim(),
        text,
        frontmatter: details.frontmatter,
        file: details.file,
        files: details.files.map(describeFile),
        root: rootOf(stand, entry.path),
        diagnostics: details.diagnostics,
      })
      // A file that was changed since the last refresh is shown as it is now, and read again the next time.
      if (digest === entry.digest) cache.set(summary.id, skill)
      if (cache.size > CACHED_SKILLS) cache.delete(cache.keys().next().value as SkillId)
      return skill
    },
    async read(name, path, at = {}) {
      open(at)
      const summary = state.lookup.find(name)
      const asked = whereIs(summary)
      const wanted = joinPath(asked.entry.path, safePath(path))
      // A file of a nested skill is that skill's, and can be read through the outer one too.
      const { byPath } = asked.stand.shelf
      const entry = byPath.get(ownerOf(wanted, byPath) ?? '') ?? asked.entry
      const inner = entry.path === '' ? wanted : wanted.slice(entry.path.length + 1)
      const { file, files } =
        state.cache.get(skillId(asked.stand.origin, entry.path)) ?? (await asked.stand.shelf.files(entry, at.signal))
      const found = inner === file ? { path: file, digest: entry.digest } : files.find(one => one.path === inner)
      if (!found || entry.enabled === false) throw missingFile(summary, path, files)
      const bytes = await readFile(asked.stand, entry, found, at)
      return {
        ...describeFile({
          ...found,
          path: wanted.slice(asked.entry.path === '' ? 0 : asked.entry.path.length + 1),
          size: bytes.total,
        }),
        skill: summary.id,
        location: rootOf(asked.stand, wanted),
        ...withText(bytes),
      }
    },
    async match(query, { limit = LIMIT, threshold = THRESHOLD, ...filter } = {}) {
      if (!(threshold >= 0 && threshold <= 1))
        throw new SkillshelfError('invalid-input', `threshold is ${threshold}; it is a number from 0 to 1`)
      const result = await ask(query, limit, filter)
      const matches = result.matches.filter(match => match.score > threshold)
      return {
        ...result,
        matches,
        ...(matches.length === 0 && result.matches.length > 0 ? { abstained: 'below-threshold' as const } : {}),
      }
    },
    search: async (query, { limit = SEARCH_LIMIT, ...filter } = {}) => ask(query, limit, filter),
    async explain(query, name, at = {}) {
      open(at)
      const { id, name: shown } = state.lookup.find(name)
      const found = await matcher.explain(toQuery(query), id, at.signal ? { signal: at.signal } : {})
      if (!found)
        return {
          id,
          name: shown,
          score: 0,
          confidence: 0,
          reason: state.shadowed.has(id) ? 'hidden behind a skill of the same name' : 'no word in common',
          signals: { terms: [], rules: [], missing: [], relevance: 0 },
          rank: 0,
          matched: false,
        } satisfies Explanation
      return { ...found, matched: found.rank <= LIMIT && found.score > THRESHOLD }
    },
    async refresh(at = {}) {
      open(at)
      // One that everybody has left is on its way out.
      while (refreshing?.abort.signal.aborted) await refreshing.done.catch(() => undefined)
      open(at)
      if (!refreshing) {
        const abort = new AbortController()
        const done = refresh(abort.signal).finally(() => {
          refreshing = undefined
        })
        refreshing = { done, abort, waiting: 0 }
      }
      const shared = refreshing
      shared.waiting++
      try {
        return await untilAborted(shared.done, at.signal)
      } finally {
        if (--shared.waiting === 0 && at.signal?.aborted) shared.abort.abort()
      }
    },
    on(_event, listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      if (closed) return
      closed = true
      listeners.clear()
      await matcher.close()
      await Promise.all(state.stands.map(({ source }) => source.close?.()))
    },
    async [Symbol.asyncDispose]() {
      await library.close()
    },
  }
  return library
}

/** Two sources of one name would give the same ids: the later one is numbered. */
function nameOrigins(sources: readonly SkillSource[]): Pick<Stand, 'source' | 'origin' | 'renamed'>[] {
  const used = new Set<string>()
  // `a/b` of one source and `b` in the source `a` would be one id too.
  const clashes = (origin: string): boolean =>
    [...used].some(one => one === origin || one.startsWith(`${origin}/`) || origin.startsWith(`${one}/`))
  return sources.map(source => {
    let origin = source.name
    for (let number = 2; clashes(origin); number++) origin = source.name.replace(/^[^/]*/, `$&~${number}`)
    used.add(origin)
    if (origin === source.name) return { source, origin }
    return {
      source,
      origin,
      renamed: {
        code: 'origin-renamed',
        severity: 'warning',
        message: `Another source's name is, or starts, ${source.name}; this one is called ${origin}`,
        path: origin,
        hint: 'give each source a name of its own',
      },
    }
  })
}

function layersOf(stands: readonly Stand[]): Layer[] {
  return stands.map(({ origin, shelf, renamed, failure }) => ({
    origin,
    entries: shelf.entries,
    diagnostics: [...shelf.diagnostics, ...(renamed ? [renamed] : []), ...(failure ? [failure] : [])],
  }))
}

/** Opened skills that are as they were `before` stay open. */
function createState(stands: readonly Stand[], before?: State): State {
  const layered = createSnapshot(layersOf(stands))
  const cache = new Map<SkillId, Skill>()
  for (const [id, skill] of before?.cache ?? []) {
    const [old, now] = [before?.stands ?? [], stands].map(all =>
      all.find(stand => stand.origin === skill.origin)?.shelf.byPath.get(skill.path),
    )
    if (now && now.digest === old?.digest && now.details === old.details) cache.set(id, skill)
  }
  return { ...layered, stands, lookup: createLookup(layered.snapshot.skills, layered.shadowed), cache }
}

function isSame(stand: Stand, before: Stand | undefined): boolean {
  return stand.shelf === before?.shelf && stand.failure?.message === before.failure?.message
}

/** One listener that fails keeps no other from hearing. */
function tell(listeners: Iterable<(change: LibraryChange) => void>, change: LibraryChange): void {
  const failures: unknown[] = []
  for (const listener of [...listeners]) {
    try {
      listener(change)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

function liveSegments({ stands, snapshot }: State): LiveSegment[] {
  const shown = new Set(snapshot.skills.map(skill => skill.id))
  return stands.flatMap(({ origin, shelf }) =>
    shelf.pieces.map(({ key, bytes, paths, dead }): LiveSegment => {
      const ids = paths.map(path => skillId(origin, path))
      return {
        key: `${origin}:${key}`,
        bytes,
        ids,
        dead: ids.flatMap((id, number) => (dead.has(number) || !shown.has(id) ? [number] : [])),
      }
    }),
  )
}

function filterSkills(skills: readonly SkillSummary[], { tags, origins }: SkillFilter): readonly SkillSummary[] {
  for (const [name, value] of Object.entries({ tags, origins }))
    if (value !== undefined && !(Array.isArray(value) && value.every(one => typeof one === 'string')))
      throw new SkillshelfError('invalid-input', `${name} is a list of texts`, { hint: `give ${name}: ['…']` })
  if (!tags && !origins) return skills
  const wanted = tags && new Set(tags.map(tag => tag.toLowerCase()))
  return skills.filter(
    skill =>
      (!wanted || skill.tags.some(tag => wanted.has(tag.toLowerCase()))) &&
      (!origins || origins.includes(skill.origin)),
  )
}

function toQuery(query: string | MatchQuery): MatchQuery {
  const { message, history } = typeof query === 'string' ? { message: query, history: undefined } : (query ?? {})
  if (typeof message !== 'string')
    throw new SkillshelfError('invalid-input', 'The message to match is not text', {
      hint: 'give a string, or { message, history }',
    })
  if (history !== undefined && !(Array.isArray(history) && history.every(said => typeof said === 'string')))
    throw new SkillshelfError('invalid-input', 'The history is a list of texts, oldest first')
  return history ? { message, history } : { message }
}

function checkLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1)
    throw new SkillshelfError('invalid-input', `limit is ${limit}; it is a whole number from 1`)
  return limit
}

function rootOf({ shelf, origin }: Stand, path: string): string {
  return shelf.root?.(path) ?? `skill://${joinPath(origin, path)}`
}

function missingFile(skill: SkillSummary, path: string, files: readonly FileInfo[]): SkillshelfError {
  const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const alike = files.map(file => file.path).filter(one => one.toLowerCase().endsWith(last))
  const candidates = (alike.length > 0 ? alike : files.map(file => file.path)).slice(0, 5)
  return new SkillshelfError('resource-not-found', `Resource not found: ${skill.name} has no ${path}`, {
    subject: path,
    candidates,
    hint: candidates.length > 0 ? `it has ${candidates.join(', ')}` : 'it has no files beside its SKILL.md',
  })
}

/** The whole file or the part asked for; whole packed files are checked against their digest. */
async function readFile(
  { source, shelf }: Stand,
  entry: CatalogEntry,
  file: FileInfo,
  { signal, range }: Cancellable & { range?: ByteRange },
): Promise<{
  bytes: Uint8Array<ArrayBuffer>
  total: number
  range?: { offset: number; length: number; total: number }
}> {
  if (
    range &&
    !(
      Number.isInteger(range.offset) &&
      range.offset >= 0 &&
      (range.length === undefined || (Number.isInteger(range.length) && range.length >= 0))
    )
  ) {
    throw new SkillshelfError('invalid-input', 'A range is { offset, length? } in whole bytes from 0')
  }
  const { path, digest } = shelf.locate(entry, file)
  const result = await source.read(path, { ...(signal ? { signal } : {}), ...(range ? { range } : {}) })
  if (result === undefined || result === 'unchanged')
    throw new SkillshelfError('source-failed', `${path} is gone from ${source.name}`, {
      subject: path,
      hint: 'refresh the library',
    })
  if (!range) {
    if (digest !== undefined && digestOf(result.bytes) !== digest)
      throw new SkillshelfError('source-failed', `${path} of ${source.name} is not the file that was packed`, {
        subject: path,
        hint: 'pack and upload again',
      })
    return { bytes: result.bytes, total: result.bytes.length }
  }
  const { offset = 0, total = result.bytes.length } = result.partial ?? {}
  const start = Math.min(range.offset, total)
  const end = range.length === undefined ? total : Math.min(total, start + range.length)
  if (start < offset || end > offset + result.bytes.length)
    throw new SkillshelfError('source-failed', `${source.name} gave another part of ${path} than was asked for`, {
      subject: path,
    })
  const bytes = result.bytes.slice(start - offset, end - offset)
  return { bytes, total, range: { offset: start, length: bytes.length, total } }
}

function withText({
  bytes,
  range,
}: {
  bytes: Uint8Array<ArrayBuffer>
  range?: { offset: number; length: number; total: number }
}): Pick<SkillFile, 'bytes' | 'text' | 'range'> {
  const text = textOf(bytes)
  return { bytes, ...(text === undefined ? {} : { text }), ...(range ? { range } : {}) }
}
