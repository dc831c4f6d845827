import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { readModel } from '../../bench/rank/model.js'
import { createVectorsWriter, type Vectors } from '../../src/search/index/vectors.js'
import { nearestByVector } from '../../src/search/match/vector-scan.js'

const data = new URL('../../../shared/data/', import.meta.url)
/** Messages are rounded to 16-bit integers. */
const ROUNDING = 1e-5

function exactCosine(
  query: Float32Array,
  { bytes, scales, dimensions }: Vectors,
  skill: number,
): number {
  const dot = query.reduce(
    (sum, value, at) => sum + value * (bytes[skill * dimensions + at] as number),
    0,
  )
  return dot * (scales[skill] as number)
}

const there = existsSync(new URL('skills-meta.jsonl.gz', data))

describe.skipIf(!there)(
  `the nearest of real skills${there ? '' : ' (../shared/data is missing)'}`,
  () => {
    it.each([17_000])(
      '[BY-1] finds the fifty nearest of %d skills in segments, like a full scan',
      count => {
        const model = readModel()
        const skills = readRows<{ name: string; description: string | null }>(
          new URL('skills-meta.jsonl.gz', data),
        )
        const perSegment = 16_384
        const segments: { vectors: Vectors }[] = []
        const vector = new Float32Array(model.dimensions)
        for (let from = 0; from < count; from += perSegment) {
          const writer = createVectorsWriter(model.space, model.dimensions)
          for (const { name, description } of skills.slice(
            from,
            Math.min(from + perSegment, count),
          ))
            writer.add(
              model.skillVector({ name, description: description ?? '', body: '' }, vector),
            )
          segments.push({ vectors: writer.finish() })
        }
        const messages = readRows<TriggerQuery>(new URL('triggers-dev.jsonl.gz', data))
        let found = 0
        let wanted = 0
        // A full scan is linear in the number of skills.
        const step = 480
        for (let at = 0; at < messages.length; at += step) {
          const query = model.vectorOf((messages[at] as TriggerQuery).query)
          if (query.every(value => value === 0)) continue
          const cosines = segments.flatMap(({ vectors }) =>
            Array.from(vectors.scales, (_, skill) => exactCosine(query, vectors, skill)),
          )
          const fiftieth = [...cosines].sort((a, b) => b - a)[49] as number
          const near = nearestByVector(query, segments, 50)
          wanted += 50
          found += near.filter(({ cosine }) => cosine >= fiftieth - ROUNDING).length
        }
        expect(wanted).toBeGreaterThan(120_000 / step / 2)
        expect(found).toBe(wanted)
      },
    )
  },
)
