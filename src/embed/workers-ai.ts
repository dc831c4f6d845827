import { abortable } from '../core/abort.js'
import { asSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { Embedder } from './types.js'
import { makeUnit } from './unit.js'

/** What of the AI binding of Cloudflare Workers is used: `env.AI` fits. */
export interface WorkersAiLike {
  run(model: '@cf/baai/bge-m3', input: { text: string[]; truncate_inputs: boolean }): Promise<object>
}

const MODEL = '@cf/baai/bge-m3'
const DIMENSIONS = 1024
/** Texts that the platform takes at once. */
const MOST = 100

/**
 * bge-m3 on Workers AI: a model of a hundred languages, for a library in a Worker.
 *
 *     execution.waitUntil(library.upgrade(workersAi(env.AI)))
 *
 * It is called for each message, and once for every skill (100 a call) by each isolate. It has not been run against the platform, which has no
 * stand-in on one's own machine; nobody has calibrated it, so it orders skills, and how probable the first is comes from words and the bundled
 * model.
 * @throws SkillshelfError by `embed`: `model-failed` where the platform fails or answers otherwise than its documents say, `aborted`
 */
export function workersAi(ai: WorkersAiLike): Embedder {
  const read = async (text: string[]): Promise<number[][]> => {
    const answer = await ai.run(MODEL, { text, truncate_inputs: true })
    const data: unknown = 'data' in answer ? answer.data : undefined
    const fits = (one: unknown): boolean => Array.isArray(one) && one.length === DIMENSIONS
    if (Array.isArray(data) && data.length === text.length && data.every(fits)) return data as number[][]
    throw new SkillshelfError('model-failed', `${MODEL} did not give ${text.length} vectors of ${DIMENSIONS} numbers`, {
      subject: MODEL,
    })
  }
  return {
    id: `workers-ai/${MODEL}`,
    dimensions: DIMENSIONS,
    languages: 'all',
    async embed(texts, { signal, onProgress } = {}) {
      const vectors = new Float32Array(texts.length * DIMENSIONS)
      // Blank texts say nothing to it, and are refused by some versions.
      const told = [...texts.entries()].filter(([, text]) => text.trim() !== '')
      for (let from = 0; from < told.length; from += MOST) {
        const some = told.slice(from, from + MOST)
        const rows = await abortable(read(some.map(([, text]) => text)), signal).catch(error => {
          throw asSkillshelfError(error, 'model-failed', 'Workers AI failed')
        })
        for (const [index, [at]] of some.entries())
          vectors.set(makeUnit(Float32Array.from(rows[index] as number[])), at * DIMENSIONS)
        onProgress?.({ phase: 'embed', done: Math.min(from + MOST, told.length), total: told.length })
      }
      return vectors
    },
  }
}
