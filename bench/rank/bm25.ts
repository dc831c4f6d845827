import type { PoolSkill } from './data.js'
import type { Ranker } from './measure.js'

const K1 = 1.5
const B = 0.75
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)

/** BM25 with the defaults of bm25s: Lucene's variant, English stop words, no stemmer, no weights of fields. */
export async function bm25(skills: readonly PoolSkill[]): Promise<Ranker> {
  const texts = skills.map(({ name, description, body }) =>
    wordsOf(`${name} ${description ?? ''} ${body ?? ''}`),
  )
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / texts.length
  const postings = new Map<string, Map<number, number>>()
  for (const [at, words] of texts.entries()) {
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>()
      postings.set(word, counts.set(at, (counts.get(at) ?? 0) + 1))
    }
  }
  return {
    async rank(message, limit) {
      const scores = new Map<number, number>()
      for (const word of new Set(wordsOf(message))) {
        const counts = postings.get(word) ?? new Map<number, number>()
        const idf = Math.log(1 + (texts.length - counts.size + 0.5) / (counts.size + 0.5))
        for (const [at, count] of counts) {
          const length = (texts[at] as string[]).length / mean
          scores.set(
            at,
            (scores.get(at) ?? 0) + (idf * count) / (count + K1 * (1 - B + B * length)),
          )
        }
      }
      return [...scores.entries()]
        .sort(([, a], [, b]) => b - a)
        .slice(0, limit)
        .map(([at]) => (skills[at] as PoolSkill).id)
    },
  }
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []
  return words.filter(word => !STOP_WORDS.has(word))
}
