import { abortable } from '../../core/abort.js'
import { sameBytes } from '../../core/bytes.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { checkOptionNames, ONLY_SIGNAL } from '../../core/text/option-names.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSummary } from '../../skill/skill.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import type { LibraryBackend } from '../api/backend.js'
import { createLifetime, type Lifetime } from '../api/lifetime.js'
import type { LibraryOptions } from '../api/options.js'
import type { LocalLibrary, SkillLibrary } from '../api/skill-library.js'
import type { LibraryChange } from '../catalog/catalog-entry.js'
import { readCurrent, readPackedFile } from '../catalog/packed-files.js'
import { digestIn, readPiecedCatalog } from '../catalog/pieced-catalog.js'
import { createLibrary } from '../create-library.js'
import type { LocatedPieces } from '../local/open-index.js'
import { createPagedBackend, type PagedBackend } from '../paged/paged-backend.js'
import type { PagedIndex } from '../paged/paged-index.js'
import { createPage } from '../query/pages.js'
import { reportDiagnostics } from '../state/problems.js'
import { createPiecesIndex, type PiecesParts } from './pieces-index.js'
import { createPiecesModel } from './pieces-model.js'

interface OpenPiecesOptions {
  options: LibraryOptions
  /** Opens a library whole, over a source that was checked and named. */
  openWhole(source: SkillSource): Promise<LocalLibrary>
  /** The methods of learning in a library that does not learn. */
  withoutLearning(lifetime: Lifetime): Omit<Pick<LocalLibrary, LearningMethod>, never>
}

type LearningMethod =
  | 'learns'
  | 'learn'
  | 'noteUnused'
  | 'report'
  | 'forget'
  | 'learned'
  | 'importLearned'

/** Skills that are listed when a library opens. A list of more would be most of it. */
const LIST_UP_TO = 100

interface OpenParts extends PiecesParts {
  /** The catalog that was read last. */
  latest: ReadResult
}

/** Thrown by a refresh that finds a library that is not in pieces any more. */
const NOT_PIECED = Symbol('not in pieces')

/**
 * Opens a library that is in pieces. It is read as far as messages need it, until something needs it whole: a transformer, written messages, an
 * environment, or a piece that cannot be read. Then it is opened whole, and goes on as such.
 */
export async function openPieces(
  { source, origin, catalog }: LocatedPieces,
  { options, openWhole, withoutLearning }: OpenPiecesOptions,
): Promise<LocalLibrary> {
  const { signal } = options
  const lifetime = createLifetime()
  const problems: Diagnostic[] = []
  const report = (problem: Diagnostic): void => reportDiagnostics([problem], options.onDiagnostic)
  const model = await createPiecesModel(options, problem => {
    problems.push(problem)
    report(problem)
  })
  const parts = { source, origin, model, corpus: await loadCorpusStatistics(), latest: catalog }

  let whole: LocalLibrary | undefined
  let opening: Promise<LocalLibrary> | undefined
  /** Opens the library whole, once. */
  const complete = (): Promise<LocalLibrary> => {
    opening ??= (async () => {
      const library = await openWhole(startingWith(parts.latest, source))
      const failure = library.snapshot.diagnostics.find(({ code }) => code === 'source-unreadable')
      if (failure) {
        throw new SkillshelfError('source-failed', failure.message, { subject: source.name })
      }
      library.on('change', lifetime.emit)
      whole = library
      return library
    })()
    opening.catch(() => {
      opening = undefined
    })
    return opening
  }

  const first = await readIndex(parts, catalog, signal).catch(error => {
    if (!isOfPiece(error)) throw error
    report(piecesProblem(source, error))
  })
  if (!first) return openWhole(startingWith(parts.latest, source))
  const paged = await createPagedBackend(
    {
      files: source,
      rerank: options.rerank,
      listUpTo: LIST_UP_TO,
      lifetime,
      problems,
      readNext: (current, signal) => readNext(parts, current, signal),
    },
    first,
    signal,
  )

  const refreshPaged = async (signal: AbortSignal | undefined): Promise<LibraryChange> => {
    try {
      return await paged.refresh(signal)
    } catch (error) {
      if (!(error instanceof SkillshelfError && error.cause === NOT_PIECED)) throw error
      const before = paged.snapshot
      const library = await complete()
      const change = changeOf(before.skills, library)
      lifetime.emit(change)
      return change
    }
  }
  /** Asks the pieces. If a publish has replaced them, the new ones; if one cannot be read, the whole library. */
  const ask = async <T>(
    inPieces: (backend: PagedBackend) => Promise<T>,
    inWhole: (library: LocalLibrary) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    if (whole) return inWhole(whole)
    const renew = async (): Promise<boolean> => {
      const { revision } = paged.snapshot
      await refreshPaged(signal)
      return !whole && paged.snapshot.revision !== revision
    }
    try {
      return await readCurrent(() => inPieces(paged), renew)
    } catch (error) {
      if (whole) return inWhole(whole)
      if (!isOfPiece(error)) throw error
      const library = await complete().catch(() => {
        throw error
      })
      report(piecesProblem(source, error))
      return inWhole(library)
    }
  }
  const unwatch = source.watch?.(() => {
    if (!whole) refreshPaged(undefined).catch(() => undefined)
  })
  const backend: LibraryBackend = {
    get snapshot() {
      return (whole ?? paged).snapshot
    },
    list: filter =>
      ask(
        async pieces => (await pieces.list?.(filter)) ?? [],
        async library => [...(await library.list(filter))],
        filter.signal,
      ),
    get: (name, options) =>
      ask(
        pieces => pieces.get(name, options),
        library => library.get(name, options),
        options.signal,
      ),
    read: (name, path, options) =>
      ask(
        pieces => pieces.read(name, path, options),
        library => library.read(name, path, options),
        options.signal,
      ),
    search: (query, options) =>
      ask(
        pieces => pieces.search(query, options),
        library => library.search(query, options),
        options.signal,
      ),
    match: (query, options) =>
      ask(
        pieces => pieces.match(query, options),
        library => library.match(query, options),
        options.signal,
      ),
    explain: (query, name, options) =>
      ask(
        pieces => pieces.explain(query, name, options),
        library => library.explain(query, name, options),
        options.signal,
      ),
    refresh: signal => (whole ? whole.refresh({ signal }) : refreshPaged(signal)),
    async close() {
      unwatch?.()
      // Both have the same source.
      const library = await opening?.catch(() => undefined)
      await (library ?? paged).close()
    },
  }
  const page = createPage(lifetime, paged.page)
  return createLibrary(backend, lifetime, {
    get page(): SkillLibrary['page'] {
      return whole ? undefined : page
    },
    async use(environment, options) {
      lifetime.check(options)
      return (await complete()).use(environment, options)
    },
    async upgrade(embedder, options) {
      lifetime.check(options)
      return (await abortable(complete(), options?.signal)).upgrade(embedder, options)
    },
    async enrich(ask, options) {
      lifetime.check(options)
      return (await abortable(complete(), options?.signal)).enrich(ask, options)
    },
    async ready(options) {
      checkOptionNames(options, ONLY_SIGNAL)
      return whole ? whole.ready(options) : abortable(model.ready, options?.signal)
    },
    ...withoutLearning(lifetime),
  } satisfies Partial<LocalLibrary>)
}

