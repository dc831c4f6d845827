/// <reference lib="esnext.disposable" preserve="true" />

import type { AbortOptions } from '../../core/abort.js'
import type { OnProgress } from '../../core/progress.js'
import type { Language, MatchQuery } from '../../search/match/skill-match.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import type { ByteRange } from '../../source/source.js'
import type { LibraryChange, LibrarySnapshot } from '../catalog/catalog-entry.js'
import type { ForgetOptions, LearnedMessage, UseReport } from './learned-messages.js'
import type { MatchResult, SearchResult, SkillMatch } from './match-result.js'
import type { AskForMessages, MessageLanguage } from './message-writing.js'

/** Selects skills. A skill must meet every condition. */
export interface SkillFilter {
  /** Skills with at least one of these tags, case-insensitive. */
  tags?: readonly string[] | undefined
  /** Skills of these origins. */
  origins?: readonly string[] | undefined
  /** Skills with these ids. A server takes 1,000 of them in a message, and 20 in a page. */
  ids?: readonly SkillId[] | undefined
}

/** Options of `explain`, and of `match` and `search` too. */
export interface ExplainOptions extends AbortOptions {
  /** Language of the reasons, and of the descriptions of skills that have some. @default 'en' for reasons, that of the skill */
  language?: Language | undefined
  /**
   * Waits for the bundled model: see `LibraryOptions.modelTimeout`. `false`, for a search box: words answer while it loads; match again if
   * the result is not `complete`. A server behind HTTP always waits.
   * @default true
   */
  wait?: boolean | undefined
}

/** Options of `match`. */
export interface MatchOptions extends SkillFilter, ExplainOptions {
  /** Maximum number of matches. Those beside the first score a two-hundredth of the threshold or more. @default 3 */
  limit?: number | undefined
  /** Score that the first match must exceed, 0 to 1. Otherwise there is no match. @default 0.7 */
  threshold?: number | undefined
  /** Number of nearest skills that the reranker may choose from. @default 5, or `limit` if it is larger */
  candidates?: number | undefined
}

/** Options of `search`. */
export interface SearchOptions extends SkillFilter, ExplainOptions {
  /** Maximum number of matches. @default 5 */
  limit?: number | undefined
}

/** Options of `page`. */
export interface PageOptions extends SkillFilter, AbortOptions {
  /** Maximum number of skills, 1,000 at most. @default 100 */
  limit?: number | undefined
  /** `next` of the page before. */
  cursor?: string | undefined
}

/** A part of the skills of a library. */
export interface SkillPage {
  skills: readonly SkillSummary[]
  /** Continues. Absent on the last page. */
  next?: string | undefined
}

/** Why a skill matches a message or not. */
export interface Explanation extends SkillMatch {
  /** 1 is best. Beyond 50 it is an estimate. 0: no common word. */
  rank: number
  /** Whether `match` would act on the skill: it is the best one, and its score is above the default threshold. */
  matched: boolean
}

/**
 * A library of skills, in this process, in a Worker or behind HTTP.
 *
 * A skill is named by its id, or by a name, display name or folder name that is unique in the library.
 */
export interface SkillLibrary extends AsyncDisposable {
  /** The skills and diagnostics at this moment. Immutable; a refresh replaces it. */
  readonly snapshot: LibrarySnapshot

  /**
   * Lists the skills, sorted by id.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const skills = await library.list({ tags: ['pdf'] })
   * ```
   */
  list(options?: SkillFilter & AbortOptions): Promise<readonly SkillSummary[]>

  /**
   * Lists skills in pages, in an order of its own. Absent if `snapshot.skills` has every skill: only a library in a search engine, or a
   * large one behind HTTP, has pages.
   * @throws SkillshelfError `invalid-input`, `source-failed`, `aborted`, `closed`
   * @example
   * ```ts
   * const first = await library.page?.({ tags: ['pdf'], limit: 50 })
   * ```
   */
  page?: ((options?: PageOptions) => Promise<SkillPage>) | undefined

  /**
   * Opens a skill: its instructions, metadata and files. Cached until the skill changes.
   * @param skill An id or a unique name.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `source-failed`, `aborted`, `closed`
   * @example
   * ```ts
   * const { instructions, files } = await library.get('deep_research')
   * ```
   */
  get(skill: string, options?: AbortOptions): Promise<Skill>

  /**
   * Reads a file of a skill. Scripts are returned as content, never executed.
   * @param skill An id or a unique name.
   * @param path Relative to the folder of the skill.
   * @param options `range` reads a part of the file: `offset` and `length` in bytes. Default: the whole file.
   * @throws SkillshelfError `invalid-path` if the path leaves the folder, `resource-not-found`, `invalid-input`, and those of `get`
   * @example
   * ```ts
   * const { text } = await library.read('deep_research', 'resources/report_template.md')
   * ```
   */
  read(
    skill: string,
    path: string,
    options?: AbortOptions & { range?: ByteRange | undefined },
  ): Promise<SkillFile>

