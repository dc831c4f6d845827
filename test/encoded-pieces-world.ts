import { sequenceOf } from '../src/core/text/analyze.js'
import type { UpgradeOptions } from '../src/library/api/skill-library.js'
import type { PackOptions } from '../src/library/store/pack/pack-options.js'
import type { Embedder, EmbedOptions } from '../src/search/model/skill-model.js'
import type { SkillSource } from '../src/source/source.js'
import { isPiece, manySkills, openMany, type PackedFiles, packMany } from './pieces-world.js'

/** Words of one line mean the same. Each skill of `manySkills` has three of them. */
const MEANINGS = [
  'invoices bill',
  'slides deck',
  'recipes dish',
  'contracts agreement',
  'letters mail',
  'playlists songs',
  'logos emblem',
  'tickets voucher',
  'checks inspect',
  'converts turn',
  'merges unite',
  'sorts arrange',
  'prints paper',
  'translates dutch',
  'berlin capital',
  'kitchen stove',
  'garden lawn',
  'office desk',
  'harbour port',
  'library shelves',
].map(line => new Set(line.split(' ').flatMap(word => sequenceOf(word))))
const DIMENSIONS = 24

export interface ToyEncoder extends Embedder {
  /** Documents that were embedded. */
  readonly documents: string[]
  closed: number
}

/** A toy encoder, which knows words of `manySkills` and one other word for each. */
export function toyEncoder(more: Partial<Embedder> = {}): ToyEncoder {
  const documents: string[] = []
  return {
    id: 'toy-encoder',
    dimensions: DIMENSIONS,
    languages: ['en'],
    documents,
    closed: 0,
    async embed(texts: readonly string[], { kind = 'document' }: EmbedOptions = {}) {
      if (kind === 'document') documents.push(...texts)
      const vectors = new Float32Array(texts.length * DIMENSIONS)
      for (const [number, text] of texts.entries()) {
        const axes = sequenceOf(text).map(word => MEANINGS.findIndex(words => words.has(word)))
        const known = new Set(axes.filter(axis => axis >= 0))
        for (const axis of known) vectors[number * DIMENSIONS + axis] = 1 / Math.sqrt(known.size)
      }
      return vectors
    },
    async close() {
      this.closed++
    },
    ...more,
  }
}

/** Messages that share a thing and a place with the skill that serves them, and with five others: the encoder knows the action. */
export const MEANT = [
  ['unite invoices of the harbour', 'merges-invoices-harbour'],
  ['arrange playlists of the garden', 'sorts-playlists-garden'],
  ['dutch letters of the office', 'translates-letters-office'],
] as const

export const packEncoded = (
  options: PackOptions = {},
  skills = manySkills(),
): Promise<PackedFiles> => packMany({ encoder: toyEncoder(), ...options }, skills)

/** Opens a library and upgrades it. */
export async function openUpgraded(
  source: SkillSource,
  encoder: Embedder = toyEncoder(),
  options: UpgradeOptions = {},
) {
  const problems: string[] = []
  const library = await openMany(source, { onDiagnostic: ({ code }) => problems.push(code) })
  const isUpgraded = await library.upgrade(encoder, { cache: false, ...options })
  return { library, isUpgraded, problems }
}

/** The pieces that a pack has only with an encoder. */
export const ofEncoder = (encoded: PackedFiles, plain: PackedFiles): string[] =>
  Object.keys(encoded).filter(path => isPiece(path) && !(path in plain))
