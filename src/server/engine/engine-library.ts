import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import { createLifetime } from '../../library/api/lifetime.js'
import { checkEmbedder } from '../../library/api/options.js'
import type { PageOptions, SkillLibrary, SkillPage } from '../../library/api/skill-library.js'
import { createLibrary } from '../../library/create-library.js'
import { createPagedBackend } from '../../library/paged/paged-backend.js'
import type { PagedIndex } from '../../library/paged/paged-index.js'
import { createPage } from '../../library/query/pages.js'
import type { Reranker } from '../../search/decide/rerank.js'
import { loadCorpusStatistics } from '../../search/match/corpus-statistics.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { type Diagnostic, modelDiagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/source.js'
import { createRowReader } from './checked-rows.js'
import { createEngineIndex } from './engine-index.js'
import { readPublication, UNPUBLISHED } from './publication.js'
import type { SkillEngine } from './skill-engine.js'

/** Options of `openEngineLibrary`. */
export interface EngineLibraryOptions extends AbortOptions {
  /** Stores the rows. */
  engine: SkillEngine
  /** Stores the files, the counts and the head: the `files` of `publishToEngine`. */
  files: SkillSource
  /**
   * The model that the library was published with, such as `await bundled()`. If it cannot be loaded, or the library has vectors of
   * another model, skills are found by keywords only, with a diagnostic in `snapshot.diagnostics`.
   * @default undefined (keywords only)
   */
  embedder?: SkillModel | Promise<SkillModel> | false | undefined
  /** Reorders the best matches of `match`: see `LibraryOptions.rerank`. @default undefined */
  rerank?: Reranker | undefined
  /** Libraries of at most this many skills are listed when they open, by one more request, in `snapshot.skills`. @default 1_000 */
  listUpTo?: number | undefined
  /** Opens a library without skills if nothing is published yet. `refresh` finds the first revision. @default false (`source-not-found`) */
  allowEmpty?: boolean | undefined
}

/**
 * A library whose skills are in a search engine. It differs from a library in memory in three points:
 *
 * - `snapshot.skills` has all skills if there are at most `listUpTo`, otherwise those that this object has returned, 10,000 at most.
 *   `page` lists all, `list` up to 10,000.
 * - Similar names of a skill that is not found come from `snapshot.skills`, and so do the skills that `on('change')` reports.
 * - Files of nested skills are read through the nested skill only. Disabled and hidden skills are not published.
 */
export interface EngineLibrary extends SkillLibrary {
  /**
   * Lists skills in an order of the engine.
   * @returns The skills; `next` continues and is absent on the last page.
   * @throws SkillshelfError `invalid-input`, `source-failed`, `aborted`, `closed`
   * @example
   * ```ts
   * const { skills, next } = await library.page({ tags: ['pdf'], limit: 50 })
   * ```
   */
  page(options?: PageOptions): Promise<SkillPage>
}

const LIST_UP_TO = 1_000

const OPTIONS = {
  engine: 1,
  files: 1,
  embedder: 1,
  rerank: 1,
  listUpTo: 1,
  allowEmpty: 1,
  signal: 1,
  // Of `publishToEngine`, with which callers share an object of options.
  library: 1,
} satisfies OptionNames<EngineLibraryOptions> & { library: 1 }

/**
 * Opens a library that was published with `publishToEngine`.
 *
 * It reads the head and the counts. Each `match`, `search` and `explain` is one request to the engine; `get` is one to the engine and one
 * for the file. `refresh` reads the head again: call it at least once an hour, because rows of older revisions are deleted.
 * @returns The library. Close it with `close()` or `await using`.
 * @throws SkillshelfError `source-not-found` if nothing is published, `format`, `source-failed`, `invalid-input`, `aborted`
 * @example
 * ```ts
 * import { openEngineLibrary } from 'skillshelf/engine'
 * import { qdrant } from 'skillshelf/engine'
 * import { bundled } from 'skillshelf/model'
 *
 * const library = await openEngineLibrary({
 *   engine: qdrant({ url: 'https://xyz.cloud.qdrant.io', apiKey, library: 'registry' }),
 *   files: r2(env.SKILLS, { prefix: 'registry/' }),
 *   embedder: bundled(),
 * })
 * const { matches } = await library.match('Summarize this PDF')
 * ```
 */
export async function openEngineLibrary(options: EngineLibraryOptions): Promise<EngineLibrary> {
  checkOptionNames(options, OPTIONS)
  const { engine, files, rerank, listUpTo = LIST_UP_TO, allowEmpty = false, signal } = options
  const { model, problems } = await loadModel(options.embedder)
  const corpus = await loadCorpusStatistics()
  const read = (version: string | undefined, signal: AbortSignal | undefined) =>
    readPublication(engine, files, { version, model, signal })
  const published = (await read(undefined, signal)) ?? (allowEmpty ? UNPUBLISHED : undefined)
  if (!published) {
    throw new SkillshelfError('source-not-found', `Nothing is published in ${files.name}`, {
      subject: files.name,
      hint: 'publish with publishToEngine',
    })
  }
  const lifetime = createLifetime()
  const rows = createRowReader(engine)
  const ranking = { rows, model, corpus }
  const parts = {
    files,
    rerank,
    listUpTo,
    lifetime,
    problems,
    async readNext({ version, revision }: PagedIndex, signal: AbortSignal | undefined) {
      const next = await read(version, signal)
      if (next && next.head.revision !== revision) rows.leftOut.clear()
      return next && createEngineIndex(ranking, next)
    },
  }
  const backend = await createPagedBackend(parts, createEngineIndex(ranking, published), signal)
  return createLibrary(backend, lifetime, { page: createPage(lifetime, backend.page) })
}

async function loadModel(
  embedder: EngineLibraryOptions['embedder'],
): Promise<{ model: SkillModel | undefined; problems: readonly Diagnostic[] }> {
  try {
    return { model: await checkEmbedder(await embedder), problems: [] }
  } catch (error) {
    if (isSkillshelfError(error, 'invalid-input')) throw error
    return { model: undefined, problems: [modelDiagnostic(error, 'The model')] }
  }
}
