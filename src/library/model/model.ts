import type { Vectors } from '../../search/index/vectors.js'
import type { QueryVector } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Lifetime } from '../api/lifetime.js'
import type { LibraryOptions } from '../api/options.js'
import type { ExplainOptions } from '../api/skill-library.js'
import type { SourceSegment } from '../indexing/source-index.js'
import type { LibraryState, SourceState } from '../state/state.js'

/** The model of a library: the option `embedder`, or the bundled one, which joins while the library is in use. */
export interface LibraryModel {
  /** The model of the segments. */
  readonly current: Promise<SkillModel | undefined>
  /** The bundled model, once it has joined. */
  readonly joined: SkillModel | undefined
  /** Whether the bundled model joins: trees keep the texts of skills for it. */
  readonly joins: boolean
  /** See `LocalLibrary.ready`. */
  readonly ready: Promise<boolean>
  /** `false` while a model loads, and if it cannot be loaded: then results are not `complete`. `true` without a model. */
  readonly takesPart: boolean
  /**
   * Waits for the bundled model, unless that took `modelTimeout` before. Loads the part of it that a message needs in parallel.
   * @returns Milliseconds left for that part.
   * @throws SkillshelfError `aborted`
   */
  wait(message: string, options: Pick<ExplainOptions, 'wait' | 'signal'>): Promise<number>
  /** Starts to add the bundled model, once. Called after each refresh too: an empty library, or one without vectors, has no use for it. */
  join(index: ModelIndex): void
}

/** An asynchronous embedder in a library that is in use. It embeds the skills in the background, then the messages. */
export interface EmbedderInUse {
  /** The vectors of a segment. `undefined` until every skill of it is embedded. */
  vectorsOf(segmentKey: string): Vectors | undefined
  /** The vector of a message. `undefined` if its language is not covered, skills are missing, or the timeout passes. */
  embed(message: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined>
  /** Embeds skills without vectors, segment by segment. Concurrent calls share one run. */
  embedNewSkills(): Promise<void>
  /** Never rejects. */
  close(): Promise<void>
}

/** The index of a library, as far as models read and change it. */
export interface ModelIndex {
  readonly options: Pick<LibraryOptions, 'onDiagnostic'>
  readonly lifetime: Lifetime
  readonly state: LibraryState
  /** The segments of the sources, with written messages. */
  readonly segments: readonly IndexedSegment[]
  /** Changes the state, after earlier updates and after the matcher. Does nothing once the library is closed. */
  update(
    change: (state: LibraryState) => LibraryState | Promise<LibraryState>,
    signal?: AbortSignal,
  ): Promise<void>
  /** Runs work that reads the sources: refreshes and the joining of the model, one after the other. */
  readonly reload: <T>(work: () => Promise<T>) => Promise<T>
  /** Set by `upgrade` while its embedder is in use. */
  embedder: EmbedderInUse | undefined
}

/** A segment as the matcher has it. */
export interface IndexedSegment {
  /** Identifies its bytes among those of all sources. */
  key: string
  segment: SourceSegment
  source: SourceState
}

/** For the module that makes an object which others only read. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
