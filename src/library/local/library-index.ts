import { createQueue } from '../../core/concurrency.js'
import type { LiveSegment, Matcher } from '../../search/match/skill-match.js'
import type { SkillId } from '../../skill/skill.js'
import type { LibraryOptions } from '../api/options.js'
import { skillId } from '../catalog/snapshot.js'
import type { SourceSegment } from '../indexing/source-index.js'
import type {
  EmbedderInUse,
  IndexedSegment,
  LibraryModel,
  ModelIndex,
  Mutable,
} from '../model/model.js'
import type { LibraryState, SourceState } from '../state/state.js'

/** What the sources hold now, and a matcher that finds it. Refreshes, models and written messages change it by `update`. */
export interface LibraryIndex extends ModelIndex {
  readonly options: LibraryOptions
  readonly matcher: Matcher
  readonly model: LibraryModel
  /** Set by `enrich`: the segments of a source with the written messages of its skills. */
  withMessages: ((source: SourceState) => readonly SourceSegment[]) | undefined
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
    const hidden = shown
      ? ids.flatMap((id, number) => (isDead(id, number) ? [number] : []))
      : [...dead]
    return { key, bytes, ids, dead: hidden, ...(vectors ? { vectors } : {}) }
  })
}
