import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { SkillModel } from '../embed/types.js'
import { openSegment } from '../segment/open.js'
import type { Vectors } from '../segment/vectors.js'
import { K1 } from '../segment/weights.js'
import type { SkillId } from '../skill/types.js'
import { analyze, TERM } from '../text/analyze.js'
import { type Background, loadBackground } from './background.js'
import { type RuleHit, ruleHits, termWeights } from './evidence.js'
import { cosinesOf, mixed, type Reading, readByFurther, readByOwn, withNearest } from './meaning.js'
import {
  type AnalyzedQuery,
  analyzeQuery,
  best,
  type Candidate,
  SECOND_LOOK,
  type Searched,
  secondLook,
  sortCandidates,
  type Weighted,
  weigh,
} from './rank.js'
import { reasonOf } from './reason.js'
import { CALIBRATION, candidateShares, type Figures, servedProbability } from './score.js'
import { signalsOf } from './signals.js'
import type { Language, LiveSegment, Matcher, MatcherResult, MatchQuery, QueryVector, SkillMatch } from './types.js'

/** A name that stands whole in the message adds this times the rarity of its words. Measured on dev: .5 lifts R@1 by half a point. */
const NAME_WORTH = 0.5
/** Candidates among which confidence is shared out. */
const RIVALS = 20

const LEXICAL = 'lexical/1'
const HYBRID = 'hybrid/1'

/** A segment in use. */
export interface Held extends Searched {
  key: string
  ids: readonly SkillId[]
}

/** The words of a message against the words of the skills: BM25F over whole SKILL.md files, pairs, names. In process, in any runtime. */
export function lexicalMatcher(): Matcher {
  return localMatcher()
}

/** Words, and with a model also meaning, where segments hold its vectors. In process, in any runtime. */
export function localMatcher({ embedder: model }: { embedder?: SkillModel | undefined } = {}): Matcher {
  let revision = ''
  let held: readonly Held[] = []
  let background: Background | undefined
  let closed = false

  const open = (): void => {
    if (closed) throw new SkillshelfError('closed', 'The matcher was closed')
  }
  /** Words go on where a part of the model cannot be loaded; the next message tries again. */
  const readOwn = async (message: string): Promise<Reading | undefined> => {
    // Where no segment has its vectors, it has nothing to say.
    if (!model || !held.some(({ segment }) => segment.vectors?.space === model.space)) return undefined
    try {
      await model.prepare?.(message)
    } catch {
      return undefined
    }
    return readByOwn(model, message)
  }
  /** By a further model where it has read every skill, else by the own, else by words alone. */
  const readings = async ({ message }: MatchQuery, vector: QueryVector | undefined): Promise<Readings> => {
    const further = vector && readByFurther(vector, held)
    const own = further?.calibration ? undefined : await readOwn(message)
    return { reading: further ?? own, judge: further?.calibration ? further : own }
  }
  const find = (query: MatchQuery, rarities: Background, read: Readings, only?: (id: SkillId) => boolean): Looked =>
    look(query, held, rarities, read, only && ((at, skill) => only((held[at] as Held).ids[skill] as SkillId)))

  return {
    async update({ revision: next, segments }, { signal, onProgress } = {}) {
      open()
      background = await loadBackground()
      open()
      const known = new Map(held.map(one => [one.key, one]))
      const opened: Held[] = []
      for (const [index, live] of segments.entries()) {
        throwIfAborted(signal)
        opened.push(hold(live, known.get(live.key)))
        onProgress?.({ phase: 'update', done: index + 1, total: segments.length })
      }
      held = opened
      revision = next
    },
    async match(query, { limit, only, language, vector, signal }) {
      open()
      throwIfAborted(signal)
      const read = await readings(query, vector)
      open()
      throwIfAborted(signal)
      const answer = (matches: readonly SkillMatch[], abstained?: MatcherResult['abstained']): MatcherResult => ({
        revision,
        matches,
        model: read.reading ? `${HYBRID} ${read.reading.space}` : LEXICAL,
        ...(abstained ? { abstained } : {}),
      })
      if (!background || held.every(({ segment, dead }) => segment.length === dead.size))
        return answer([], 'empty-library')
      const looked = find(query, background, read, only && (id => only.has(id)))
      if (looked.query.terms.size === 0) return answer([], 'empty-message')
      if (looked.candidates.length === 0) return answer([], 'no-common-word')
      return answer(matchesOf(looked, held, limit, language))
    },
    async explain(query, id, { language, vector, signal } = {}) {
      open()
      throwIfAborted(signal)
      if (!background) return undefined
      const read = await readings(query, vector)
      open()
      const looked = find(query, background, read)
      const at = looked.candidates.findIndex(one => held[one.at]?.ids[one.skill] === id)
      if (at >= 0) return { ...(matchesOf(looked, held, at + 1, language)[at] as SkillMatch), rank: at + 1 }
      const alone = find(query, background, read, one => one === id)
      if (alone.candidates.length === 0) return undefined
      // Beyond the second look: its share of the score of the best, not above the last that was looked at; its rank is only known to be worse.
      const best = matchesOf(looked, held, 1, language)[0] as SkillMatch
      const match = matchesOf(alone, held, 1, language)[0] as SkillMatch
      const last = looked.candidates.at(-1) as Ruled
      const worth = Math.min((alone.candidates[0] as Ruled).worth, last.worth)
      return {
        ...match,
        score: best.score * (worth / (looked.candidates[0] as Ruled).worth),
        confidence: 0,
        rank: looked.candidates.length + 1,
      }
    },
    async close() {
      closed = true
      held = []
    },
  }
}

