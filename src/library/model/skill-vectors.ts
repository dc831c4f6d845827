import { removeNegatedClauses } from '../../core/text/description-negation.js'
import { openSegment } from '../../search/index/open.js'
import { haveUnitLength, quantizeVector, type Vectors } from '../../search/index/vectors.js'
import { areZeros, broken, checkVectors } from '../../search/model/check-vectors.js'
import type { Embedder, EmbedOptions, VectorCache } from '../../search/model/skill-model.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import type { SourceIndex, SourceSegment } from '../indexing/source-index.js'
import type { LibraryState } from '../state/state.js'

/** Skills embedded at a time. An interruption loses at most this many. */
const BATCH = 16
/** Bytes of the scale, which comes before the vector. */
const SCALE_BYTES = 4
/** Messages of a skill that are embedded, about as many as a model reads in one pass. */
const MAX_MESSAGES = 8

/** A skill to embed. The key of its vector changes with its SKILL.md, and with its other files if it has messages. */
interface EmbeddedSkill {
  key: string
  texts(): readonly string[]
}

/** Vectors of skills, by their texts. */
export interface SkillVectors {
  /** How many skills of a segment have no vector yet. */
  missing(loaded: SourceIndex, segment: SourceSegment): number
  /** Embeds the skills without a vector, then returns the vectors of the segment. */
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
  /** Called with a number of skills, after each batch and for those that the cache has. */
  onEmbedded(skills: number): void
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
      encode(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
    )
    if (encoded.every(isZero)) await checkWitness(signal)
    for (const [index, skill] of skills.entries()) keep(skill, encoded[index] as Uint8Array)
    await cache.put(skills.map((skill, index) => [cacheKey(skill), encoded[index] as Uint8Array]))
  }

  const missing = (loaded: SourceIndex, segment: SourceSegment): EmbeddedSkill[] => {
    const unknown = skillsOf(loaded, segment).flatMap(skill =>
      skill && !vectors.has(skill.key) ? [skill] : [],
    )
    return [...new Map(unknown.map(skill => [skill.key, skill])).values()]
  }

  return {
    checkWitness,
    checkMeaning() {
      if (vectors.size > 0 && !witness) throw broken(id, 'returns zeros for every skill')
    },
    missing: (loaded, segment) => missing(loaded, segment).length,
    async embed(loaded, segment, { signal, onEmbedded }) {
      const wanted = missing(loaded, segment)
      await readCache(wanted)
      const left = wanted.filter(({ key }) => !vectors.has(key))
      if (left.length < wanted.length) onEmbedded(wanted.length - left.length)
      for (let from = 0; from < left.length; from += BATCH) {
        const batch = left.slice(from, from + BATCH)
        await embedBatch(batch, signal)
        onEmbedded(batch.length)
      }
      const encoded = skillsOf(loaded, segment).map(skill => skill && vectors.get(skill.key))
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

/** The texts of a skill that are embedded: its name and description, and some of its messages, from all its languages. */
export function embeddedTexts(
  skill: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>,
  messages: readonly string[] = [],
): string[] {
  const length = Math.min(messages.length, MAX_MESSAGES)
  const some = Array.from(
    { length },
    (_, index) => messages[Math.ceil((index * messages.length) / length)],
  )
  return [embeddedText(skill), ...(some.length > 0 ? [some.join('\n')] : [])]
}

/** The name and description of a skill as an embedder reads them. */
export function embeddedText(
  skill: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>,
): string {
  const { name, displayName, description } = skill
  return `${displayName ?? name.replace(/[-_]+/g, ' ')}. ${removeNegatedClauses(description).trim()}`
}

/**
 * Embeds skills: the vector of each is the mean of those of its texts.
 * @returns `skills.length * dimensions` numbers.
 */
export async function embedSkills(
  embedder: Embedder,
  skills: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<Float32Array> {
  const { dimensions } = embedder
  const numbers = await embedTexts(embedder, skills.flat(), { kind: 'document', signal })
  const vectors = new Float32Array(skills.length * dimensions)
  /** Where the texts of a skill begin in `numbers`. */
  let start = 0
  for (const [skill, texts] of skills.entries()) {
    const end = start + texts.length * dimensions
    const sum = new Float32Array(dimensions)
    for (let at = start; at < end; at++) {
      const dimension = at % dimensions
      sum[dimension] = (sum[dimension] as number) + (numbers[at] as number)
    }
    start = end
    const norm = Math.hypot(...sum) || 1
    const unit = sum.map(value => value / norm)
    vectors.set(unit, skill * dimensions)
  }
  return vectors
}

/** @throws SkillshelfError `model-failed` if the embedder returns vectors of another length than it says, NaN or infinity */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<Float32Array> {
  const numbers = await embedder.embed(texts, options)
  checkVectors(numbers, texts.length, embedder)
  return numbers
}

/** Whether bytes are an encoded vector of unit length. */
function isVector(encoded: Uint8Array, dimensions: number): boolean {
  if (encoded.length !== SCALE_BYTES + dimensions || isZero(encoded)) return false
  return haveUnitLength(bytesIn(encoded, dimensions), Float32Array.of(scaleOf(encoded)), dimensions)
}

function isZero(encoded: Uint8Array): boolean {
  return scaleOf(encoded) === 0
}

function scaleOf(encoded: Uint8Array): number {
  return new DataView(encoded.buffer, encoded.byteOffset).getFloat32(0, true)
}

function bytesIn(encoded: Uint8Array, dimensions: number): Int8Array {
  return new Int8Array(encoded.buffer, encoded.byteOffset + SCALE_BYTES, dimensions)
}

function encode(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(SCALE_BYTES + vector.length)
  const scale = quantizeVector(vector, new Int8Array(bytes.buffer, SCALE_BYTES))
  new DataView(bytes.buffer).setFloat32(0, scale, true)
  return bytes
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
    bytes.set(bytesIn(vector, dimensions), skill * dimensions)
  }
  return { space: id, dimensions, bytes, scales }
}