  /**
   * Finds the skills that serve a message: act, offer a choice, or nothing fits. See `MatchResult.status`.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const { status, matches } = await library.match('Research the AI market', { threshold: 0.8 })
   * if (status === 'match') console.log(matches[0]?.name, matches[0]?.score)
   * ```
   */
  match(query: string | MatchQuery, options?: MatchOptions): Promise<MatchResult>

  /**
   * Finds the nearest skills, best first, without a threshold.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const { matches } = await library.search('slides', { limit: 10 })
   * ```
   */
  search(query: string | MatchQuery, options?: SearchOptions): Promise<SearchResult>

  /**
   * Explains why a skill matches a message or not.
   * @param skill An id or a unique name.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const { matched, rank, reason } = await library.explain('Make slides', 'ppt')
   * ```
   */
  explain(query: string | MatchQuery, skill: string, options?: ExplainOptions): Promise<Explanation>

  /**
   * Reads the sources again and replaces the snapshot. Sees every change made before the call. A source that cannot be read keeps its
   * last skills and adds a diagnostic. Calls that arrive before a refresh starts share it.
   * @returns The ids of added, changed and removed skills.
   * @throws SkillshelfError `aborted`, `closed`
   * @example
   * ```ts
   * const { added, changed, removed } = await library.refresh()
   * ```
   */
  refresh(options?: AbortOptions): Promise<LibraryChange>

  /**
   * Adds a listener for changes. It is called after each refresh that changed a skill, including refreshes by `watch` of a source.
   * An error that the listener throws does not reject `refresh`: it is reported as an uncaught error, as for DOM events.
   * @returns A function that removes the listener.
   * @throws SkillshelfError `invalid-input` for any event other than `change`
   * @example
   * ```ts
   * const stop = library.on('change', ({ added }) => console.log('New skills:', added))
   * ```
   */
  on(event: 'change', listener: (change: LibraryChange) => void): () => void

  /** Waits until the library is open. Absent if it is: only one of `lazyLibrary` opens later. */
  opened?(options?: AbortOptions): Promise<void>

  /** Waits until a model has joined that loads in the background. Absent if none can join, as behind HTTP. See `LocalLibrary.ready`. */
  ready?(options?: AbortOptions): Promise<boolean>

  /** Whether it learns from use. Absent if it cannot, as behind HTTP: messages stay on this device. See `LocalLibrary.learn`. */
  readonly learns?: boolean

  /** Closes the library and its sources. Later calls throw `closed`. */
  close(): Promise<void>
}

/** Options of `upgrade`. */
export interface UpgradeOptions extends AbortOptions {
  /** Called with phase `load` (bytes of the model's files), then `embed` (skills). */
  onProgress?: OnProgress | undefined
  /** Called once if the embedder cannot be used, now or later: it fails to load, crashes or returns an error. @default console.warn */
  onFailure?: ((failure: Diagnostic) => void) | undefined
  /** Stores the vectors of skills. `false` stores nothing. @default IndexedDB, where available */
  cache?: VectorCache | false | undefined
  /** Milliseconds that a message waits for its vector. After that, it is matched without the embedder. @default 2000 */
  timeout?: number | undefined
}

/** Options of `enrich`. */
export interface EnrichOptions extends AbortOptions {
  /** Languages of the messages. @default ['en'] */
  languages?: readonly MessageLanguage[] | undefined
  /** Messages of each language, 1 to 7. @default 6 in English, 4 in others */
  count?: number | undefined
  /** Skills that are asked for at a time. @default 2 */
  concurrency?: number | undefined
  /** Stores the messages, as UTF-8 JSON. `false` stores nothing. @default IndexedDB, where available */
  cache?: VectorCache | false | undefined
  /** Called with phase `enrich` after each skill. */
  onProgress?: OnProgress | undefined
  /** Called for each skill that gets no messages, with the diagnostic `messages-not-written`. @default console.warn */
  onFailure?: ((failure: Diagnostic) => void) | undefined
}

/** Result of `enrich`, in skills and tokens. */
export interface EnrichResult {
  /** Skills that the model was asked for. The others have messages of their own or in the cache. */
  asked: number
  /** Skills that are now found by written messages. */
  kept: number
  /** Skills without messages, because the model or its answer failed. */
  failed: number
  /** Estimated tokens of prompts and answers. */
  tokens: { input: number; output: number }
}

/** A library in this process. */
export interface LocalLibrary extends SkillLibrary {
  /**
   * Waits until the bundled model has joined, however long that takes. `match`, `search` and `explain` wait by themselves, for `modelTimeout`.
   * @returns Whether messages are matched by meaning too: `false` without a model, or if it could not be loaded.
   * @throws SkillshelfError `aborted`
   * @example
   * ```ts
   * await library.ready()
   * ```
   */
  ready(options?: AbortOptions): Promise<boolean>

