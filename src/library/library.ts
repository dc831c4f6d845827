import { diffSnapshots } from '../catalog/snapshot.js'
import type { LibraryChange } from '../catalog/types.js'
import { abortable } from '../core/abort.js'
import { coalesce, createQueue } from '../core/concurrency.js'
import { asSkillshelfError, isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { deepFreeze } from '../core/freeze.js'
import { invokeCallback } from '../core/progress.js'
import type { TokenCounter } from '../core/tokens.js'
import type { SkillModel } from '../embed/types.js'
import { loadBackground } from '../match/background.js'
import { noReason } from '../match/reason.js'
import type { Reranker } from '../match/rerank.js'
import { matcherOf, type Stages } from '../match/stages.js'
import type { Language, Matcher, MatchQuery } from '../match/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { Skill, SkillId } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import { checkEnvironment, checkLimit, filterSkills, toQuery } from './arguments.js'
import { checkModel, checkOptions } from './check-options.js'
import { checkShare, decide, lookedAt } from './decide.js'
import { emit, listen } from './events.js'
import { type LibraryInput, toSources } from './input.js'
import { modelDiagnostic } from './model-diagnostic.js'
import { emptyShelf, openShelf, sourceDiagnostic } from './open-shelf.js'
import {
  createState,
  isSame,
  layersOf,
  liveSegments,
  nameOrigins,
  rootOf,
  type Stand,
  type State,
  whereIs,
} from './state.js'
import type { AbortOptions, Explanation, LocalLibrary, SkillFilter } from './types.js'
import type { Upgrades } from './upgrades.js'

export interface LibraryOptions extends AbortOptions {
  /** Ranks skills. Default: in process, as `stages` says, with `embedder` where there is one. */
  matcher?: Matcher | undefined
  /** What finds skills. Default `hybrid`. */
  stages?: Stages | undefined
  /**
   * Orders the best matches of `match` once more: `llmRerank(ask)`. It is asked where there is more than one and the first is above the
   * threshold; with a `margin`, only where the first leads by less. `search` and `explain` go without it.
   */
  rerank?: Reranker | undefined
  /**
   * Finds by meaning too, beside words: `bundled()` of `skillshelf/model`. Default: words alone. Where it cannot be loaded, words go
   * on, with the diagnostic `model-unavailable`; with `strict` opening fails.
   */
  embedder?: SkillModel | Promise<SkillModel> | undefined
  /**
   * Fail when a source cannot be read, leave out skills without a name or description of their own, and report what breaks the
   * specification as errors. Default false: open with what can be read, and say the rest in `snapshot.diagnostics`.
   */
  strict?: boolean | undefined
  countTokens?: TokenCounter | undefined
  /** Only what stands in `environments/{environment}/skills`, or outside `environments`. Default: everything. See `use`. */
  environment?: string | undefined
  /** Skills (of a tree) or segments (of a packed library) read so far. */
  onProgress?: ((progress: { source: string; done: number; total: number }) => void) | undefined
}

const LIMIT = 3
const THRESHOLD = 0.7
const SEARCH_LIMIT = 5
/** Opened skills that are kept. */
const CACHED_SKILLS = 64

/**
 * Opens a library. One imperfect skill never hides another, and a source that cannot be read never stops the start: see
 * `snapshot.diagnostics`.
 * @throws SkillshelfError `invalid-input`; with `strict` also when a source cannot be read
 */
export async function openLibrary(input: LibraryInput, options: LibraryOptions = {}): Promise<LocalLibrary> {
  const { strict = false, signal } = options
  checkOptions(options)
  let environment = checkEnvironment(options.environment)
  const notes: Diagnostic[] = []
  // Model, sources and counts come side by side: each is a journey over the network.
  const embedder = Promise.resolve(options.embedder)
    .then(checkModel)
    .catch((error): undefined => {
      if (strict || isSkillshelfError(error, 'invalid-input')) throw error
      notes.push(modelDiagnostic(error, 'the bundled model'))
    })
  // Whoever waits for it is told; while nobody does it must not count as unheard.
  embedder.catch(() => undefined)
  if (!options.matcher) loadBackground().catch(() => undefined)
  const sources = nameOrigins(toSources(input))
  const shelfOptions = (source: SkillSource, at: AbortSignal | undefined) => ({
    strict,
    ...(options.embedder ? { embedder: embedder } : {}),
    ...(options.countTokens ? { countTokens: options.countTokens } : {}),
    ...(at ? { signal: at } : {}),
    ...(options.onProgress
      ? {
          onProgress: (done: number, total: number) =>
            invokeCallback(options.onProgress, { source: source.name, done, total }),
        }
      : {}),
  })

  const stands = await Promise.all(
    sources.map(async (named): Promise<Stand> => {
      const { source } = named
      try {
        return { ...named, shelf: await openShelf(source, shelfOptions(source, signal)) }
      } catch (error) {
        const failure = sourceDiagnostic(source, error)
        if (strict || isSkillshelfError(error, 'aborted'))
          throw asSkillshelfError(error, 'source-failed', `${source.name} could not be opened`)
        return { ...named, shelf: emptyShelf(source), failure }
      }
    }),
  )

  const { matcher = await matcherOf(options.stages ?? 'hybrid', await abortable(embedder, signal)), rerank: reranker } =
    options
  let state = createState(stands, { notes, environment })
  let closed = false
  const listeners = new Set<(change: LibraryChange) => void>()
  const turn = createQueue()
  let upgrades: Upgrades | undefined
  const update = (to: State, at?: AbortSignal): Promise<void> =>
    matcher.update(
      { revision: to.snapshot.revision, segments: upgrades?.withVectors(liveSegments(to)) ?? liveSegments(to) },
      at ? { signal: at } : {},
    )
  await update(state, signal)

  const open = ({ signal: at }: AbortOptions = {}): void => {
    if (closed) throw new SkillshelfError('closed', 'The library was closed')
    throwIfAborted(at)
  }
  const only = ({ tags, origins }: SkillFilter): Set<SkillId> | undefined =>
    tags || origins
      ? new Set(
          filterSkills(state.snapshot.skills, { ...(tags ? { tags } : {}), ...(origins ? { origins } : {}) }).map(
            skill => skill.id,
          ),
        )
      : undefined
  const ask = async (
    query: string | MatchQuery,
    limit: number,
    filter: SkillFilter & AbortOptions & { language?: Language | undefined },
  ) => {
    open(filter)
    const allowed = only(filter)
    const asked = toQuery(query)
    const vector = await upgrades?.read(asked.message, filter.signal)
    const result = await matcher.match(asked, {
      limit: checkLimit(limit),
      ...(allowed ? { only: allowed } : {}),
      ...(filter.language ? { language: filter.language } : {}),
      ...(vector ? { vector } : {}),
      ...(filter.signal ? { signal: filter.signal } : {}),
    })
    const failed =
      result.abstained === 'empty-library' && state.stands.some(({ failure }) => failure?.code === 'source-unreadable')
    return failed ? { ...result, abstained: 'source-failed' as const } : result
  }

  const refreshTogether = coalesce(async (at): Promise<LibraryChange> => {
    open()
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
    const moved = environment !== before.environment
    if (!moved && next.every((stand, index) => isSame(stand, before.stands[index])))
      return { revision: before.snapshot.revision, added: [], changed: [], removed: [] }
    const after = createState(next, { before, environment })
    const change = diffSnapshots(
      { layers: layersOf(before.stands, before.environment), snapshot: before.snapshot },
      { layers: layersOf(next, after.environment), snapshot: after.snapshot },
    )
    await turn(async () => {
      open()
      if (moved || next.some((stand, index) => stand.shelf !== before.stands[index]?.shelf)) await update(after, at)
      open()
      state = after
    })
    upgrades?.changed()
    if (change.added.length + change.changed.length + change.removed.length > 0) emit(listeners, change)
    return change
  })

  const follow = async (): Promise<void> => {
    await refreshTogether(undefined).catch(error => {
      if (!closed) throw error
    })
  }
  const unwatch = state.stands.map(({ source }) => source.watch?.(() => void follow()))

  const library: LocalLibrary = {
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
      const { stand, entry } = whereIs(state, summary)
      // Media types are needed by who opens skills, not by who matches.
      const [{ digest, current, tokens, text, body, details }, { describeFile }] = await Promise.all([
        stand.shelf.open(entry, at.signal),
        import('../skill/media-types.js'),
      ])
      const { unread: _, ...known } = summary
      const skill: Skill = deepFreeze({
        ...known,
        ...(tokens ? { tokens } : {}),
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
      if (current) cache.set(summary.id, skill)
      if (cache.size > CACHED_SKILLS) cache.delete(cache.keys().next().value as SkillId)
      return skill
    },
    async read(name, path, at = {}) {
      open(at)
      const { readSkillFile } = await import('./files.js')
      return readSkillFile(state, name, path, at)
    },
    async match(query, { limit = LIMIT, threshold = THRESHOLD, margin, ...filter } = {}) {
      checkShare('threshold', threshold)
      if (margin !== undefined) checkShare('margin', margin)
      const { snapshot } = state
      const looked = lookedAt({ limit: checkLimit(limit), margin, reranker })
      return decide(toQuery(query), await ask(query, looked, filter), {
        limit,
        threshold,
        margin,
        reranker,
        summaryOf: id => snapshot.skills.find(skill => skill.id === id),
        language: filter.language,
        signal: filter.signal,
      })
    },
    search: async (query, { limit = SEARCH_LIMIT, ...filter } = {}) => ask(query, limit, filter),
    async explain(query, name, at = {}) {
      open(at)
      const { id, name: shown } = state.lookup.find(name)
      const asked = toQuery(query)
      const vector = await upgrades?.read(asked.message, at.signal)
      const found = await matcher.explain(asked, id, vector ? { ...at, vector } : at)
      if (!found)
        return {
          id,
          name: shown,
          score: 0,
          confidence: 0,
          reason: noReason(state.shadowed.has(id) ? 'shadowed' : 'nothing', at.language),
          signals: { terms: [], rules: [], missing: [], relevance: 0 },
          rank: 0,
          matched: false,
        } satisfies Explanation
      return { ...found, matched: found.rank <= LIMIT && found.score > THRESHOLD }
    },
    async refresh(at = {}) {
      open(at)
      return refreshTogether(at.signal)
    },
    async use(wanted, at = {}) {
      open(at)
      const to = checkEnvironment(wanted)
      environment = to
      try {
        return await refreshTogether(at.signal)
      } catch (error) {
        // Somebody may have asked for another one since.
        if (environment === to) environment = state.environment
        throw error
      }
    },
    async upgrade(model, at = {}) {
      open(at)
      // Most libraries go without.
      const { createUpgrades } = await import('./upgrades.js')
      open(at)
      upgrades ??= createUpgrades(
        () => state,
        () => turn(() => update(state)),
      )
      return upgrades.upgrade(model, at)
    },
    on(event, listener) {
      return listen(listeners, event, listener)
    },
    async close() {
      if (closed) return
      closed = true
      listeners.clear()
      for (const stop of unwatch) stop?.()
      await upgrades?.close()
      await matcher.close()
      await Promise.all(state.stands.map(({ source }) => source.close?.()))
    },
    async [Symbol.asyncDispose]() {
      await library.close()
    },
  }
  return library
}
