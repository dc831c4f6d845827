import { rowFinder } from '../index/ruled-out.js'
import { type Candidate, createCandidate, MAX_CANDIDATES } from './candidates.js'
import type { QueryEmbedding } from './query-embedding.js'
import type { QueryMatch } from './query-match.js'
import type { SearchedSegment, Segments, SkillPredicate, SkillRef } from './searched-segment.js'
import { cosineOf, type NearestSkill, nearestByVector, quantizeQuery } from './vector-scan.js'

/** Finds the live skills nearest to a message, best first. */
export function findNearest(
  { vector, vectorsIn }: QueryEmbedding,
  segments: Segments,
  limit: number,
  only?: SkillPredicate,
): NearestSkill[] {
  const searched = segments.map((segment, segmentIndex) => ({
    vectors: vectorsIn(segment),
    isLive:
      segment.dead.size > 0 || only
        ? (skill: number) => !segment.dead.has(skill) && (!only || only(segmentIndex, skill))
        : undefined,
  }))
  return nearestByVector(vector, searched, limit)
}

/** Adds the nearest skills to the candidates, with the lexical scores that `findByWords` left. */
export function addNearest(
  candidates: Candidate[],
  embedding: QueryEmbedding,
  { segments, only }: QueryMatch,
): void {
  const keyOf = ({ segmentIndex, skill }: SkillRef): number =>
    skill * segments.length + segmentIndex
  const known = new Set(candidates.map(keyOf))
  for (const nearest of findNearest(embedding, segments, MAX_CANDIDATES, only)) {
    if (known.has(keyOf(nearest))) continue
    const { segmentIndex, skill } = nearest
    candidates.push(
      createCandidate(segmentIndex, skill, segments[segmentIndex]?.scores[skill] ?? 0),
    )
  }
}

/** The cosine of the message and each skill; 0 if its segment has no vectors of this model. */
export function similaritiesTo(
  skills: readonly SkillRef[],
  { vector, sentences = [vector], vectorsIn }: QueryEmbedding,
  segments: Segments,
): number[] {
  const queries = sentences.map(quantizeQuery)
  return skills.map(({ segmentIndex, skill }) => {
    const vectors = vectorsIn(segments[segmentIndex] as SearchedSegment)
    const row = vectors?.skills ? rowFinder(vectors.skills)(skill) : skill
    if (!vectors || row === undefined) return 0
    return queries.reduce(
      (most, query) => Math.max(most, cosineOf(query, vectors, row)),
      Number.NEGATIVE_INFINITY,
    )
  })
}