  /**
   * Adds an asynchronous embedder, such as a transformer. Loading never blocks: the current matcher keeps answering. Once every skill is
   * embedded, the embedder serves messages in its languages. A second call replaces the first.
   * @param embedder An embedder, or a function that loads one: `transformers(…)`, `threadEmbedder(…)`.
   * @returns Whether the embedder is in use. If it fails, `onFailure` is called and the result is `false`.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * import { transformers } from 'skillshelf/transformers'
   *
   * const ready = await library.upgrade(transformers(), {
   *   onProgress: ({ phase, done, total }) => console.log(phase, done, total),
   * })
   * ```
   */
  upgrade(embedder: Embedder | EmbedderLoader, options?: UpgradeOptions): Promise<boolean>

  /**
   * Asks a language model what users say when they need each skill, and indexes its messages, so that skills are found by the users' words.
   * Matching never waits: messages are indexed in batches as they arrive. Skills with messages of their own stay as they are. Files and the
   * snapshot do not change. Skills that are added or changed later are found by their own words until the next call. A second call ends the
   * first, and three failures of `ask` in a row end a call; what is written stays.
   * @param ask Sends a prompt to a model of yours and returns its answer.
   * @throws SkillshelfError `invalid-input`, `aborted`, `closed`
   * @example
   * ```ts
   * const { kept, failed } = await library.enrich(
   *   async ({ system, user }, { signal }) => {
   *     const { text } = await generateText({ model, system, prompt: user, abortSignal: signal })
   *     return text
   *   },
   *   { languages: ['en', 'zh'] },
   * )
   * ```
   */
  enrich(ask: AskForMessages, options?: EnrichOptions): Promise<EnrichResult>

  /**
   * Moves to another environment: skills in `environments/{environment}/skills` and outside `environments`. Refreshes the sources.
   * @param environment The name of a folder in `environments`; a missing folder has no skills, and the diagnostic `environment-unknown`
   * names the nearest ones. `undefined`: every skill.
   * @returns The ids of added, changed and removed skills.
   * @throws SkillshelfError `invalid-input` if it is not a folder name, `aborted`, `closed`
   * @example
   * ```ts
   * await library.use('production')
   * ```
   */
  use(environment: string | undefined, options?: AbortOptions): Promise<LibraryChange>

  /** Whether the library was opened with `learn`. */
  readonly learns: boolean

  /**
   * Learns that a message needs a skill. From then on, the same message finds the skill first, and a similar one raises it. If skills
   * differ for a message, the last one learned comes first. Messages stay in the store of the option `learn`.
   *
   * At most 2,000 messages are kept, 16 of each skill; the least used leave first. Messages of removed skills are dropped.
   * @param message The user's words, 1 to 300 characters. Hidden characters are removed.
   * @param skill An id or a unique name.
   * @throws SkillshelfError `unsupported` without the option `learn`; `invalid-input`, `skill-not-found`, `ambiguous-name`,
   * `source-failed` or `storage-full` if IndexedDB fails, `aborted`, `closed`. Errors of your own store are passed on unchanged.
   * @example
   * ```ts
   * const library = await openLibrary('/skills/', { learn: true })
   * await library.learn('the usual for Monday', 'weekly-report')
   * ```
   */
  learn(message: string, skill: string, options?: AbortOptions): Promise<void>

  /**
   * Keeps a message after which no skill was opened, for `report`. It does not change what is found. A session with `learn` calls it. At most
   * 500 are kept, the newest; one of more than 300 characters is left out.
   * @throws SkillshelfError as `learn`
   * @example
   * ```ts
   * await library.noteUnused(message, await library.match(message))
   * ```
   */
  noteUnused(message: string, result: Pick<MatchResult, 'matches' | 'maybe'>): Promise<void>

  /**
   * Reports what messages led to, as far as it was learned: skills that were opened, matched but not opened, or never matched, and messages
   * that found nothing. Nothing leaves this device, and `forget` forgets it.
   * @throws SkillshelfError `unsupported` without the option `learn`, `closed`
   * @example
   * ```ts
   * const { nothing, neverMatched } = await library.report()
   * ```
   */
  report(): Promise<UseReport>

  /**
   * Forgets learned messages: those of a skill, a message, a message of a skill, or all.
   * @throws SkillshelfError `invalid-input` unless it gets `skill`, `message` or both, or `all: true`; those of `learn`
   * @example
   * ```ts
   * await library.forget({ all: true })
   * ```
   */
  forget(selection: ForgetOptions): Promise<number>

  /**
   * Returns the learned messages, the oldest first. They are plain data: export them with `JSON.stringify`.
   * @throws SkillshelfError `unsupported` without the option `learn`, `closed`
   * @example
   * ```ts
   * for (const { skill, message, count } of await library.learned()) console.log(skill, message, count)
   * ```
   */
  learned(): Promise<readonly LearnedMessage[]>

  /**
   * Adds exported messages to the learned ones. Importing a list twice changes nothing.
   * @param messages The result of `learned`.
   * @throws SkillshelfError `invalid-input` if an entry is not a learned message; those of `learn`
   * @example
   * ```ts
   * await library.importLearned(JSON.parse(backup))
   * ```
   */
  importLearned(messages: readonly LearnedMessage[]): Promise<void>
}
