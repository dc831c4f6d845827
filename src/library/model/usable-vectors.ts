import { sleep } from '../../core/abort.js'
import { errorMessage, throwIfAborted } from '../../core/errors.js'
import {
  bytesIn,
  encodeVector,
  type PackedVectors,
  scaleOf,
} from '../../search/index/packed-vectors.js'
import type { Embedder } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/source.js'
import { readVectorsOf } from '../catalog/vectors-file.js'
import type { SourceSegment } from '../indexing/source-index.js'
import { type EmbeddedSkill, embedSkills, textsKey } from './embedded-texts.js'

/** Skills whose texts are hashed before other code of the page runs. */
const SLICE = 256
/** Cosine of two runtimes on the same text: above 0.97. Of two models, or two ways to pool: below 0.6. */
export const SAME_MODEL = 0.9

interface UseOptions {
  source: SkillSource
  segment: SourceSegment
  /** Of the segment, by number. */
  skills: readonly (EmbeddedSkill | undefined)[]
  signal: AbortSignal
  /** Called if the vectors cannot be used, with what to do. */
  onIgnored(problem: Diagnostic): Promise<void>
  /** Called with the vector that the embedder gives the skill that it is compared with. */
  onCompared(skill: EmbeddedSkill, vector: Uint8Array): void
}

/**
 * The vectors that were packed with a segment, by number: of skills whose texts are as they were. The embedder embeds one of them, and if
 * its vector is another one, it has another revision, and none is used.
 * @returns None without packed vectors of this embedder. Never throws for what was packed.
 * @throws SkillshelfError `aborted`, and errors of the embedder
 */
export async function usablePackedVectors(
  embedder: Embedder,
  { source, segment, skills, signal, onIgnored, onCompared }: UseOptions,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const none = new Map<number, Uint8Array>()
  if (!segment.vectors) return none
  const { file, space } = segment.vectors
  const ignore = async (problem: string, hint: string): Promise<typeof none> => {
    const message = `The packed vectors of ${source.name} ${problem}, so its skills are embedded here`
    await onIgnored({ code: 'vectors-ignored', severity: 'warning', message, path: file, hint })
    return none
  }
  if (space !== embedder.id) {
    return ignore(
      `are of ${space}, not of ${embedder.id}`,
      'pack the skills with the encoder that pages load',
    )
  }
  let packed: PackedVectors | undefined
  try {
    packed = await readVectorsOf(source, segment, signal)
  } catch (error) {
    throwIfAborted(signal)
    return ignore(
      `cannot be read: ${errorMessage(error)}`,
      'upload every file that pack wrote; refresh the library if it was packed again',
    )
  }
  if (packed?.dimensions !== embedder.dimensions) {
    return ignore('are damaged', 'pack the skills again')
  }
  const vectors = await ofSameTexts(packed, skills, signal)
  const [first] = vectors
  if (!first) return ignore('are of other texts', 'pack the skills again with this version')
  const [number, vector] = first
  const skill = skills[number] as EmbeddedSkill
  const actual = encodeVector(await embedSkills(embedder, [skill.texts()], signal))
  throwIfAborted(signal)
  onCompared(skill, actual)
  if (!(cosine(vector, actual) >= SAME_MODEL)) {
    return ignore(
      `are not those that ${embedder.id} computes`,
      'pack the skills with the encoder that pages load',
    )
  }
  return vectors
}

async function ofSameTexts(
  packed: PackedVectors,
  skills: readonly (EmbeddedSkill | undefined)[],
  signal: AbortSignal,
): Promise<Map<number, Uint8Array>> {
  const byKey = new Map(packed.skills.map(one => [one?.key, one?.vector]))
  const vectors = new Map<number, Uint8Array>()
  for (const [number, skill] of skills.entries()) {
    const vector = skill && byKey.get(textsKey(skill.texts()))
    if (vector) vectors.set(number, vector)
    if (number % SLICE === SLICE - 1) await sleep(0, signal)
  }
  return vectors
}

/** Of two encoded vectors of unit length. */
function cosine(a: Uint8Array, b: Uint8Array): number {
  const [left, right] = [bytesIn(a), bytesIn(b)]
  let sum = 0
  for (const [index, value] of left.entries()) sum += value * (right[index] as number)
  return sum * scaleOf(a) * scaleOf(b)
}
