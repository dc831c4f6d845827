import type { PoolSkill } from '../../bench/rank/data.js'
import { openModel, readModel } from '../../bench/rank/model.js'
import { openEncoder } from '../../bench/rank/transformer.js'
import { removeRuledOut } from '../../src/core/text/message-negation.js'
import { embeddedTexts, embedSkills } from '../../src/library/model/embedded-texts.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import { createVectorsWriter, type Vectors } from '../../src/search/index/vectors.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import {
  embedWithModel,
  embedWithUpgrade,
  type QueryEmbedding,
} from '../../src/search/match/query-embedding.js'
import { type Evidence, NO_WORDS, rivalEvidence } from '../../src/search/match/score.js'
import type { SearchedSegment } from '../../src/search/match/searched-segment.js'
import type { Embedder } from '../../src/search/model/skill-model.js'
import type { StaticModel } from '../../src/search/model/static-model.js'
import { isHeldOut } from '../messages/read.js'
import { evidenceOfSegment, openSingleSegment } from './features.js'

/** Ranks a message: its evidence, and the ids of the skills, best first. */
export type RankMessage = (
  message: string,
) => Promise<{ evidence: Evidence; ranked: (number | string)[] }>

/** A ranking to calibrate. */
export interface CalibrationTarget {
  open(skills: readonly PoolSkill[]): Promise<RankMessage>
  /** True if the probability depends on similarity alone. */
  similarityOnly?: boolean
  /** The skills whose messages of training/messages no model has learned: it would be too sure of the others. */
  isAsked(id: string): boolean
}

/** @param folder A model that was trained with `--dev`. Default: the bundled model, which has learned all messages. */
export async function openTarget(
  name: string,
  corpus: CorpusStatistics,
  folder: string | undefined,
): Promise<CalibrationTarget> {
  const model = name === 'words' ? undefined : folder ? openModel(folder) : readModel()
  const encoder = name === 'encoder' ? await openEncoder() : undefined
  const isAsked = (id: string): boolean =>
    !model || (folder !== undefined && !encoder && isHeldOut(id))
  if (name === 'embedding') {
    return { open: skills => byCosine(skills, model as StaticModel), similarityOnly: true, isAsked }
  }
  return {
    isAsked,
    async open(skills) {
      const builder = createSegmentBuilder({ embedder: model })
      for (const { name, description, messages, body } of skills) {
        builder.add({ name, description: description ?? '', tags: [], messages, body: body ?? '' })
      }
      const segment = openSingleSegment(
        builder.finish(),
        encoder && (await vectorsOf(skills, encoder)),
      )
      return async message => {
        const bundled = model && embedWithModel(model, message)
        const embedding = encoder ? await embedWithEncoder(encoder, message, segment) : bundled
        const second = encoder && bundled
        const found = evidenceOfSegment(segment, message, corpus, {
          embedding,
          second,
          calibrated: embedding,
        })
        return {
          evidence: found.evidence,
          ranked: found.ranked.map(({ skill }) => (skills[skill] as PoolSkill).id),
        }
      }
    },
  }
}

async function vectorsOf(skills: readonly PoolSkill[], encoder: Embedder): Promise<Vectors> {
  const { id, dimensions } = encoder
  const texts = skills.map(({ name, description, messages }) =>
    embeddedTexts({ name, description: description ?? '' }, messages),
  )
  const numbers = await embedSkills(encoder, texts)
  const writer = createVectorsWriter(id, dimensions)
  for (const skill of skills.keys()) {
    writer.add(numbers.subarray(skill * dimensions, (skill + 1) * dimensions))
  }
  return writer.finish()
}

async function embedWithEncoder(
  { id, unrelated, embed }: Embedder,
  message: string,
  segment: SearchedSegment,
): Promise<QueryEmbedding | undefined> {
  const numbers = await embed([removeRuledOut(message)], { kind: 'query' })
  return embedWithUpgrade(
    { space: id, numbers, ...(unrelated === undefined ? {} : { unrelated }) },
    [segment],
  )
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
      .filter(({ relevance }) => relevance > 0)
      .sort((a, b) => b.relevance - a.relevance)
    const rivals = rivalEvidence(ranked.map(({ relevance }) => relevance))
    return {
      evidence: { ...NO_WORDS, similarity: ranked[0]?.relevance ?? 0, ...rivals },
      ranked: ranked.map(({ id }) => id),
    }
  }
}
