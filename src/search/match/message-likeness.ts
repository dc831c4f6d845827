import { lazy } from '../../core/concurrency.js'
import { termsOf } from '../../core/text/analyze.js'
import { messageKey } from '../index/message-key.js'
import type { CorpusStatistics } from './corpus-statistics.js'

/** What two messages are compared by. */
export interface MessageFeatures {
  key: string
  terms: ReadonlySet<string>
  /** Sum of the idf of its terms. Only messages with a common term need it. */
  readonly total: number
}

export function messageFeatures(message: string, corpus: CorpusStatistics): MessageFeatures {
  const terms = termsOf(message)
  const total = lazy(() => {
    let sum = 0
    for (const term of terms) sum += corpus.idf(term)
    return sum
  })
  return {
    key: messageKey(message),
    terms,
    get total() {
      return total()
    },
  }
}

/** Likeness of two messages by words: the idf of their common terms, as a share of the idf of all terms of both, 0 to 1. */
export function likenessOf(
  a: MessageFeatures,
  b: MessageFeatures,
  { idf }: Pick<CorpusStatistics, 'idf'>,
): number {
  if (a.key === b.key) return 1
  let common = 0
  for (const term of a.terms) {
    if (b.terms.has(term)) common += idf(term)
  }
  return sharedPart(common, a, b)
}

/** @param common Sum of the idf of the common terms. */
export function sharedPart(common: number, a: MessageFeatures, b: MessageFeatures): number {
  return common === 0 ? 0 : common / (a.total + b.total - common)
}
