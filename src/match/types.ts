import type { OnProgress } from '../core/progress.js'
import type { Calibration } from '../embed/types.js'
import type { Vectors } from '../segment/vectors.js'
import type { SkillId } from '../skill/types.js'

/** A message, with what was said before it where the host has that. */
export interface MatchQuery {
  message: string
  /** Earlier messages, oldest first: the last three are read, and count little beside a message that says something itself. */
  history?: readonly string[]
}

/** One segment as a matcher gets it. `key` names its bytes: the same key is never sent twice with other bytes. */
export interface LiveSegment {
  key: string
  bytes: Uint8Array<ArrayBuffer>
  /** The id of each skill, by its number in the segment. */
  ids: readonly SkillId[]
  /** Numbers of skills that must not be found: replaced, removed, disabled, shadowed. */
  dead: readonly number[]
  /** Vectors of a further model, beside those in the bytes. */
  vectors?: Vectors
}

/** A message as a further model reads it. */
export interface QueryVector {
  /** Names the model: used where every segment has vectors of the same. */
  space: string
  /** Of unit length. */
  numbers: Float32Array
  /** As the `Embedder` has them. */
  unrelated?: number
  calibration?: Calibration
}

/** Languages that reasons are written in. */
export type Language = 'en' | 'zh'

export type FieldName = 'name' | 'description' | 'body'

/** A word (or run of ideographs) of the message that the skill has. */
export interface TermSignal {
  /** As it is indexed: lower case, Simplified. */
  term: string
  /** As the message has it. */
  text: string
  /** Where the skill has it. `body` where it is in neither name nor description. */
  fields: readonly FieldName[]
  /** Its share of the relevance, 0 to 1. Those of one match add up to 1 at most: pairs, rules, single ideographs and history have the rest. */
  share: number
}

/** `name`, `display-name`, `tag`: the message has it whole. `pair`: two words stand side by side in both. */
export type Rule = 'name' | 'display-name' | 'tag' | 'pair'

export interface MatchSignals {
  terms: readonly TermSignal[]
  rules: readonly { rule: Rule; text: string }[]
  /** How near message and skill are in meaning, where a model says so: the cosine, -1 to 1. */
  similarity?: number
  /** Words of the message that the skill does not have. */
  missing: readonly string[]
  /** Relevance before it is made a probability; compare it within one result only. */
  relevance: number
  /** What a reranker did, at the first match. */
  rerank?: RerankNote
}

/** Why a reranker left the order as it was. */
export type KeptBecause = 'no-number' | 'out-of-range' | 'several-numbers' | 'none-chosen' | 'late' | 'failed'

/** Chosen among so many; or the order was kept, and why. */
export type RerankNote =
  | { chosen: true; among: number }
  | {
      chosen: false
      kept: KeptBecause
      /** Of the error, where one was thrown. */
      message?: string
    }

export interface SkillMatch {
  id: SkillId
  name: string
  /** The probability that the library serves this message, at the first match; the others have their share of it. 0 to 1. */
  score: number
  /** The probability that this very skill is the right one: siblings lower it. 0 to 1. */
  confidence: number
  /** A sentence for people: why. */
  reason: string
  signals: MatchSignals
}

/** Why there is no match: the message is empty, the library is (`source-failed`: as its source cannot be read), or nothing is likely enough. */
export type Abstention = 'empty-message' | 'empty-library' | 'source-failed' | 'no-common-word' | 'below-threshold'

export interface MatcherOptions {
  /** Matches at most. */
  limit: number
  /** Only these. */
  only?: ReadonlySet<SkillId> | undefined
  /** Of the reasons. Default `en`. */
  language?: Language | undefined
  /** The message as a further model reads it, instead of the matcher's own. */
  vector?: QueryVector | undefined
  signal?: AbortSignal | undefined
}

export interface MatcherResult {
  /** The revision of the library that was searched. */
  revision: string
  /** Best first. Without a threshold: callers apply theirs. */
  matches: readonly SkillMatch[]
  /** What ranked: `lexical/1`, or `hybrid/1` and the space of the model. */
  model: string
  abstained?: Abstention
  /** The first match does not lead by the margin that was asked for: ask the user, or a reranker. */
  undecided?: true
}

/** Ranks skills for a message. In process, or in a thread behind the same calls: only plain data and bytes cross. */
export interface Matcher {
  /** Makes these the segments that are searched, all at once. Segments whose key is known keep what was built for them. */
  update(
    change: { revision: string; segments: readonly LiveSegment[] },
    options?: { signal?: AbortSignal | undefined; onProgress?: OnProgress | undefined },
  ): Promise<void>
  match(query: MatchQuery, options: MatcherOptions): Promise<MatcherResult>
  /** The match of one skill wherever it ranks, with its rank (1 is best); `undefined` where it has no word of the message. */
  explain(
    query: MatchQuery,
    id: SkillId,
    options?: { language?: Language | undefined; vector?: QueryVector | undefined; signal?: AbortSignal | undefined },
  ): Promise<(SkillMatch & { rank: number }) | undefined>
  close(): Promise<void>
}
