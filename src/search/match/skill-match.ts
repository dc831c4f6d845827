import type { AbortOptions } from '../../core/abort.js'
import type { OnProgress } from '../../core/progress.js'
import type { SkillId } from '../../skill/skill.js'
import type { Vectors } from '../index/vectors.js'
import type { Calibration } from '../model/skill-model.js'

/** A message, and optionally the conversation before it. */
export interface MatchQuery {
  /**
   * What the user wrote. Text that hosts, tools and this library put into a message is no part of it: `<system-reminder>`, the tail of a
   * session, the wrapper of an editor. Text that the user pasted, such as a stack trace or a path, and sentences in quotation marks are found in it and count as `pasted`.
   */
  message: string
  /** Earlier messages of the user, oldest first. The last three are read; they weigh little if the message has words of its own. */
  history?: readonly string[]
  /**
   * Text that the user pasted or attached beside the message: something to work on. Its first 40 words weigh a third of those of the message.
   * If the message has nothing else, no skill is acted on.
   */
  pasted?: string | undefined
  /**
   * Files that the user works on, as paths relative to the project. Skills whose `paths` fit one rank higher, and those with `paths-required`
   * that fit none are left out. The first 200 are read.
   */
  files?: readonly string[] | undefined
  /** Address of the page that the user works on, like a file: `paths` fit its path, or all of it if they have a scheme. */
  url?: string | undefined
}

/** A segment as a matcher receives it. */
export interface LiveSegment {
  /** Identifies the bytes: the same key always has the same bytes. */
  key: string
  bytes: Uint8Array<ArrayBuffer>
  /** The id of each skill, by its number in the segment. */
  ids: readonly SkillId[]
  /** Numbers of skills to exclude: replaced, removed, disabled or shadowed. */
  dead: readonly number[]
  /** Vectors of the upgrade embedder, in addition to those in the bytes. */
  vectors?: Vectors
}

/** A message as the upgrade embedder embeds it. */
export interface QueryVector {
  /** Id of the embedder. The vector is used if every segment has vectors of the same space. */
  space: string
  /** Unit length. */
  numbers: Float32Array
  /** See `Embedder.unrelated`. */
  unrelated?: number
  /** See `Embedder.calibration`. */
  calibration?: Calibration
}

/** Languages of reasons. */
export type Language = 'en' | 'zh'

export type FieldName = 'name' | 'description' | 'message' | 'body'

/** How a word of the skill differs from the word of the message: by its ending, by the letters not typed yet, or by one typing error. */
export type TermForm = 'inflection' | 'completion' | 'correction'

/** A word, or run of ideographs, that the message and the skill share. */
export interface TermSignal {
  /** As indexed in the skill: lower case, Simplified. */
  term: string
  /** As written in the message. */
  text: string
  /** Present if the skill has another form of the word. */
  form?: TermForm
  /** Fields of the skill that contain it. `message` or `body` if neither name nor description does. */
  fields: readonly FieldName[]
  /** Its share of the relevance, 0 to 1. The shares of a match add up to 1 or less: pairs, rules, single ideographs and history have the rest. */
  share: number
}

/** `name`, `display-name`, `tag`: the message contains it whole. `pair`: two words are neighbors in both message and skill. */
export type Rule = 'name' | 'display-name' | 'tag' | 'pair'

export interface MatchSignals {
  terms: readonly TermSignal[]
  rules: readonly { rule: Rule; text: string }[]
  /** Cosine of message and skill, -1 to 1. Present if an embedder was used. */
  similarity?: number
  /** The message of the skill that is most like the user's message, if one is. */
  similarMessage?: string
  /** What the author of the skill rules out, if the message is near to it: “Do NOT use for …”. */
  ruledOut?: string
  /** The learned message that is most like the user's message: see `LocalLibrary.learn`. `exact`: the words are the same. */
  learned?: { message: string; exact: boolean }
  /** The file or URL of the message that the skill's `paths` fit. */
  place?: string
  /** Words of the message that the skill has in no form, without function words. */
  missing: readonly string[]
  /** Lexical relevance before it becomes a probability. Comparable within one result only. */
  relevance: number
  /** The choice of a reranker, or why it made none. Set on the first match. */
  rerank?: RerankNote
}

