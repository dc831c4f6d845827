import { type AbortOptions, abortable } from '../core/abort.js'
import { createQueue, mapParallel, PARALLEL_READS } from '../core/concurrency.js'
import { SkillshelfError } from '../core/errors.js'
import { onDemand } from '../core/load-module.js'
import { pageOf } from '../core/paging.js'
import { checkOptionNames, ONLY_SIGNAL } from '../core/text/option-names.js'
import { loadCorpusStatistics } from '../search/match/corpus-statistics.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { Skill, SkillId, SkillSummary } from '../skill/skill.js'
import type { SkillSource } from '../source/source.js'
import type { LibraryBackend, PageQuery } from './api/backend.js'
import { createLifetime, type Lifetime } from './api/lifetime.js'
import type { LibraryOptions } from './api/options.js'
import type { LocalLibrary, SkillFilter, SkillLibrary, SkillPage } from './api/skill-library.js'
import type { LibraryChange } from './catalog/catalog-entry.js'
import { readCurrent } from './catalog/packed-files.js'
import { createLibrary } from './create-library.js'
import type { LocatedPieces } from './local/open-index.js'
import { createPagedBackend, type PagedBackend } from './paged/paged-backend.js'
import type { PagedParts } from './paged/paged-state.js'
import type { PiecesUpgrader } from './pieces/pieces-encoder.js'
import type { PiecesIndex } from './pieces/pieces-index.js'
import { createPiecesModel } from './pieces/pieces-model.js'
import {
  isNotPieced,
  isOfPiece,
  type OpenParts,
  readIndex,
  readNext,
  startingWith,
} from './pieces/published-pieces.js'
import { createPage } from './query/pages.js'
import { reportDiagnostics } from './state/problems.js'

/** Loaded on demand, because most libraries are not upgraded. */
const loadEncoder = onDemand(() => import('./pieces/pieces-encoder.js'))

interface OpenPiecesOptions {
  options: LibraryOptions
  /** Opens a library whole, over a source that was checked and named. */
  openWhole(source: SkillSource, signal: AbortSignal | undefined): Promise<LocalLibrary>
  /** The methods of learning in a library that does not learn. */
  withoutLearning(lifetime: Lifetime): Pick<LocalLibrary, LearningMethod>
}

type LearningMethod =
  | 'learns'
  | 'learn'
  | 'noteUnused'
  | 'report'
  | 'forget'
  | 'learned'
  | 'importLearned'

/** What the pieces and the whole library answer alike. */
type Answering = Pick<LibraryBackend, 'get' | 'read' | 'search' | 'match' | 'explain'> & {
  list?(filter: SkillFilter & AbortOptions): Promise<readonly SkillSummary[]> | undefined
}

/** A library that was opened whole, and what differs in it from what its pieces showed. */
interface CompletedLibrary {
  library: LocalLibrary
  change: LibraryChange
}

/** Skills that are listed when a library opens. A list of more would be most of it. */
const LIST_UP_TO = 100

/**
 * Opens a library that is in pieces. It is read as far as messages need it, until something needs it whole: a transformer whose vectors are not packed, written
 * messages, an environment, or a piece that cannot be read. Then it is opened whole, and goes on as such.
 */
