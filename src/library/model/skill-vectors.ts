import { openSegment } from '../../search/index/open.js'
import { bytesIn, encodeVector, isVector, scaleOf } from '../../search/index/packed-vectors.js'
import type { Vectors } from '../../search/index/vectors.js'
import { areZeros, broken } from '../../search/model/check-vectors.js'
import type { Embedder, VectorCache } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SourceIndex, SourceSegment } from '../indexing/source-index.js'
import type { LibraryState } from '../state/state.js'
import { type EmbeddedSkill, embeddedTexts, embedSkills } from './embedded-texts.js'
import { usablePackedVectors } from './usable-vectors.js'

/** Skills embedded at a time. An interruption loses at most this many. */
const BATCH = 16

/** Vectors of skills, by their texts. */
export interface SkillVectors {
  /** How many skills of a segment have no vector yet. */
  missing(loaded: SourceIndex, segment: SourceSegment): number
  /** Returns the vectors of the segment: those that were packed with it, those of the cache, and for the rest embeds the skills. */
  embed(loaded: SourceIndex, segment: SourceSegment, options: EmbedSkillsOptions): Promise<Vectors>
  /** Forgets the vectors of removed skills. */
  retain(state: LibraryState): void
  /** Embeds a skill with a known meaning again. @throws SkillshelfError `model-failed` if its texts have become zeros */
  checkWitness(signal: AbortSignal | undefined): Promise<void>
  /** @throws SkillshelfError `model-failed` if there are vectors, and all of them are zeros */
  checkMeaning(): void
}

interface EmbedSkillsOptions {
  signal: AbortSignal
  /** Called with a number of skills, after each batch and for those that were packed or that the cache has. */
  onEmbedded(skills: number): void
  /** Called if packed vectors cannot be used. */
  onIgnored(problem: Diagnostic): Promise<void>
}

/** @param covers Whether a text is in a language of the embedder. */
export function createSkillVectors(
  embedder: Embedder,
  cache: VectorCache,
  covers: (text: string) => boolean,
): SkillVectors {
  const { id, dimensions } = embedder
  const vectors = new Map<string, Uint8Array>()
  // A segment does not change, so the messages that the keys depend on are read once.
  const known = new WeakMap<SourceSegment, readonly (EmbeddedSkill | undefined)[]>()
  const skillsOf = (loaded: SourceIndex, segment: SourceSegment) => {
    const skills = known.get(segment) ?? readSkills(loaded, segment, covers)
    known.set(segment, skills)
    return skills
  }
  const cacheKey = ({ key }: EmbeddedSkill): string => `${id} ${key}`

  /** A skill with a vector that is not zeros: if its texts become zeros, the embedder is broken. */
  let witness: EmbeddedSkill | undefined

  const keep = (skill: EmbeddedSkill, encoded: Uint8Array): void => {
    vectors.set(skill.key, encoded)
    if (!isZero(encoded)) witness ??= skill
  }

  const readCache = async (skills: readonly EmbeddedSkill[]): Promise<void> => {
    const found = await cache.get(skills.map(cacheKey))
    for (const [index, skill] of skills.entries()) {
      const bytes = found[index]
      // S14: others can write to the cache. A vector that no embedder gives is embedded again.
      if (bytes instanceof Uint8Array && isVector(bytes, dimensions)) keep(skill, bytes)
    }
  }

  /** @throws SkillshelfError `model-failed` if the embedder gives zeros for texts that had a meaning before */
  const checkWitness = async (signal: AbortSignal | undefined): Promise<void> => {
    if (witness && areZeros(await embedSkills(embedder, [witness.texts()], signal))) {
      throw broken(id, 'returns zeros for every text')
    }
  }

  const embedBatch = async (
    skills: readonly EmbeddedSkill[],
    signal: AbortSignal,
  ): Promise<void> => {
    const texts = skills.map(skill => skill.texts())
    const numbers = await embedSkills(embedder, texts, signal)
    const encoded = skills.map((_, index) =>
      encodeVector(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
    )
    if (encoded.every(isZero)) await checkWitness(signal)
    for (const [index, skill] of skills.entries()) keep(skill, encoded[index] as Uint8Array)
    await cache.put(skills.map((skill, index) => [cacheKey(skill), encoded[index] as Uint8Array]))
  }

  /** @param packed Vectors of skills of the segment, by number. */
  const missing = (
    loaded: SourceIndex,
    segment: SourceSegment,
    packed: ReadonlyMap<number, Uint8Array> = new Map(),
  ): EmbeddedSkill[] => {
    const unknown = skillsOf(loaded, segment).flatMap((skill, number) =>
      skill && !packed.has(number) && !vectors.has(skill.key) ? [skill] : [],
    )
    return [...new Map(unknown.map(skill => [skill.key, skill])).values()]
  }

  return {
    checkWitness,
    checkMeaning() {
      if (vectors.size > 0 && !witness) throw broken(id, 'returns zeros for every skill')
    },
    missing: (loaded, segment) => missing(loaded, segment).length,
    async embed(loaded, segment, { signal, onEmbedded, onIgnored }) {
      const before = missing(loaded, segment).length
      // S14: they are of this segment alone, so that a pack cannot change how skills of others are found.
      const packed = await usablePackedVectors(embedder, {
        ...{ source: loaded.source, segment, skills: skillsOf(loaded, segment) },
        ...{ signal, onIgnored, onCompared: keep },
      })
      const wanted = missing(loaded, segment, packed)
      await readCache(wanted)
      const left = wanted.filter(({ key }) => !vectors.has(key))
      if (left.length < before) onEmbedded(before - left.length)
      for (let from = 0; from < left.length; from += BATCH) {
        const batch = left.slice(from, from + BATCH)
        await embedBatch(batch, signal)
        onEmbedded(batch.length)
      }
      const encoded = skillsOf(loaded, segment).map(
        (skill, number) => skill && (packed.get(number) ?? vectors.get(skill.key)),
      )
      return decode(embedder, encoded)
    },
    retain({ sources }) {
      const skills = sources.flatMap(({ loaded }) =>
        loaded.segments.flatMap(segment => skillsOf(loaded, segment)),
      )
      const keys = new Set(skills.map(skill => skill?.key))
      for (const key of vectors.keys()) {
        if (!keys.has(key)) vectors.delete(key)
      }
    },
  }
}

/** The skills of a segment by number; `undefined` for a dead skill. */
function readSkills(
  { byPath }: SourceIndex,
  { paths, dead, bytes }: SourceSegment,
  covers: (text: string) => boolean,
): (EmbeddedSkill | undefined)[] {
  const opened = openSegment(bytes)
  const messagesOf = (number: number): string[] => opened?.messagesOf(number).filter(covers) ?? []
  return paths.map((path, number) => {
    const entry = dead.has(number) ? undefined : byPath.get(path)
    if (!entry) return undefined
    const key = messagesOf(number).length > 0 ? `${entry.digest} ${entry.details}` : entry.digest
    return { key, texts: () => embeddedTexts(entry, messagesOf(number)) }
  })
}

function isZero(encoded: Uint8Array): boolean {
  return scaleOf(encoded) === 0
}

function decode(
  { id, dimensions }: Embedder,
  encoded: readonly (Uint8Array | undefined)[],
): Vectors {
  const bytes = new Int8Array(encoded.length * dimensions)
  const scales = new Float32Array(encoded.length)
  for (const [skill, vector] of encoded.entries()) {
    if (!vector) continue
    scales[skill] = scaleOf(vector)
    bytes.set(bytesIn(vector), skill * dimensions)
  }
  return { space: id, dimensions, bytes, scales }
}
