/// <reference lib="esnext.disposable" preserve="true" />
import type { LibraryChange, LibrarySnapshot } from '../catalog/types.js'
import type { Embedder, EmbedderLoader, VectorCache } from '../embed/types.js'
import type { Language, MatcherResult, MatchQuery, SkillMatch } from '../match/types.js'
import type { Diagnostic } from '../skill/diagnostics.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../skill/types.js'
import type { ByteRange } from '../source/types.js'

export interface AbortOptions {
  signal?: AbortSignal | undefined
}

/** Which skills. All conditions must hold. */
export interface SkillFilter {
  /** At least one of these tags, case-folded. */
  tags?: readonly string[] | undefined
  /** One of these origins. */
  origins?: readonly string[] | undefined
}

export interface MatchOptions extends SkillFilter, AbortOptions {
  /** Matches at most. Default 3. */
  limit?: number | undefined
  /** Matches whose score is not above this are left out. Default 0.7. */
  threshold?: number | undefined
  /** How far the first match must lead the next best in `confidence`, else the result is `undecided`. Default 0: it always is decided. */
  margin?: number | undefined
  /** Of the reasons. Default `en`. */
  language?: Language | undefined
}

export interface SearchOptions extends SkillFilter, AbortOptions {
  /** Matches at most. Default 5. */
  limit?: number | undefined
  /** Of the reasons. Default `en`. */
  language?: Language | undefined
}

/** Why a skill did or did not match. */
export interface Explanation extends SkillMatch {
  /** 1 is best. Past the first fifty it is only known to be worse. 0: no word in common. */
  rank: number
  /** Whether `match` would give it, with the default limit and threshold. */
  matched: boolean
}

/** A skill library, wherever it is: in this process, behind HTTP, in a Worker. Every call but `snapshot` and `on` is asynchronous. */
export interface SkillLibrary extends AsyncDisposable {
  /** What is on the shelf now. Replaced by `refresh`, never changed. */
  readonly snapshot: LibrarySnapshot

  /** The skills, sorted by id. */
  list(options?: SkillFilter & AbortOptions): Promise<readonly SkillSummary[]>

  /**
   * Opens a skill, by id or by any name that is unique: instructions, files, metadata. Opened skills are cached until they change.
   * @throws SkillshelfError `skill-not-found`, `ambiguous-name`, `source-failed`
   */
  get(skill: string, options?: AbortOptions): Promise<Skill>

  /**
   * Reads a file of a skill. Nothing is executed: scripts are content and paths.
   * @throws SkillshelfError `invalid-path` for a path that would leave the skill, `resource-not-found`, and as `get`
   */
  read(skill: string, path: string, options?: AbortOptions & { range?: ByteRange | undefined }): Promise<SkillFile>

  /** The skills that serve a message, best first: those whose score is above the threshold, and none where no skill is. */
  match(query: string | MatchQuery, options?: MatchOptions): Promise<MatcherResult>

  /** The nearest skills, best first, without a threshold. */
  search(query: string | MatchQuery, options?: SearchOptions): Promise<MatcherResult>

  /** Why a skill did or did not match a message. */
  explain(
    query: string | MatchQuery,
    skill: string,
    options?: AbortOptions & { language?: Language | undefined },
  ): Promise<Explanation>

  /**
   * Looks at the sources again and swaps in what is there now. Where a source cannot be read, what was there stays, with a diagnostic.
   * What stood there when it was called is seen: calls while one is under way share the next, which begins after it.
   */
  refresh(options?: AbortOptions): Promise<LibraryChange>

  /** Calls back after every refresh that changed something, also one that a source asked for (`watch`); returns how to stop it. */
  on(event: 'change', listener: (change: LibraryChange) => void): () => void

  /** Releases what the library holds. Later calls fail with `closed`. */
  close(): Promise<void>
}

/** How far a better model has come: bytes of its files, then skills that it has read. */
export interface UpgradeProgress {
  phase: 'load' | 'embed'
  done: number
  total: number
}

export interface UpgradeOptions extends AbortOptions {
  onProgress?: ((progress: UpgradeProgress) => void) | undefined
  /** Called once when the library goes on without the model, now or later: it cannot be loaded, its thread crashed, it does not answer. */
  onFailure?: ((failure: Diagnostic) => void) | undefined
  /** Keeps what the model made of each skill. Default: IndexedDB where there is one. `false`: nothing is kept. */
  cache?: VectorCache | false | undefined
  /** Milliseconds that a message waits for the model before it is matched without. Default 2,000. */
  patience?: number | undefined
}

/** A library in this process: a better model can join it while it is in use. */
export interface LocalLibrary extends SkillLibrary {
  /**
   * Adds a model that takes its time, such as a transformer. Matches keep coming meanwhile, by what was there before; once the model has
   * read every skill, it answers the messages in its languages. A second call replaces the first.
   * Resolves to whether the model is in use; never rejects over the model itself, see `onFailure`.
   * @throws SkillshelfError `aborted`, `closed`, `invalid-input`
   */
  upgrade(model: Embedder | EmbedderLoader, options?: UpgradeOptions): Promise<boolean>

  /**
   * Moves to another environment: what stands in `environments/{name}/skills` of the sources, and what stands outside `environments`, is
   * looked at again and swapped in whole. One that is not there is empty. `undefined`: everything.
   * @throws SkillshelfError `invalid-input` for what is no name of a folder
   */
  use(environment: string | undefined, options?: AbortOptions): Promise<LibraryChange>
}

export type {
  LibraryChange,
  LibrarySnapshot,
  MatcherResult,
  MatchQuery,
  Skill,
  SkillFile,
  SkillId,
  SkillMatch,
  SkillSummary,
}
