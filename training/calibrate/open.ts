import type { PoolSkill } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { createSegmentBuilder } from '../../src/search/index/build.js'
import type { CorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { type Evidence, NO_WORDS, rivalEvidence } from '../../src/search/match/score.js'
import type { StaticModel } from '../../src/search/model/static-model.js'
import { evidenceOfSegment } from './features.js'

/** Ranks a message: its evidence, and the ids of the skills, best first. */
export type RankMessage = (message: string) => Promise<{ evidence: Evidence; ranked: (number | string)[] }>

/** A ranking to calibrate. */
export interface CalibrationTarget {
  open(skills: readonly PoolSkill[]): Promise<RankMessage>
  /** True if the probability depends on similarity alone. */
  similarityOnly?: boolean
}

export async function openTarget(name: string, corpus: CorpusStatistics): Promise<CalibrationTarget> {
  if (name === 'embedding') return { open: skills => byCosine(skills, readModel()), similarityOnly: true }
  const model = name === 'words' ? undefined : readModel()
  return {
    async open(skills) {
      const builder = createSegmentBuilder({ embedder: model })
      for (const { name, description, messages, body } of skills)
        builder.add({ name, description: description ?? '', tags: [], messages, body: body ?? '' })
      const rank = evidenceOfSegment(builder.finish(), corpus, model)
      return async message => {
        const { evidence, ranked } = rank(message)
        return { evidence, ranked: ranked.map(({ skill }) => (skills[skill] as PoolSkill).id) }
      }
    },
  }
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