export function hold({ key, bytes, ids, dead, vectors }: LiveSegment, known: Held | undefined): Held {
  const segment = known?.segment ?? openSegment(bytes)
  if (!segment)
    throw new SkillshelfError('format', `The segment ${key} cannot be read by this version`, {
      subject: key,
      hint: 'build it again from the skills',
    })
  return {
    key,
    segment,
    ids,
    dead: new Set(dead.filter(skill => skill < segment.length).sort((a, b) => a - b)),
    further: vectors,
    scores: known?.scores ?? new Float32Array(segment.length),
  }
}

/** What reads a message, and what says how probable the best skill is: not every model is calibrated. */
interface Readings {
  reading: Reading | undefined
  judge: Reading | undefined
}

function look(
  query: MatchQuery,
  searched: readonly Searched[],
  background: Background,
  { reading, judge }: Readings,
  only?: (at: number, skill: number) => boolean,
): Looked {
  const analyzed = analyzeQuery(query.message, query.history)
  const weighted = weigh(analyzed, searched, background)
  const byWords = best(weighted, searched, only)
  const found = reading ? withNearest(byWords, reading, weighted, searched, SECOND_LOOK, only) : byWords
  secondLook(analyzed, found, searched)
  const ruled = applyRules(analyzed, weighted, found, searched)
  if (reading) addMeaning(ruled, cosinesOf(ruled, reading, searched), mostOf(weighted), reading)
  const candidates = sortCandidates(
    ruled.filter(({ worth }) => worth > 0),
    searched,
  )
  return { query: analyzed, background, weighted, candidates, reading, judge }
}

/** The relevance of a skill that had every word of the message in its name many times. */
function mostOf(weighted: readonly Weighted[]): number {
  return weighted.reduce((sum, { idf, weight }) => sum + idf * weight * (K1 + 1), 0)
}

/** Ranks candidates by words and meaning together. */
function addMeaning(candidates: readonly Ruled[], cosines: readonly number[], most: number, reading: Reading): void {
  const worths = mixed(
    candidates.map(({ worth }) => worth),
    cosines,
    most,
    reading,
  )
  for (const [index, candidate] of candidates.entries()) {
    candidate.worth = worths[index] as number
    candidate.similarity = cosines[index] as number
  }
}

interface Looked extends Readings {
  query: AnalyzedQuery
  background: Background
  weighted: readonly Weighted[]
  candidates: readonly Ruled[]
}

/** A candidate with the rules it fulfils. */
export interface Ruled extends Candidate {
  hits: readonly RuleHit[]
  /** What the name rule added. */
  named: number
  /** How near it is in meaning, where a model says so: -1 to 1. */
  similarity?: number
}