/** Why a reranker kept the order. */
export type KeptBecause =
  | 'no-number'
  | 'out-of-range'
  | 'several-numbers'
  | 'none-chosen'
  | 'late'
  | 'failed'

/** The result of a reranker: it chose among `among` matches, or the order was kept. */
export type RerankNote =
  | { chosen: true; among: number }
  | {
      chosen: false
      kept: KeptBecause
      /** Message of the error, if the reranker threw one. */
      message?: string
    }

/** A skill as a matcher finds it. A library adds its description: `SkillMatch`. */
export interface RankedMatch {
  id: SkillId
  name: string
  /** The probability that this skill is what the message needs, 0 to 1. Similar skills lower it, but not near copies: skills of the same name and nearly the same text. */
  score: number
  /** A sentence for people that explains the match. */
  reason: string
  signals: MatchSignals
}

/** What a caller may do with a result. `match`: act on the first of `matches`. `maybe`: offer a choice of `maybe`. `none`: nothing fits. */
export type MatchStatus = 'match' | 'maybe' | 'none'

/** Why a result is empty. `empty-message`: the message has no words, or only function words, such as "how do I". `source-failed`: the library is empty because its source cannot be read. */
export type Abstention =
  | 'empty-message'
  | 'empty-library'
  | 'source-failed'
  | 'no-common-word'
  | 'below-threshold'

export interface MatcherOptions extends AbortOptions {
  /** Maximum number of matches. */
  limit: number
  /** Only these skills are matched. */
  only?: ReadonlySet<SkillId> | undefined
  /**
   * Language of the reasons.
   * @default 'en'
   */
  language?: Language | undefined
  /** The message as the upgrade embedder embeds it, used instead of the matcher's own embedder. */
  vector?: QueryVector | undefined
  /**
   * Milliseconds to wait for a part of the matcher's own embedder that the message needs. After that, words answer.
   * @default Infinity
   */
  modelTimeout?: number | undefined
}

/** What a matcher found, best first. */
export interface MatcherResult {
  /** Revision of the searched library. */
  revision: string
  /** The probability that some skill of the library serves the message, 0 to 1. No score is above it. */
  served: number
  /** Best first. No threshold is applied. */
  matches: readonly RankedMatch[]
  /** How the matches were ranked: `lexical/1`, or `hybrid/1` and the space of the model. */
  model: string
  /**
   * Whether the model of the library took part, as far as the message needs it. `false`: words alone answered, because the model or a part
   * of it was not loaded in time or cannot be loaded. Always `true` without a model.
   */
  complete: boolean
  abstained?: Abstention
}

/** Ranks skills for a message, in process or in a worker. Only plain data and bytes cross its methods. */
export interface Matcher {
  /**
   * Replaces the searched segments in one step. Segments with a known key are reused.
   * @param options `onProgress` is called with phase `update`; `done` and `total` count segments.
   */
  update(
    change: { revision: string; segments: readonly LiveSegment[] },
    options?: AbortOptions & { onProgress?: OnProgress | undefined },
  ): Promise<void>
  match(query: MatchQuery, options: MatcherOptions): Promise<MatcherResult>
  /** Returns the match of one skill at any rank (1 is best); `undefined` if it shares no word with the message. */
  explain(
    query: MatchQuery,
    id: SkillId,
    options?: Omit<MatcherOptions, 'limit' | 'only'>,
  ): Promise<(RankedMatch & { rank: number }) | undefined>
  /** Releases the segments. Later calls fail with `closed`. */
  close(): Promise<void>
}
