import { abortable } from '../../core/abort.js'
import { asSkillshelfError, SkillshelfError } from '../../core/errors.js'
import type { Embedder } from './skill-model.js'
import { normalize } from './unit-vectors.js'

/** The part of the Workers AI binding that is used. `env.AI` fits. */
export interface WorkersAiLike {
  run(model: '@cf/baai/bge-m3', input: { text: string[]; truncate_inputs: boolean }): Promise<object>
}

const MODEL = '@cf/baai/bge-m3'
const DIMENSIONS = 1024
/** Maximum texts per call, a limit of the platform. */
const BATCH_SIZE = 100

/**
 * Embeds with bge-m3 on Workers AI, a model of a hundred languages for a library in a Cloudflare Worker.
 *
 * It is called once for each message, and by each isolate once for every 100 skills. The model is not calibrated: it ranks skills, while
 * scores come from words and the bundled model. It has not been tested against the platform itself, only against its documented
 * responses.
 *
 * @param ai The binding, such as `env.AI`.
 * @returns An embedder. Its `embed` throws `model-failed` if the platform fails or its response is not as documented, and `aborted`.
 * @example
 * execution.waitUntil(library.upgrade(workersAi(env.AI)))
 */
export function workersAi(ai: WorkersAiLike): Embedder {
  const embedBatch = async (text: string[]): Promise<number[][]> => {
    const response = await ai.run(MODEL, { text, truncate_inputs: true })
    const data: unknown = 'data' in response ? response.data : undefined
    const isVector = (row: unknown): boolean => Array.isArray(row) && row.length === DIMENSIONS
    if (Array.isArray(data) && data.length === text.length && data.every(isVector)) return data as number[][]
    throw new SkillshelfError(
      'model-failed',
      `${MODEL} did not return ${text.length} vectors of ${DIMENSIONS} numbers`,
      {
        subject: MODEL,
      },
    )
  }
  return {
    id: `workers-ai/${MODEL}`,
    dimensions: DIMENSIONS,
    languages: 'all',
    async embed(texts, { signal, onProgress } = {}) {
      const vectors = new Float32Array(texts.length * DIMENSIONS)
      // Some versions of the platform reject blank texts.
      const entries = [...texts.entries()].filter(([, text]) => text.trim() !== '')
      for (let from = 0; from < entries.length; from += BATCH_SIZE) {
        const batch = entries.slice(from, from + BATCH_SIZE)
        const rows = await abortable(embedBatch(batch.map(([, text]) => text)), signal).catch(error => {
          throw asSkillshelfError(error, 'model-failed', 'Workers AI failed')
        })
        for (const [row, [index]] of batch.entries())
          vectors.set(normalize(Float32Array.from(rows[row] as number[])), index * DIMENSIONS)
        onProgress?.({ phase: 'embed', done: Math.min(from + BATCH_SIZE, entries.length), total: entries.length })
      }
      return vectors
    },
  }
}
