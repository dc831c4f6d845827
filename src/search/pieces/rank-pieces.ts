import { messageTerm } from '../index/message-key.js'
import { eachPosting } from '../index/postings.js'
import { findByWords } from '../match/candidates.js'
import type { CorpusStatistics } from '../match/corpus-statistics.js'
import { analyzeQuery } from '../match/query.js'
import { embedQuery } from '../match/query-embedding.js'
import type { QueryMatch } from '../match/query-match.js'
import { bindTerms, type WeighedTerms, weighQuery } from '../match/query-terms.js'
import type { SearchedSegment, SkillPredicate } from '../match/searched-segment.js'
import type { MatchQuery, QueryVector } from '../match/skill-match.js'
import { nearestByVector } from '../match/vector-scan.js'
import type { SkillModel } from '../model/skill-model.js'
import type { PiecedSegment } from './pieced-segment.js'

/** Skills by words, and files of rows by meaning, whose rows are read. */
const BY_WORDS = 28
/** Share of the best score by words, from which the rows of a skill are read: below it, few skills are among the first. */
const WORTH_READING = 0.45
const BY_MEANING = 7
/** With an encoder, which finds skills that are a little further for the bundled model. */
const BY_MEANING_TO_ENCODE = 10

export interface PiecesContext {
  pieces: PiecedSegment
  /** The segment of the pieces. */
  searched: SearchedSegment
  corpus: CorpusStatistics
  model: SkillModel | undefined
  modelTimeout?: number | undefined
  /** The message as the encoder of the pieces embeds it. */
  vector?: QueryVector | undefined
  /** Restricts the search to some skills. */
  only?: SkillPredicate | undefined
  /** Reads pieces and adds them, with `vector` the vectors of the encoder beside rows, too. */
  load(files: readonly string[]): Promise<void>
}

/**
 * Prepares a message for a ranking of a library in pieces: reads what `rankTerms` needs, so that it ranks as the whole library would, among
 * the skills whose rows are read.
 *
 * The terms that a ranking looks up are found by looking them up: what is missing is read, until nothing is. Few messages need a second
 * round, those with a word that no skill has as it is written. Meanwhile the files of rows that are nearest in meaning are read. The best
 * skills by words, of all skills, then say which other rows are.
 */
export async function matchPieces(
  asked: MatchQuery,
  { pieces, searched, corpus, model, modelTimeout, vector, only, load }: PiecesContext,
): Promise<QueryMatch> {
  const query = analyzeQuery(asked, corpus)
  const segments = [searched]
  const { lexicon } = searched.segment
  const loadTerms = async (): Promise<WeighedTerms> => {
    for (;;) {
      const { found, missing } = pieces.terms.lookUp(() => {
        for (const compared of query.compared) lexicon.find(messageTerm(compared))
        // A form may be known by its count alone.
        return bindTerms(weighQuery(query, segments, corpus), lexicon)
      })
      if (missing.length === 0) return found
      await load(missing)
    }
  }
  const loadNearest = async () => {
    const embeddings = await embedQuery(query.message, segments, {
      embedder: model,
      vector,
      modelTimeout,
    })
    // Centres are of the bundled model, whichever ranks.
    const bundled = embeddings.second ?? embeddings.embedding
    if (bundled && bundled.space === pieces.centres?.space) {
      const limit = vector ? BY_MEANING_TO_ENCODE : BY_MEANING
      const nearest = nearestByVector(bundled.vector, [{ vectors: pieces.centres }], limit)
      await load(nearest.map(({ skill: file }) => pieces.rowFiles[file] as string))
    }
    return embeddings
  }
  const [weighed, embeddings] = await Promise.all([loadTerms(), loadNearest()])
  const match = { query, ...weighed, segments, corpus, embeddings, only }
  // Ids are known of read skills only: ties must not depend on what was read before.
  const unnamed = { ...searched, ids: [] }
  const byWords = findByWords({ ...match, segments: [unnamed] }).slice(0, BY_WORDS)
  const least = (byWords[0]?.lexical ?? 0) * WORTH_READING
  const best = byWords.filter(({ lexical }) => lexical >= least).map(({ skill }) => skill)
  await load([...best, ...equalSkills(match)].map(pieces.rows.fileOf))
  const isRead = (skill: number): boolean =>
    pieces.rows.hasRow(skill) && (!vector || pieces.encoder?.hasVector(skill) === true)
  return { ...match, only: (_, skill) => isRead(skill) && (!only || only(0, skill)) }
}

/** The skills that may have an equal message. */
function equalSkills({ query, segments }: QueryMatch): number[] {
  const skills: number[] = []
  for (const { segment } of segments) {
    for (const compared of query.compared) {
      const entry = segment.lexicon.find(messageTerm(compared))
      if (entry) eachPosting(segment, entry, skill => skills.push(skill))
    }
  }
  return skills
}
