import { throwIfAborted } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import {
  createSegmentBuilder,
  embeddedSkill,
  type SegmentDocument,
} from '../../../search/index/build.js'
import type { PackedVectors } from '../../../search/index/packed-vectors.js'
import type { PackedSegment } from '../../catalog/packed-catalog.js'
import type { WrittenVectors } from '../../catalog/vectors-file.js'
import type { PackedSkill } from '../publish/well-known-plan.js'
import type { PlanOptions } from './pack-options.js'
import type { PlannedFile } from './planned-file.js'
import { segmentFile } from './segment-file.js'

/** Skills in one segment: small enough to merge, large enough to keep segments few. */
const SEGMENT_SKILLS = 16_384

/** A skill of a plan, with what its segment needs. */
export interface IndexedSkill {
  skill: PackedSkill
  document: SegmentDocument
}

const loadEncoding = onDemand(() => import('./plan-vectors.js'))

const modelErrors = new WeakSet<object>()

/** Whether an error is of the model, not of the planned skills. */
export function isModelError(error: object): boolean {
  return modelErrors.has(error)
}

/** Loads what the model needs for a skill. */
async function prepareModel(
  embedder: PlanOptions['embedder'],
  document: SegmentDocument,
): Promise<void> {
  try {
    await embedder?.prepare?.([embeddedSkill(document)])
  } catch (error) {
    if (typeof error === 'object' && error !== null) modelErrors.add(error)
    throw error
  }
}

/** The vectors of the option `encoder`, or those that came with the skills, by segment. */
async function planVectors(
  skills: readonly PackedSkill[],
  { encoder, previous, given, signal, onProgress }: PlanOptions,
): Promise<readonly (WrittenVectors | undefined)[]> {
  if (!encoder && !given) return []
  try {
    const { arrangeVectors, encodeSkills, writeVectors } = await loadEncoding()
    const encoded = encoder
      ? await encodeSkills(skills, { encoder, previous, given, signal, onProgress })
      : arrangeVectors(skills, given as PackedVectors)
    const written: (WrittenVectors | undefined)[] = []
    for (let from = 0; from < skills.length; from += SEGMENT_SKILLS) {
      const ofSegment = encoded.skills.slice(from, from + SEGMENT_SKILLS)
      written.push(writeVectors({ ...encoded, skills: ofSegment }))
    }
    return written
  } catch (error) {
    if (typeof error === 'object' && error !== null) modelErrors.add(error)
    throw error
  }
}

/** The index of the skills, and the vectors of each segment. */
export async function planSegments(
  planned: readonly IndexedSkill[],
  options: PlanOptions,
): Promise<{ segments: PackedSegment[]; files: ReadonlyMap<string, PlannedFile> }> {
  const { embedder, signal, onProgress, countPublished } = options
  const vectors = await planVectors(
    planned.map(({ skill }) => skill),
    options,
  )
  const segments: PackedSegment[] = []
  const files = new Map<string, PlannedFile>()
  const published = planned.filter(({ skill }) => countPublished && skill.entry.enabled !== false)
  const total = planned.length + published.length
  for (let from = 0; from < planned.length; from += SEGMENT_SKILLS) {
    const builder = createSegmentBuilder({ embedder })
    for (const { document } of planned.slice(from, from + SEGMENT_SKILLS)) {
      throwIfAborted(signal)
      await prepareModel(embedder, document)
      builder.add(document)
      onProgress?.({ phase: 'write', done: from + builder.length, total })
    }
    const skills = builder.length
    const { file, bytes } = await segmentFile(builder.finish())
    const written = vectors[segments.length]
    segments.push({ file, skills, dead: [], ...(written ? { vectors: written.name } : {}) })
    files.set(file, { part: 'segment', size: bytes.length, read: async () => bytes })
    if (!written) continue
    const { name, bytes: content } = written
    files.set(name.file, { part: 'vectors', size: content.length, read: async () => content })
  }
  return { segments, files }
}