/** Reads the list of pieces. `undefined`: the library is not in pieces. */
async function readIndex(
  parts: OpenParts,
  found: ReadResult,
  signal: AbortSignal | undefined,
): Promise<PagedIndex | undefined> {
  const { source } = parts
  let current = found
  const read = async (): Promise<PagedIndex | undefined> => {
    const { bytes, version } = current
    const catalog = await readPiecedCatalog(bytes, `${CATALOG_FILE} of ${source.name}`)
    if (!catalog) return undefined
    const list = await readPackedFile(source, catalog.list, digestIn(catalog.list), signal)
    return createPiecesIndex(parts, { catalog, version, list })
  }
  const index = await readCurrent(read, async () => {
    const next = await source.read(CATALOG_FILE, { signal })
    if (typeof next !== 'object' || sameBytes(next.bytes, current.bytes)) return false
    current = next
    return true
  })
  parts.latest = current
  return index
}

/** A source whose first answer is a catalog that was read before: that of an offline copy is read once. */
function startingWith(catalog: ReadResult, source: SkillSource): SkillSource {
  let isFirst = true
  const read: SkillSource['read'] = async (path, options) => {
    if (path !== CATALOG_FILE || !isFirst) return source.read(path, options)
    isFirst = false
    return catalog
  }
  return { ...source, read }
}

/** Reads the catalog again. `undefined`: it is the same. */
async function readNext(
  parts: OpenParts,
  { version, revision }: PagedIndex,
  signal: AbortSignal | undefined,
): Promise<PagedIndex | undefined> {
  const { source } = parts
  const found = await source.read(CATALOG_FILE, { ifVersion: version, signal })
  if (found === 'unchanged') return undefined
  if (!found) {
    throw new SkillshelfError(
      'source-not-found',
      `${source.name} no longer has a ${CATALOG_FILE}`,
      {
        subject: source.name,
      },
    )
  }
  const next = await readIndex(parts, found, signal)
  if (!next) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} is not in pieces any more`,
      { subject: source.name },
      NOT_PIECED,
    )
  }
  return next.revision === revision ? undefined : next
}

/** Whether an error is that of a piece, or of the list of them. */
function isOfPiece(error: unknown): boolean {
  return (
    isSkillshelfError(error, 'format', 'source-failed') &&
    String(error.details.subject).endsWith('.piece')
  )
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

/** What a change to the whole library means for the skills that were seen. */
function changeOf(seen: readonly SkillSummary[], { snapshot }: LocalLibrary): LibraryChange {
  const now = new Map(snapshot.skills.map(skill => [skill.id, skill]))
  const known = seen.filter(({ id }) => now.has(id))
  return {
    revision: snapshot.revision,
    added: [],
    changed: known.filter(({ id, digest }) => now.get(id)?.digest !== digest).map(({ id }) => id),
    removed: seen.filter(({ id }) => !now.has(id)).map(({ id }) => id),
  }
}
