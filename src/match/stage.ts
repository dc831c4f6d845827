import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { SkillId } from '../skill/types.js'
import { type Held, hold } from './local.js'
import { analyzeQuery } from './rank.js'
import { reasonOf } from './reason.js'
import type { Language, Matcher, MatcherResult, MatchQuery, MatchSignals, QueryVector, SkillMatch } from './types.js'

/** A skill that a stage found. */
export interface Found {
  at: number
  skill: number
  score: number
  confidence: number
  signals: MatchSignals
}

/** One way to find skills, by itself. */
export interface Stage {
  /** Finds the live skills of a message that it may find, best first, with what it calls itself. */
  find(
    query: MatchQuery,
    held: readonly Held[],
    options: { allowed: (at: number, skill: number) => boolean; vector?: QueryVector | undefined },
  ): Promise<{ model: string; found: Found[] }>
  /** Matches at most, however many are asked for. */
  most?: number
}

/** A matcher of one stage. */
export function stageMatcher({ find, most = Number.POSITIVE_INFINITY }: Stage): Matcher {
  let revision = ''
  let held: readonly Held[] = []
  let closed = false

  const open = (signal: AbortSignal | undefined): void => {
    if (closed) throw new SkillshelfError('closed', 'The matcher was closed')
    throwIfAborted(signal)
  }
  const ask = async (query: MatchQuery, vector: QueryVector | undefined, only?: (id: SkillId) => boolean) => {
    const at = held
    const { model, found } = await find(query, at, {
      allowed: (segment, skill) => {
        const { dead, ids } = at[segment] as Held
        return !dead.has(skill) && (!only || only(ids[skill] as SkillId))
      },
      vector,
    })
    const idOf = (one: Found): SkillId => (at[one.at] as Held).ids[one.skill] as SkillId
    const matchOf = (one: Found, language: Language | undefined): SkillMatch => {
      const { score, confidence, signals } = one
      const name = (at[one.at] as Held).segment.names.get(one.skill).split('\n', 1)[0] as string
      return { id: idOf(one), name, score, confidence, reason: reasonOf(signals, language), signals }
    }
    return { model, found, idOf, matchOf }
  }

  return {
    async update({ revision: next, segments }, { signal, onProgress } = {}) {
      open(signal)
      const known = new Map(held.map(one => [one.key, one]))
      held = segments.map((live, index) => {
        const one = hold(live, known.get(live.key))
        onProgress?.({ phase: 'update', done: index + 1, total: segments.length })
        return one
      })
      revision = next
    },
    async match(query, { limit, only, language, vector, signal }) {
      open(signal)
      const searched = revision
      const empty = held.every(({ segment, dead }) => segment.length === dead.size)
      const { model, found, matchOf } = await ask(query, vector, only && (id => only.has(id)))
      throwIfAborted(signal)
      const abstained: MatcherResult['abstained'] = empty
        ? 'empty-library'
        : analyzeQuery(query.message).terms.size === 0
          ? 'empty-message'
          : found.length === 0
            ? 'no-common-word'
            : undefined
      return {
        revision: searched,
        matches: abstained ? [] : found.slice(0, Math.min(limit, most)).map(one => matchOf(one, language)),
        model,
        ...(abstained ? { abstained } : {}),
      }
    },
    async explain(query, id, { language, vector, signal } = {}) {
      open(signal)
      const { found, idOf, matchOf } = await ask(query, vector)
      const at = found.findIndex(one => idOf(one) === id)
      if (at >= 0) return { ...matchOf(found[at] as Found, language), rank: at + 1 }
      // Past what a stage gives it is only known to be worse.
      const alone = await ask(query, vector, one => one === id)
      const [one] = alone.found
      const last = found.at(-1)
      if (!one || !last) return undefined
      const score = Math.min(one.score, last.score)
      return { ...alone.matchOf(one, language), score, confidence: 0, rank: found.length + 1 }
    },
    async close() {
      closed = true
      held = []
    },
  }
}
