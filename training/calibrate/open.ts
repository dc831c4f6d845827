import type { PoolSkill } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { openTransformer } from '../../bench/rank/transformer.js'
import { supportsLanguages } from '../../src/embed/languages.js'
import type { StaticModel } from '../../src/embed/static-model.js'
import { embeddedText } from '../../src/library/skill-vectors.js'
import type { Background } from '../../src/match/background.js'
import { figuresOfSegment } from '../../src/match/local.js'
import { analyzeQuery } from '../../src/match/rank.js'
import type { Figures } from '../../src/match/score.js'
import type { QueryVector } from '../../src/match/types.js'
import { createSegmentBuilder } from '../../src/segment/build.js'
import { createVectorsWriter } from '../../src/segment/vectors.js'

/** What a library makes of a message: the figures of its best skill, and all candidates, best first. */
export type Opened = (message: string) => Promise<{
  figures: Figures
  ranked: { id: number | string; relevance: number }[]
  words: number
}>

/** What is calibrated, and how a library is opened for it. */
export interface Way {
  open(skills: readonly PoolSkill[]): Promise<Opened>
  covers(message: string): boolean
  /** Only the cosine counts. */
  alone?: boolean
}

export async function wayOf(name: string, background: Background): Promise<Way> {
  const bundled = name === 'words' ? undefined : readModel()
  const transformer = name === 'minilm' ? await openTransformer() : undefined
  if (name === 'embedding') return { open: skills => byCosine(skills, readModel()), covers: () => true, alone: true }
  return {
    covers: transformer ? supportsLanguages(transformer.languages) : () => true,
    async open(skills) {
      const builder = createSegmentBuilder({ embedder: bundled })
      for (const { name, description, body } of skills)
        builder.add({ name, description: description ?? '', tags: [], body: body ?? '' })
      const writer = transformer && createVectorsWriter(transformer.id, transformer.dimensions)
      if (transformer && writer) {
        const { dimensions } = transformer
        const vectors = await transformer.embed(
          skills.map(({ name, description }) => embeddedText({ name, description: description ?? '' })),
        )
        for (let at = 0; at < skills.length; at++) writer.add(vectors.subarray(at * dimensions, (at + 1) * dimensions))
      }
      const look = figuresOfSegment(builder.finish(), background, {
        model: bundled,
        further: writer?.finish(),
      })
      return async message => {
        const vector: QueryVector | undefined = transformer && {
          space: transformer.id,
          numbers: await transformer.embed([message], { kind: 'query' }),
        }
        const { figures, ranked, words } = look(message, vector)
        return {
          figures,
          words,
          ranked: ranked.map(({ skill, relevance }) => ({ id: (skills[skill] as PoolSkill).id, relevance })),
        }
      }
    },
  }
}

/** The cosine of every skill, and nothing else. */
async function byCosine(skills: readonly PoolSkill[], model: StaticModel): Promise<Opened> {
  const vectors = skills.map(({ name, description, body }) =>
    model.skillVector({ name, description: description ?? '', body: body ?? '' }),
  )
  return async message => {
    const query = model.vectorOf(message)
    const ranked = skills
      .map(({ id }, at) => ({ id, relevance: query.reduce((sum, one, d) => sum + one * (vectors[at]?.[d] ?? 0), 0) }))
      .sort((a, b) => b.relevance - a.relevance)
    const figures: Figures = { relevance: 0, coverage: 0, named: false, similarity: ranked[0]?.relevance ?? 0 }
    return { figures, ranked, words: analyzeQuery(message).sequence.length }
  }
}
