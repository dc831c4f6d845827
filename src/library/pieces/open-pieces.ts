import { abortable } from '../../core/abort.js'
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
import { createPiecesIndex, type PublishedPieces } from './pieces-index.js'
import { createPiecesModel } from './pieces-model.js'

interface OpenPiecesOptions {
  options: LibraryOptions
  /** Opens the same library whole. */
  openWhole(): Promise<LocalLibrary>
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
  const parts = { source, origin, model, corpus: await loadCorpusStatistics() }

  let whole: LocalLibrary | undefined
  let opening: Promise<LocalLibrary> | undefined
  /** Opens the library whole, once. */
  const complete = (): Promise<LocalLibrary> => {
    opening ??= openWhole().then(
      library => {
        library.on('change', lifetime.emit)
        whole = library
        return library
      },
      error => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  const first = await readPublished(source, catalog, signal).catch(async error => {
    if (!isOfPiece(error)) throw error
    report(piecesProblem(source, error))
  })
  if (!first) return openWhole()
  const paged = await createPagedBackend(
    {
      files: source,
      rerank: options.rerank,
      // A list of all skills would be most of the library.
      listUpTo: 0,
      lifetime,
      problems,
      readNext: (current, signal) => readNext(parts, current, signal),
    },
    createPiecesIndex(parts, first),
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
      const library = await opening?.catch(() => undefined)
      await library?.close()
      await paged.close()
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

async function readPublished(
  source: SkillSource,
  found: ReadResult,
  signal: AbortSignal | undefined,
): Promise<PublishedPieces | undefined> {
  let current = found
  const read = async (): Promise<PublishedPieces | undefined> => {
    const catalog = await readPiecedCatalog(current.bytes, `${CATALOG_FILE} of ${source.name}`)
    if (!catalog) return undefined
    const { list } = catalog
    const bytes = await readPackedFile(source, list, digestIn(list), signal)
    return { catalog, version: current.version, list: bytes }
  }
  return readCurrent(read, async () => {
    const next = await source.read(CATALOG_FILE, { signal })
    if (typeof next !== 'object' || next.version === current.version) return false
    current = next
    return true
  })
}

/** Reads the catalog again. `undefined`: it is the same. */
async function readNext(
  parts: Parameters<typeof createPiecesIndex>[0],
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
  const published = await readPublished(source, found, signal)
  if (!published) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} is not in pieces any more`,
      { subject: source.name },
      NOT_PIECED,
    )
  }
  return published.catalog.content === revision ? undefined : createPiecesIndex(parts, published)
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