function applyRules(
  query: AnalyzedQuery,
  weighted: readonly Weighted[],
  candidates: readonly Candidate[],
  searched: readonly Searched[],
): Ruled[] {
  const idfs = new Map(weighted.map(({ term, idf }) => [term, idf]))
  return candidates.map((candidate): Ruled => {
    const hits = ruleHits(query, candidate, searched)
    const name = hits.find(({ rule }) => rule !== 'tag')
    const named = name ? NAME_WORTH * rarityOf(name.text, idfs) : 0
    const { at, skill, lexical, bonus, pairs } = candidate
    // Written out: a spread here costs as much as the rest of a short query.
    return { at, skill, lexical, bonus: bonus + named, worth: lexical + bonus + named, pairs, hits, named }
  })
}

function rarityOf(text: string, idfs: ReadonlyMap<string, number>): number {
  let sum = 0
  analyze(text, (term, kind) => {
    if (kind & TERM) sum += idfs.get(term) ?? 0
  })
  return sum
}

function matchesOf(
  { query, background, weighted, candidates, reading, judge }: Looked,
  held: readonly Held[],
  limit: number,
  language: Language | undefined,
): SkillMatch[] {
  const shown = candidates.slice(0, limit)
  const best = candidates[0]
  if (!best || shown.length === 0) return []
  const weights = termWeights(weighted, shown, held)
  // A skill without vectors is no stranger to the message: words alone say how probable it is.
  const told = judge?.vectorsOf(held[best.at] as Held) ? judge : undefined
  const similarity = told && (told === reading ? best.similarity : cosinesOf([best], told, held)[0])
  const constants = told?.calibration ?? CALIBRATION.words
  const served = servedProbability(figuresOf(weighted, background, weights, best, similarity), constants)
  const worths = candidates.map(({ worth }) => worth)
  const shares = candidateShares(worths.slice(0, RIVALS), constants.temperature)
  return shown.map((candidate, index) => {
    const { segment, ids } = held[candidate.at] as Held
    const signals = signalsOf(
      query,
      weighted,
      weights.map(one => one[index] as number),
      candidate,
      segment,
    )
    return {
      id: ids[candidate.skill] as SkillId,
      name: segment.names.get(candidate.skill).split('\n', 1)[0] as string,
      score: served * ((worths[index] as number) / (worths[0] as number)),
      confidence: served * (shares[index] ?? 0),
      reason: reasonOf(signals, language),
      signals,
    }
  })
}

/** The figures that the probability is fitted on, of the best candidate: the first in `weights`. */
function figuresOf(
  weighted: readonly Weighted[],
  background: Background,
  weights: readonly Float32Array[],
  best: Ruled,
  similarity: number | undefined,
): Figures {
  let relevance = 0
  let most = 0
  for (const [index, { term, weight }] of weighted.entries()) {
    const idf = weight * background.idf(term)
    relevance += idf * (weights[index]?.[0] ?? 0)
    most += idf * (K1 + 1)
  }
  const coverage = most === 0 ? 0 : relevance / most
  return { relevance, coverage, named: best.named > 0, similarity }
}

/** For calibration: the figures of the best skill of one segment, and all candidates, best first. */
export function figuresOfSegment(
  bytes: Uint8Array,
  background: Background,
  { model, further }: { model?: SkillModel | undefined; further?: Vectors | undefined } = {},
): (
  message: string,
  vector?: QueryVector,
) => {
  figures: Figures
  ranked: { skill: number; relevance: number }[]
  words: number
} {
  const segment = openSegment(bytes)
  if (!segment) throw new SkillshelfError('format', 'Not a segment')
  const searched: Searched[] = [
    { segment, ids: [], dead: new Set(), further, scores: new Float32Array(segment.length) },
  ]
  return (message, vector) => {
    const reading = (vector && readByFurther(vector, searched)) ?? (model && readByOwn(model, message))
    const { query, weighted, candidates } = look({ message }, searched, background, { reading, judge: reading })
    const [best] = candidates
    const figures = best
      ? figuresOf(weighted, background, termWeights(weighted, [best], searched), best, best.similarity)
      : { relevance: 0, coverage: 0, named: false }
    return {
      figures,
      ranked: candidates.map(({ skill, worth }) => ({ skill, relevance: worth })),
      words: query.sequence.length,
    }
  }
}
