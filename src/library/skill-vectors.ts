import type { CatalogEntry } from '../catalog/types.js'
import { SkillshelfError } from '../core/errors.js'
import type { Embedder, VectorCache } from '../embed/types.js'
import { quantizeVector, signsOf, type Vectors } from '../segment/vectors.js'
import { removeNegatedClauses } from '../text/negation.js'
import type { Piece } from './shelf.js'
import type { Stand, State } from './state.js'

/** Skills that are read at a time: what an interruption loses, at most. */
const SLICE = 16
/** Bytes of the scale, before those of the vector. */
const HEAD = 4

/** What a model has made of the skills, by the digests of their SKILL.md files. */
export interface SkillVectors {
  /** How many skills of a piece are still to be read. */
  missing(stand: Stand, piece: Piece): number
  /** The vectors of a piece; reads the skills that are not known yet. */
  of(stand: Stand, piece: Piece, options: { signal: AbortSignal; onRead: (skills: number) => void }): Promise<Vectors>
  /** Forgets skills that are gone. */
  keep(state: State): void
}

export function skillVectors(embedder: Embedder, cache: VectorCache | undefined): SkillVectors {
  const known = new Map<string, Uint8Array>()
  let storage = cache
  const keyOf = (digest: string): string => `${embedder.id} ${digest}`

  /** Storage that fails is not asked again. */
  const stored = async <T>(work: (cache: VectorCache) => Promise<T>): Promise<T | undefined> => {
    try {
      return storage && (await work(storage))
    } catch {
      storage = undefined
      return undefined
    }
  }

  const recall = async (digests: readonly string[]): Promise<void> => {
    const found = await stored(cached => cached.get(digests.map(keyOf)))
    for (const [index, digest] of digests.entries()) {
      const bytes = found?.[index]
      if (bytes instanceof Uint8Array && bytes.length === HEAD + embedder.dimensions) known.set(digest, bytes)
    }
  }

  const read = async (entries: readonly CatalogEntry[], signal: AbortSignal): Promise<void> => {
    const { dimensions } = embedder
    const numbers = await embedder.embed(entries.map(textOf), { kind: 'document', signal })
    if (numbers.length !== entries.length * dimensions)
      throw new SkillshelfError('model-failed', `${embedder.id} gave ${numbers.length} numbers`, {
        hint: `${entries.length} texts have ${entries.length * dimensions}`,
      })
    const made = entries.map(({ digest }, index): [string, Uint8Array] => [
      digest,
      encode(numbers.subarray(index * dimensions, (index + 1) * dimensions)),
    ])
    for (const [digest, bytes] of made) known.set(digest, bytes)
    await stored(cached => cached.put(made.map(([digest, bytes]) => [keyOf(digest), bytes])))
  }

  const unread = (stand: Stand, piece: Piece): CatalogEntry[] => [
    ...new Map(
      entriesOf(stand, piece).flatMap(entry => (entry && !known.has(entry.digest) ? [[entry.digest, entry]] : [])),
    ).values(),
  ]

  return {
    missing: (stand, piece) => unread(stand, piece).length,
    async of(stand, piece, { signal, onRead }) {
      const wanted = unread(stand, piece)
      await recall(wanted.map(({ digest }) => digest))
      const left = wanted.filter(({ digest }) => !known.has(digest))
      if (left.length < wanted.length) onRead(wanted.length - left.length)
      for (let from = 0; from < left.length; from += SLICE) {
        const some = left.slice(from, from + SLICE)
        await read(some, signal)
        onRead(some.length)
      }
      return vectorsOf(
        embedder,
        entriesOf(stand, piece).map(entry => entry && known.get(entry.digest)),
      )
    },
    keep({ stands }) {
      const there = new Set(stands.flatMap(({ shelf }) => shelf.entries.map(({ digest }) => digest)))
      for (const digest of known.keys()) if (!there.has(digest)) known.delete(digest)
    },
  }
}

/** The skills of a piece, by number; none where one was removed or replaced. */
function entriesOf({ shelf }: Stand, { paths, dead }: Piece): (CatalogEntry | undefined)[] {
  return paths.map((path, number) => (dead.has(number) ? undefined : shelf.byPath.get(path)))
}

/** What of a skill is read: its name and what it is for. */
export function textOf({
  name,
  displayName,
  description,
}: Pick<CatalogEntry, 'name' | 'displayName' | 'description'>): string {
  return `${displayName ?? name.replace(/[-_]+/g, ' ')}. ${removeNegatedClauses(description).trim()}`
}

function encode(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(HEAD + vector.length)
  const scale = quantizeVector(vector, new Int8Array(bytes.buffer, HEAD))
  new DataView(bytes.buffer).setFloat32(0, scale, true)
  return bytes
}

function vectorsOf({ id, dimensions }: Embedder, encoded: readonly (Uint8Array | undefined)[]): Vectors {
  const bytes = new Int8Array(encoded.length * dimensions)
  const scales = new Float32Array(encoded.length)
  for (const [skill, one] of encoded.entries()) {
    if (!one) continue
    scales[skill] = new DataView(one.buffer, one.byteOffset).getFloat32(0, true)
    bytes.set(new Int8Array(one.buffer, one.byteOffset + HEAD, dimensions), skill * dimensions)
  }
  return { space: id, dimensions, bytes, scales, signs: signsOf(bytes) }
}

/** As `liveSegments` names a piece. */
export const liveKey = ({ origin }: Stand, { key }: Piece): string => `${origin}:${key}`
