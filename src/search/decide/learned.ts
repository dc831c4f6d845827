import { uniqueBy } from '../../core/lists.js'
import type { SkillId } from '../../skill/skill.js'
import type { CorpusStatistics } from '../match/corpus-statistics.js'
import { type MessageFeatures, messageFeatures, sharedPart } from '../match/message-likeness.js'
import { reasonOf } from '../match/reason.js'
import { applyProofs } from '../match/score.js'
import type { Language, MatcherResult, RankedMatch } from '../match/skill-match.js'
import { prepareInTime } from '../model/prepare.js'
import type { SkillModel } from '../model/skill-model.js'
import { dot } from '../model/unit-vectors.js'

/** A learned message that is like the user's message. */
export interface LearnedHit {
  skill: SkillId
  message: string
  /** True if the messages have the same words in the same order. */
  exact: boolean
  /** The probability, from this alone, that the skill is the right one, 0 to 1. */
  weight: number
}

/** The learned messages of a library, to compare a message with. */
export interface LearnedIndex {
  /**
   * Returns the nearest message of each skill: the last one learned first if the words are the same, else the nearest first.
   * @param accepts Whether a skill may be found.
   * @param modelTimeout Milliseconds to wait for the part of the model that a message needs. Default: as long as it takes.
   */
  find(
    message: string,
    accepts: (skill: SkillId) => boolean,
    modelTimeout?: number,
  ): Promise<LearnedHit[]>
}

/** The figures of a learned message that are computed once. */
interface Features extends MessageFeatures {
  /** `null` if the model knows little of it. `undefined` until it is compared. */
  vector?: Float32Array | null | undefined
}

/** The features of learned messages, by message. They depend on the model. */
export type LearnedFeatures = Map<string, Features>

interface Entry {
  skill: SkillId
  message: string
  features: Features
}

/** Skills that one message raises. */
const MAX_HITS = 3
/** Weight of a message with the same words. The rest is for a choice that was wrong. */
const EXACT_WEIGHT = 0.95
/** Weight of a message with other words, at most. */
const NEAR_WEIGHT = 0.6
/** Similarities at which a message has no weight and its full weight. Chosen on the dev set. */
const WORDS = { none: 0.25, full: 0.6 }
const MEANING = { none: 0.55, full: 0.85 }

/** Learned messages that are embedded for one message. Others are compared by words until the next messages. */
const EMBEDDED_AT_ONCE = 100
/** Share of the terms of a message that the model must know. */
const MIN_MODEL_COVERAGE = 0.5

/**
 * Creates an index of learned messages.
 * @param messages Oldest first.
 * @param known Features of messages of an earlier index with the same model. New ones are added.
 */
export function createLearnedIndex(
  messages: readonly { skill: SkillId; message: string }[],
  corpus: CorpusStatistics,
  model: SkillModel | undefined,
  known: LearnedFeatures,
): LearnedIndex {
  const entries: Entry[] = []
  const byTerm = new Map<string, Entry[]>()
  for (const { skill, message } of messages) {
    const features = known.get(message) ?? messageFeatures(message, corpus)
    known.set(message, features)
    const entry: Entry = { skill, message, features }
    entries.push(entry)
    for (const term of features.terms) {
      const ofTerm = byTerm.get(term)
      if (ofTerm) ofTerm.push(entry)
      else byTerm.set(term, [entry])
    }
  }
  const newestFirst = entries.reverse()

  const byWords = (message: MessageFeatures): Map<Entry, number> => {
    const common = new Map<Entry, number>()
    for (const term of message.terms) {
      const idf = corpus.idf(term)
      for (const entry of byTerm.get(term) ?? []) common.set(entry, (common.get(entry) ?? 0) + idf)
    }
    for (const [entry, idf] of common) common.set(entry, sharedPart(idf, message, entry.features))
    return common
  }

  const vectorOf = async (
    text: string,
    timeout?: number,
  ): Promise<Float32Array | null | undefined> => {
    if (!model) return null
    if (!(await prepareInTime(model, text, timeout))) return undefined
    // The vector of one known word says little about a message.
    return (model.coverage?.(text) ?? 1) < MIN_MODEL_COVERAGE ? null : model.vectorOf(text)
  }

  return {
    async find(message, accepts, modelTimeout) {
      const features = messageFeatures(message, corpus)
      const accepted = newestFirst.filter(({ skill }) => accepts(skill))
      const same = accepted.filter(one => one.features.key === features.key)
      if (same.length > 0) {
        return firstOfEachSkill(same).map(({ skill, message }, place) => ({
          skill,
          message,
          exact: true,
          weight: EXACT_WEIGHT / 2 ** place,
        }))
      }
      const words = byWords(features)
      const vector = entries.length > 0 ? await vectorOf(message, modelTimeout) : null
      const near: (Entry & { weight: number })[] = []
      let left = EMBEDDED_AT_ONCE
      for (const entry of accepted) {
        let weight = weightOf(words.get(entry) ?? 0, WORDS)
        if (vector && weight < NEAR_WEIGHT) {
          const { features } = entry
          if (features.vector === undefined && left-- > 0) {
            features.vector = await vectorOf(entry.message, modelTimeout)
          }
          if (features.vector) {
            weight = Math.max(weight, weightOf(dot(vector, features.vector), MEANING))
          }
        }
        if (weight > 0) near.push({ ...entry, weight })
      }
      near.sort((a, b) => b.weight - a.weight)
      return firstOfEachSkill(near).map(({ skill, message, weight }) => ({
        skill,
        message,
        exact: false,
        weight,
      }))
    },
  }
}

function weightOf(similarity: number, { none, full }: { none: number; full: number }): number {
  return NEAR_WEIGHT * Math.min(1, Math.max(0, (similarity - none) / (full - none)))
}

function firstOfEachSkill<T extends { skill: SkillId }>(sorted: readonly T[]): T[] {
  return uniqueBy(sorted, ({ skill }) => skill).slice(0, MAX_HITS)
}

/**
 * Raises the skills of learned messages in a result: each message is a proof that its skill is right, and the probability that the library
 * serves the message closes the share of the best one of its distance to 1.
 * @param matches Matches, best first, with one for each hit.
 */
export function raiseLearned(
  { served, matches }: Pick<MatcherResult, 'served' | 'matches'>,
  hits: readonly LearnedHit[],
  language: Language | undefined,
): Pick<MatcherResult, 'served' | 'matches'> {
  const weight = Math.max(...hits.map(hit => hit.weight))
  const raised = served + weight * (1 - served)
  const proofs = hits.map(hit => ({ id: hit.skill, weight: hit.weight }))
  const bySkill = new Map(hits.map(hit => [hit.skill, hit]))
  return {
    served: raised,
    matches: applyProofs(matches, proofs, raised).map((match): RankedMatch => {
      const hit = bySkill.get(match.id)
      if (!hit) return match
      const signals = { ...match.signals, learned: { message: hit.message, exact: hit.exact } }
      return { ...match, signals, reason: reasonOf(signals, language) }
    }),
  }
}
