import { messageTerm } from '../index/message-key.js'
import { findByWords } from '../match/candidates.js'
import type { CorpusStatistics } from '../match/corpus-statistics.js'
import { type HybridRanking, rankTerms } from '../match/hybrid.js'
import { analyzeQuery } from '../match/query.js'
import { embedQuery } from '../match/query-embedding.js'
import { type QueryTerm, weighTerms } from '../match/query-terms.js'
import type { SearchedSegment } from '../match/searched-segment.js'
import type { MatchQuery } from '../match/skill-match.js'
import { nearestByVector } from '../match/vector-scan.js'
import type { SkillModel } from '../model/skill-model.js'
import type { PiecedSegment } from './pieced-segment.js'

/** Skills by words, and files of rows by meaning, whose rows are read. */
const BY_WORDS = Number(globalThis.process?.env['BYW'] ?? 16)
const BY_MEANING = Number(globalThis.process?.env['BYM'] ?? 4)

export interface PiecesContext {
  pieces: PiecedSegment
  searched: SearchedSegment
  corpus: CorpusStatistics
  model: SkillModel | undefined
  modelTimeout?: number | undefined
  /** Reads pieces and adds them. */
  load(files: readonly string[]): Promise<void>
}

/**
 * Ranks the skills of a library in pieces: as the whole library would, among the skills whose rows are read.
 *
 * The terms that a ranking looks up are found by looking them up: what is missing is read, until nothing is. Few messages need a second
 * round, those with a word that no skill has as it is written. The best skills by words, of all skills, and the nearest files of rows by
 * meaning then say which rows are read.
 */
export async function rankPieces(
  { message, history }: MatchQuery,
  { pieces, searched, corpus, model, modelTimeout, load }: PiecesContext,
): Promise<HybridRanking> {
  const query = analyzeQuery(message, history, corpus)
  const segments = [searched]
  const loadTerms = async (): Promise<QueryTerm[]> => {
    for (;;) {
      const terms = weighTerms(query, segments, corpus)
      searched.segment.lexicon.find(messageTerm(message))
      const missing = pieces.takeMissing()
      if (missing.length === 0) return terms
      await load(missing)
    }
  }
  const loadNearest = async () => {
    const embeddings = await embedQuery(corpus.removeRuledOut(message), segments, {
      embedder: model,
      modelTimeout,
    })
    const vector = embeddings.embedding?.vector
    if (vector && pieces.centres) {
      const nearest = nearestByVector(vector, [{ vectors: pieces.centres }], BY_MEANING)
      await load(nearest.flatMap(({ skill: file }) => pieces.rowFile(file) ?? []))
    }
    return embeddings
  }
  const [terms, embeddings] = await Promise.all([loadTerms(), loadNearest()])
  const match = { query, terms, segments, corpus, embeddings }
  const best = findByWords(match).slice(0, BY_WORDS)
  await load(pieces.missingRows(best.map(({ skill }) => skill)))
  return rankTerms({ ...match, only: (_, skill) => pieces.hasRow(skill) })
}
