import { SkillshelfError } from '../../core/errors.js'
import { removeNegatedClauses } from '../../core/text/negation.js'
import { quantizeVector, type Vectors } from '../../search/index/vectors.js'
import type { Embedder, VectorCache } from '../../search/model/skill-model.js'
import type { CatalogEntry } from '../catalog/catalog-entry.js'
import type { SourceIndex, SourceSegment } from '../indexing/source-index.js'
import type { LibraryState } from '../local/state.js'

/** Skills embedded at a time. An interruption loses at most this many. */
const BATCH = 16
/** Bytes of the scale, which comes before the vector. */
const SCALE_BYTES = 4

/** Vectors of skills, by the digests of their SKILL.md files. */
export function createSkillVectors(embedder: Embedder, cache: VectorCache) {
  const { id, dimensions } = embedder
  const vectors = new Map<string, Uint8Array>()
  const cacheKey = (digest: string): string => `${id} ${digest}`

  const readCache = async (digests: readonly string[]): Promise<void> => {
    const found = await cache.get(digests.map(cacheKey))
    for (const [index, digest] of digests.entries()) {
      const bytes = found[index]
      if (bytes instanceof Uint8Array && bytes.length === SCALE_BYTES + dimensions) vectors.set(digest, bytes)
    }
  }

  const embedEntries = async (entries: readonly CatalogEntry[], signal: AbortSignal): Promise<void> => {
    const numbers = await embedder.embed(entries.map(embeddedText), { kind: 'document', signal })
    if (numbers.length !== entries.length * dimensions)
      throw new SkillshelfError(
        'model-failed',
        `${id} returned ${numbers.length} numbers for ${entries.length} texts, not ${entries.length * dimensions}`,
      )
    const encoded = entries.map(({ digest }, index): [string, Uint8Array] => [
      digest,
      encode(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
    ])
    for (const [digest, bytes] of encoded) vectors.set(digest, bytes)
    await cache.put(encoded.map(([digest, bytes]) => [cacheKey(digest), bytes]))
  }

  const missing = (loaded: SourceIndex, segment: SourceSegment): CatalogEntry[] => {
    const entries = entriesOf(loaded, segment).filter(entry => entry !== undefined)
    const unknown = entries.filter(({ digest }) => !vectors.has(digest))
    return [...new Map(unknown.map(entry => [entry.digest, entry])).values()]
  }

  return {
    /** The number of skills of a segment without a vector. */
    missing: (loaded: SourceIndex, segment: SourceSegment): number => missing(loaded, segment).length,
    /** Embeds the skills without a vector, then returns the vectors of the segment. */
    async embed(
      loaded: SourceIndex,
      segment: SourceSegment,
      { signal, onEmbedded }: { signal: AbortSignal; onEmbedded: (skills: number) => void },
    ): Promise<Vectors> {
      const wanted = missing(loaded, segment)
      await readCache(wanted.map(({ digest }) => digest))
      const left = wanted.filter(({ digest }) => !vectors.has(digest))
      if (left.length < wanted.length) onEmbedded(wanted.length - left.length)
      for (let from = 0; from < left.length; from += BATCH) {
        const batch = left.slice(from, from + BATCH)
        await embedEntries(batch, signal)
        onEmbedded(batch.length)
      }
      return decode(
        embedder,
        entriesOf(loaded, segment).map(entry => entry && vectors.get(entry.digest)),
      )
    },
    /** Forgets the vectors of removed skills. */
    retain({ sources }: LibraryState): void {
      const digests = new Set(sources.flatMap(({ loaded }) => loaded.entries.map(({ digest }) => digest)))
      for (const digest of vectors.keys()) if (!digests.has(digest)) vectors.delete(digest)
    },
  }
}

/** The skills of a segment by number; `undefined` for a dead skill. */
function entriesOf({ byPath }: SourceIndex, { paths, dead }: SourceSegment): (CatalogEntry | undefined)[] {
  return paths.map((path, number) => (dead.has(number) ? undefined : byPath.get(path)))
}

/** The text of a skill that is embedded: its name and description. */
export function embeddedText(skill: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>): string {
  const { name, displayName, description } = skill
  return `${displayName ?? name.replace(/[-_]+/g, ' ')}. ${removeNegatedClauses(description).trim()}`
}

function encode(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(SCALE_BYTES + vector.length)
  const scale = quantizeVector(vector, new Int8Array(bytes.buffer, SCALE_BYTES))
  new DataView(bytes.buffer).setFloat32(0, scale, true)
  return bytes
}

function decode({ id, dimensions }: Embedder, encoded: readonly (Uint8Array | undefined)[]): Vectors {
  const bytes = new Int8Array(encoded.length * dimensions)
  const scales = new Float32Array(encoded.length)
  for (const [skill, vector] of encoded.entries()) {
    if (!vector) continue
    scales[skill] = new DataView(vector.buffer, vector.byteOffset).getFloat32(0, true)
    bytes.set(new Int8Array(vector.buffer, vector.byteOffset + SCALE_BYTES, dimensions), skill * dimensions)
  }
  return { space: id, dimensions, bytes, scales }
}
