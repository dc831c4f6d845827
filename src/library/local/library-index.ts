import { createQueue } from '../../core/concurrency.js'
import type { Vectors } from '../../search/index/vectors.js'
import type { LiveSegment, Matcher, QueryVector } from '../../search/match/skill-match.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { SkillId } from '../../skill/skill.js'
import { skillId } from '../catalog/snapshot.js'
import type { SourceSegment } from '../indexing/source-index.js'
import type { Lifetime } from '../lifetime.js'
import type { LibraryOptions } from '../options.js'
import type { ExplainOptions } from '../skill-library.js'
import type { LibraryState, SourceState } from './state.js'

/** What the sources hold now, and a matcher that finds it. Refreshes, models and written messages change it by `update`. */
export interface LibraryIndex {
  readonly options: LibraryOptions
  readonly lifetime: Lifetime
  readonly matcher: Matcher
  readonly model: LibraryModel
  readonly state: LibraryState
  /** The segments of the sources, with written messages. */
  readonly segments: readonly IndexedSegment[]
  /** Changes the state, after earlier updates and after the matcher. Does nothing once the library is closed. */
  update(change: (state: LibraryState) => LibraryState | Promise<LibraryState>, signal?: AbortSignal): Promise<void>
  /** Runs work that reads the sources: refreshes and the joining of the model, one after the other. */
  readonly reload: <T>(work: () => Promise<T>) => Promise<T>
  /** Set by `upgrade` while its embedder is in use. */
  embedder: EmbedderInUse | undefined
  /** Set by `enrich`: the segments of a source with the written messages of its skills. */
  withMessages: ((source: SourceState) => readonly SourceSegment[]) | undefined
}

/** For the module that makes an object which others only read. */
export type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

/** A segment as the matcher has it. */
export interface IndexedSegment {
  /** Identifies its bytes among those of all sources. */
  key: string
  segment: SourceSegment
  source: SourceState
}

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
  join(index: LibraryIndex): void
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

/** Creates the index of loaded sources. */
export async function createIndex(
  parts: Pick<LibraryIndex, 'options' | 'lifetime' | 'matcher' | 'model' | 'state'>,
): Promise<LibraryIndex> {
  const { lifetime, matcher } = parts
  const queue = createQueue()
  const show = async (next: LibraryState, signal: AbortSignal | undefined): Promise<void> => {
    const indexed = next.sources.flatMap(source => {
      const segments = index.withMessages?.(source) ?? source.loaded.segments
      return segments.map(segment => ({ key: `${source.origin}:${segment.key}`, segment, source }))
    })
    const live = liveSegments(next, indexed, index.embedder)
    await matcher.update({ revision: next.snapshot.revision, segments: live }, { signal })
    if (lifetime.isClosed) return
    index.state = next
    index.segments = indexed
  }
  const index: Mutable<LibraryIndex> = {
    ...parts,
    segments: [],
    update: (change, signal) =>
      queue(async () => {
        if (lifetime.isClosed) return
        await show(await change(index.state), signal)
        void index.embedder?.embedNewSkills()
      }),
    reload: createQueue(),
    embedder: undefined,
    withMessages: undefined,
  }
  await show(parts.state, parts.options.signal)
  return index
}

/** Disabled and shadowed skills are dead. */
function liveSegments(
  { snapshot, showsAll }: LibraryState,
  segments: readonly IndexedSegment[],
  embedder: EmbedderInUse | undefined,
): LiveSegment[] {
  const shown = showsAll ? undefined : new Set(snapshot.skills.map(({ id }) => id))
  return segments.map(({ key, segment: { bytes, paths, dead }, source }) => {
    const ids = paths.map(path => skillId(source.origin, path))
    const isDead = (id: SkillId, number: number): boolean => dead.has(number) || !shown?.has(id)
    const vectors = embedder?.vectorsOf(key)
    const hidden = shown ? ids.flatMap((id, number) => (isDead(id, number) ? [number] : [])) : [...dead]
    return { key, bytes, ids, dead: hidden, ...(vectors ? { vectors } : {}) }
  })
}
