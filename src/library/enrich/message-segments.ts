import { digestOf, shortDigest } from '../../core/digest.js'
import { createSegmentBuilder, embeddedSkill } from '../../search/index/build.js'
import { compactSegments } from '../../search/index/merge.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import type { SourceIndex, SourceSegment } from '../indexing/source-index.js'
import type { SourceState } from '../state/state.js'
import type { EnrichedSkill } from './prompt.js'

export interface SkillWithMessages {
  entry: CatalogEntry
  texts: EnrichedSkill
  messages: readonly string[]
  /** Messages of its author that it is not for. */
  notMessages: readonly string[] | undefined
  /** Languages and numbers that the model was asked for. */
  wanted: string
}

/** A segment of skills with written messages. It replaces them in the segments of their source while they do not change. */
interface MessageSegment {
  key: string
  bytes: Uint8Array<ArrayBuffer>
  entries: readonly (Pick<CatalogEntry, 'path' | 'digest' | 'details'> & { wanted: string })[]
}

/** Segments of skills with written messages, by the origin of their source. */
export interface MessageSegments {
  /** Adds a segment. Skills of earlier segments are replaced. @param embedder Adds vectors to it. */
  add(
    origin: string,
    skills: readonly SkillWithMessages[],
    embedder: SkillModel | undefined,
  ): Promise<void>
  /** Merges the segments if there are many. */
  compact(): Promise<void>
  /** Whether a skill has messages that were written for `wanted`, and has not changed since. */
  has(origin: string, entry: CatalogEntry, wanted: string): boolean
  /** The segments of a source, with the written messages of its skills. */
  segmentsOf(source: SourceState): readonly SourceSegment[]
}

export function createMessageSegments(): MessageSegments {
  const byOrigin = new Map<string, readonly MessageSegment[]>()
  return {
    async add(origin, skills, embedder) {
      const documents = skills.map(
        ({ entry, texts: { whenToUse, body }, messages, notMessages }) => {
          return { ...entry, whenToUse, messages, notMessages, body }
        },
      )
      await embedder?.prepare?.(documents.map(embeddedSkill))
      const builder = createSegmentBuilder({ embedder })
      for (const document of documents) builder.add(document)
      const bytes = builder.finish()
      const entries = skills.map(({ entry: { path, digest, details }, wanted }) => ({
        path,
        digest,
        details,
        wanted,
      }))
      byOrigin.set(origin, [...(byOrigin.get(origin) ?? []), { key: keyOf(bytes), bytes, entries }])
    },
    async compact() {
      for (const [origin, segments] of byOrigin) {
        const all = segments.map(one => ({
          ...one,
          skills: one.entries.length,
          dead: replacedBy(segments, one),
        }))
        const { kept, merged } = await compactSegments(all, ({ bytes }) => bytes)
        if (!merged) continue
        const entries = merged.from.flatMap(one =>
          one.entries.filter((_, number) => !one.dead.has(number)),
        )
        byOrigin.set(origin, [...kept, { key: keyOf(merged.bytes), bytes: merged.bytes, entries }])
      }
    },
    has: (origin, entry, wanted) =>
      (byOrigin.get(origin) ?? []).some(({ entries }) =>
        entries.some(one => one.wanted === wanted && isSame(one, entry)),
      ),
    segmentsOf: ({ origin, loaded }) => withMessages(loaded, byOrigin.get(origin) ?? []),
  }
}

function withMessages(
  { segments, byPath }: SourceIndex,
  written: readonly MessageSegment[],
): readonly SourceSegment[] {
  if (written.length === 0) return segments
  const taken = new Set<string>()
  const added: SourceSegment[] = []
  for (const { key, bytes, entries } of [...written].reverse()) {
    const dead = new Set<number>()
    for (const [number, entry] of entries.entries()) {
      if (taken.has(entry.path) || !isSame(entry, byPath.get(entry.path))) dead.add(number)
      else taken.add(entry.path)
    }
    if (dead.size < entries.length) {
      added.unshift({ key, bytes, paths: entries.map(({ path }) => path), dead })
    }
  }
  const rest = segments
    .map(segment => ({
      ...segment,
      dead: new Set([
        ...segment.dead,
        ...segment.paths.flatMap((path, number) => (taken.has(path) ? [number] : [])),
      ]),
    }))
    .filter(({ dead, paths }) => dead.size < paths.length)
  return [...rest, ...added]
}

/** The numbers of a segment's skills that a later segment has. */
function replacedBy(
  segments: readonly MessageSegment[],
  segment: MessageSegment,
): ReadonlySet<number> {
  const later = new Set(
    segments
      .slice(segments.indexOf(segment) + 1)
      .flatMap(({ entries }) => entries.map(one => one.path)),
  )
  return new Set(segment.entries.flatMap(({ path }, number) => (later.has(path) ? [number] : [])))
}

function isSame(a: MessageSegment['entries'][number], b: CatalogEntry | undefined): boolean {
  return a.path === b?.path && a.digest === b.digest && a.details === b.details
}

function keyOf(bytes: Uint8Array): string {
  return shortDigest(digestOf(bytes))
}