export async function openPieces(
  { source, origin, catalog }: LocatedPieces,
  { options, openWhole, withoutLearning }: OpenPiecesOptions,
): Promise<LocalLibrary> {
  const { signal } = options
  /** Without a model of the vectors in rows, nothing says which vectors of an encoder to read. */
  const hasModel = options.embedder !== false
  const lifetime = createLifetime()
  const problems: Diagnostic[] = []
  const report = (problem: Diagnostic): void => reportDiagnostics([problem], options.onDiagnostic)
  const model = await createPiecesModel(options, problem => {
    problems.push(problem)
    report(problem)
  })
  const corpus = await loadCorpusStatistics()
  const parts: OpenParts = {
    source,
    origin,
    model,
    corpus,
    latest: catalog,
    opened: undefined,
    encoder: undefined,
  }

  let whole: LocalLibrary | undefined
  let opening: Promise<CompletedLibrary> | undefined
  let upgrader: PiecesUpgrader | undefined
  /** A refresh may run meanwhile: what it reports is not reported again. */
  const inTurn = createQueue()
  const goOnWith = async (library: LocalLibrary): Promise<CompletedLibrary> => {
    library.on('change', lifetime.emit)
    const change = await changeOf(paged as PagedBackend, library)
    whole = library
    const released = upgrader?.release()
    if (released) {
      const { cache, timeout, onFailure } = released.options
      library.upgrade(released.embedder, { cache, timeout, onFailure }).catch(() => undefined)
    }
    if (change.added.length + change.changed.length + change.removed.length > 0) {
      lifetime.emit(change)
    }
    return { library, change }
  }
  /** Opens the library whole, once, and reports what differs from the pieces. */
  const complete = (): Promise<CompletedLibrary> => {
    opening ??= (async () => {
      const library = await openWhole(startingWith(parts.latest, source), lifetime.closing())
      const failure = library.snapshot.diagnostics.find(({ code }) => code === 'source-unreadable')
      if (failure) {
        throw new SkillshelfError('source-failed', failure.message, { subject: source.name })
      }
      return inTurn(() => goOnWith(library))
    })()
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }
  /** Goes on with the whole library after an error of the pieces. @throws the error of a piece if the library cannot be read whole either */
  const completeAfter = async (error: unknown): Promise<CompletedLibrary> => {
    if (!isOfPiece(error)) return complete()
    const completed = await complete().catch(() => {
      throw error
    })
    report(piecesProblem(source, error))
    return completed
  }

  const openPaged = async (): Promise<PagedBackend | undefined> => {
    const index = await readIndex(parts, catalog, signal)
    parts.opened = index
    const paged: PagedParts = {
      files: source,
      rerank: options.rerank,
      listUpTo: LIST_UP_TO,
      lifetime,
      problems,
      readNext: (current, signal) => readNext(parts, current, signal),
      handles: isOfPieces,
    }
    return index && createPagedBackend(paged, index, signal)
  }
  const paged = await openPaged().catch(error => {
    if (!isOfPiece(error)) throw error
    report(piecesProblem(source, error))
  })
  if (!paged) return openWhole(startingWith(parts.latest, source), signal)

  const refreshPaged = async (signal: AbortSignal | undefined): Promise<LibraryChange> => {
    try {
      return await inTurn(() => (whole ? whole.refresh({ signal }) : paged.refresh(signal)))
    } catch (error) {
      if (!isOfPieces(error)) throw error
      return (await completeAfter(error)).change
    }
  }
  /** Asks the pieces. If a publish has replaced them, the new ones; if one cannot be read, the whole library. */
  const ask = async <T>(
    question: (of: Answering) => Promise<T>,
    { signal }: AbortOptions,
  ): Promise<T> => {
    if (whole) return question(whole)
    const renew = async (): Promise<boolean> => {
      const { revision } = paged.snapshot
      await refreshPaged(signal)
      return !whole && paged.snapshot.revision !== revision
    }
    try {
      return await readCurrent(() => question(paged), renew)
    } catch (error) {
      if (whole) return question(whole)
      if (!isOfPiece(error)) throw error
      return question((await completeAfter(error)).library)
    }
  }
  const unwatch = source.watch?.(() => {
    if (!whole) refreshPaged(undefined).catch(() => undefined)
  })
  const backend: LibraryBackend = {
    get snapshot() {
      return (whole ?? paged).snapshot
    },
    list: filter => ask(async of => [...((await of.list?.(filter)) ?? [])], filter),
    get: (name, options) => ask(of => of.get(name, options), options),
    read: (name, path, options) => ask(of => of.read(name, path, options), options),
    search: (query, options) => ask(of => of.search(query, options), options),
    match: (query, options) => ask(of => of.match(query, options), options),
    explain: (query, name, options) => ask(of => of.explain(query, name, options), options),
    refresh: signal => (whole ? whole.refresh({ signal }) : refreshPaged(signal)),
    async close() {
      unwatch?.()
      // Both have the same source.
      const completed = await opening?.catch(() => undefined)
      await upgrader?.stop()
      await (completed?.library ?? paged).close()
    },
  }
  const page = createPage(lifetime, query =>
    ask(of => (of === paged ? paged.page(query) : pageOfList(of, query)), query),
  )
  return createLibrary(backend, lifetime, {
    get page(): SkillLibrary['page'] {
      return whole ? undefined : page
    },
    async use(environment, options) {
      lifetime.check(options)
      return (await complete()).library.use(environment, options)
    },
    async upgrade(embedder, options) {
      lifetime.check(options)
      const hasVectors = parts.opened?.reader.pieces.encoderHead !== undefined
      if (whole || !hasVectors || !hasModel) {
        const { library } = await abortable(complete(), options?.signal)
        return library.upgrade(embedder, options)
      }
      const { createPiecesUpgrader } = await loadEncoder()
      lifetime.check(options)
      const reader = () => (parts.opened as PiecesIndex).reader
      upgrader ??= createPiecesUpgrader({
        reader,
        complete: async () => (await complete()).library,
      })
      parts.encoder = upgrader
      return upgrader.upgrade(embedder, options)
    },
    async enrich(ask, options) {
      lifetime.check(options)
      const { library } = await abortable(complete(), options?.signal)
      return library.enrich(ask, options)
    },
    async ready(options) {
      checkOptionNames(options, ONLY_SIGNAL)
      return whole ? whole.ready(options) : abortable(model.ready, options?.signal)
    },
    ...withoutLearning(lifetime),
  } satisfies Partial<LocalLibrary>)
}

