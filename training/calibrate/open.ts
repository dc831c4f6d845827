import type { PoolSkill } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { openTransformer } from '../../bench/rank/transformer.js'
import { embeddedText } from '../../src/library/model/skill-vectors.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { createVectorsWriter } from '../../src/search/index/vectors.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { CALIBRATION, type Evidence, rivalEvidence } from '../../src/search/match/score.js'
import type { QueryVector } from '../../src/search/match/skill-match.js'
import { supportsLanguages } from '../../src/search/model/script-parts.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import type { StaticModel } from '../../src/search/model/static-model.js'
import { evidenceOfSegment } from './features.js'

/** Ranks a message: its evidence, and the ids of the skills, best first. */
export type RankMessage = (message: string) => Promise<{ evidence: Evidence; ranked: (number | string)[] }>

/** A ranking to calibrate. */
export interface CalibrationTarget {
  open(skills: readonly PoolSkill[]): Promise<RankMessage>
  /** True if the model supports the language of a message. */
  supports(message: string): boolean
  /** True if the probability depends on similarity alone. */
  similarityOnly?: boolean
}

export async function openTarget(name: string, corpus: CorpusStatistics): Promise<CalibrationTarget> {
  const bundled = name === 'words' ? undefined : readModel()
  const transformer = await openEmbedder(name)
  if (name === 'embedding')
    return { open: skills => byCosine(skills, readModel()), supports: () => true, similarityOnly: true }
  return {
    supports: transformer ? supportsLanguages(transformer.languages) : () => true,
    async open(skills) {
      const builder = createSegmentBuilder({ embedder: bundled })
      for (const { name, description, messages, body } of skills)
        builder.add({ name, description: description ?? '', tags: [], messages, body: body ?? '' })
      const writer = transformer && createVectorsWriter(transformer.id, transformer.dimensions)
      if (transformer && writer) {
        const { dimensions } = transformer
        const vectors = await transformer.embed(
          skills.map(({ name, description }) => embeddedText({ name, description: description ?? '' })),
        )
        for (let index = 0; index < skills.length; index++)
          writer.add(vectors.subarray(index * dimensions, (index + 1) * dimensions))
      }
      const rank = evidenceOfSegment(builder.finish(), corpus, {
        model: bundled,
        upgradeVectors: writer?.finish(),
      })
      return async message => {
        const vector: QueryVector | undefined = transformer && {
          space: transformer.id,
          numbers: await transformer.embed([message], { kind: 'query' }),
          calibration: CALIBRATION.meaning,
        }
        const { evidence, ranked } = rank(message, vector)
        return { evidence, ranked: ranked.map(({ skill }) => (skills[skill] as PoolSkill).id) }
      }
    },
  }
}

/** The embedder that joins later, if the target has one. */
async function openEmbedder(name: string): Promise<Embedder | undefined> {
  return name === 'minilm' ? openTransformer() : undefined
}

/** Ranks by cosine alone. */
async function byCosine(skills: readonly PoolSkill[], model: StaticModel): Promise<RankMessage> {
  const vectors = skills.map(({ name, description, body }) =>
    model.skillVector({ name, description: description ?? '', body: body ?? '' }),
  )
  return async message => {
    const query = model.vectorOf(message)
    const ranked = skills
      .map(({ id }, index) => ({
        id,
        relevance: query.reduce((sum, value, d) => sum + value * (vectors[index]?.[d] ?? 0), 0),
      }))
      .sort((a, b) => b.relevance - a.relevance)
    const none = { relevance: 0, coverage: 0, named: 0, words: 0, foreign: 0 }
    const rivals = rivalEvidence(ranked.filter(({ relevance }) => relevance > 0).map(({ relevance }) => relevance))
    return {
      evidence: { ...none, similarity: ranked[0]?.relevance ?? 0, ...rivals },
      ranked: ranked.map(({ id }) => id),
    }
  }
}
