import { SkillshelfError } from '../../core/errors.js'
import type { SkillId } from '../../skill/skill.js'
import { openSegment, type Segment } from '../index/open.js'
import type { Vectors } from '../index/vectors.js'
import type { LiveSegment } from './skill-match.js'

/** An open segment. Its `dead` skills are never found and do not count in any statistic. */
export interface SearchedSegment {
  key: string
  segment: Segment
  /** The id of each skill, by its number. */
  ids: readonly SkillId[]
  /** In ascending order. */
  dead: ReadonlySet<number>
  /** Vectors of the upgrade embedder, in addition to the segment's own. */
  upgradeVectors: Vectors | undefined
  /** The BM25F score of each skill for the last message. */
  scores: Float32Array
}

/** The segments that a message is searched in. */
export type Segments = readonly SearchedSegment[]

/** A skill of the searched segments. */
export interface SkillRef {
  segmentIndex: number
  /** Number of the skill in its segment. */
  skill: number
}

/** Restricts a search to some skills. */
export type SkillPredicate = (segmentIndex: number, skill: number) => boolean

/**
 * Opens a segment, reusing what was opened under the same key.
 * @throws SkillshelfError `format` if the bytes are damaged or of another version
 */
export function openSearchedSegment(
  { key, bytes, ids, dead, vectors }: LiveSegment,
  opened: SearchedSegment | undefined,
): SearchedSegment {
  const segment = opened?.segment ?? openSegment(bytes)
  if (!segment) {
    throw new SkillshelfError('format', `Segment ${key} cannot be read by this version`, {
      subject: key,
      hint: 'rebuild it from the skills',
    })
  }
  return {
    key,
    segment,
    ids,
    dead: new Set(dead.filter(skill => skill < segment.length).sort((a, b) => a - b)),
    upgradeVectors: vectors,
    scores: opened?.scores ?? new Float32Array(segment.length),
  }
}