/** A page of a library that was read whole meanwhile. */
async function pageOfList(
  of: Answering,
  { limit, cursor, ...filter }: PageQuery,
): Promise<SkillPage> {
  const { items, nextCursor: next } = pageOf((await of.list?.(filter)) ?? [], cursor, limit)
  return { skills: [...items], ...(next === undefined ? {} : { next }) }
}

/** Whether an error of a refresh says that the pieces cannot be used: there are none any more, or one cannot be read. */
function isOfPieces(error: unknown): boolean {
  return isNotPieced(error) || isOfPiece(error)
}

function piecesProblem({ name }: SkillSource, error: unknown): Diagnostic {
  return {
    code: 'pieces-unreadable',
    severity: 'warning',
    message: `${name} was read whole: ${(error as Error).message}`,
    path: name,
    hint: 'pack the skills again, and upload every file',
  }
}

/** What differs between the skills that were seen in pieces and the whole library. */
async function changeOf(
  { snapshot: before, openedSkill }: PagedBackend,
  library: LocalLibrary,
): Promise<LibraryChange> {
  const { revision, skills } = library.snapshot
  const change = { revision, added: [], changed: [], removed: [] }
  if (revision === before.revision) return change
  const seen = new Map(before.skills.map(skill => [skill.id, skill]))
  const now = new Map(skills.map(skill => [skill.id, skill]))
  const isChanged = async (id: SkillId): Promise<boolean> => {
    const opened = openedSkill(id)
    if (!opened) return JSON.stringify(now.get(id)) !== JSON.stringify(seen.get(id))
    const current = await library.get(id).catch(() => undefined)
    return current === undefined || contentOf(current) !== contentOf(opened)
  }
  const kept = [...seen.keys()].filter(id => now.has(id))
  const areChanged = await mapParallel(kept, PARALLEL_READS, isChanged)
  const isListed = seen.size === before.total
  return {
    revision,
    added: isListed ? [...now.keys()].filter(id => !seen.has(id)) : [],
    changed: kept.filter((_, number) => areChanged[number]),
    removed: [...seen.keys()].filter(id => !now.has(id)),
  }
}

/** Changes with any file of a skill, and with what lists say of it. */
function contentOf({ text, files, copies }: Skill): string {
  return JSON.stringify([text, files, copies])
}
