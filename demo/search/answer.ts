import type { MatchStatus, SkillLibrary, SkillMatch } from 'skillshelf'
import { costBars } from '../cost-bars.js'
import { make } from '../dom.js'
import { nextTask } from '../next-task.js'
import { texts } from '../texts.js'
import { viewHash } from '../view-names.js'
import { contextCosts } from '../views/context-usage.js'
import { matchItem } from './results.js'
import { verdictOf } from './verdict.js'

/** Skills that are shown. */
export const SHOWN = 3
/** The lowest score of a skill beside a match. */
const LIKELY = 0.01

/** One of the three answers of `match`, drawn. */
export interface Answer {
  status: MatchStatus
  /** See `MatchResult`. */
  model: string
  complete: boolean
  /** The skills that an agent gets or chooses from, best first. */
  found: readonly SkillMatch[]
  verdict: readonly Node[]
  items: readonly HTMLElement[]
  /** Tokens of the context, by three ways. */
  costs: HTMLElement
  /** How long it took, what was sent, and a link to other ways. */
  facts: readonly (Node | string)[]
}

/**
 * Asks the library, and draws its answer.
 * @param limit Skills to rank: what is not found or offered is drawn below as the next best. Default: 3.
 * @throws SkillshelfError `aborted`
 */
export async function answerTo(
  library: SkillLibrary,
  message: string,
  signal: AbortSignal,
  limit = SHOWN,
): Promise<Answer> {
  // It also loads what the message needs, so that loading is not measured.
  const { matches: ranked } = await library.search(message, { limit, wait: false, signal })
  await nextTask()
  const start = performance.now()
  const result = await library.match(message, { wait: false, signal })
  const milliseconds = performance.now() - start
  // A key that was pressed meanwhile is seen before the answer is drawn.
  await nextTask()
  signal.throwIfAborted()
  const { skills } = library.snapshot
  const summaries = new Map(skills.map(skill => [skill.id, skill]))
  const { status } = result
  const found = status === 'maybe' ? result.maybe : result.matches
  const rest = ranked.filter(
    // Beside a match, the unlikely say nothing.
    ({ id, score }) =>
      !found.some(match => match.id === id) && (status !== 'match' || score >= LIKELY),
  )
  // The first match is what an agent opens; those after it are the next best.
  const likely = status === 'maybe' ? found.length : Math.min(1, found.length)
  const shown = [...found, ...rest].slice(0, SHOWN)
  const tokens = found.slice(0, likely).map(({ id }) => summaries.get(id)?.tokens)
  const sum = (kind: 'metadata' | 'instructions'): number =>
    tokens.reduce((all, one) => all + (one?.[kind] ?? 0), 0)
  const costs = contextCosts(skills, {
    named: sum('metadata'),
    read: status === 'match' ? sum('instructions') : 0,
  })
  return {
    status,
    model: result.model,
    complete: result.complete,
    found: found.slice(0, likely),
    verdict: verdictOf({ status, served: result.served, shown, found: likely }, summaries),
    items: shown.map((match, index) =>
      matchItem(
        match,
        summaries.get(match.id),
        index < likely ? (status === 'maybe' ? 'maybe' : 'match') : 'unlikely',
      ),
    ),
    costs: costBars(costs, texts.costs, texts.number, texts.costs.title),
    facts: [
      make(
        'span',
        {},
        texts.answered(
          likely,
          summaries.size,
          milliseconds < 0.1 ? '<0.1' : milliseconds.toFixed(1),
        ),
      ),
      ' ',
      make('a', { href: viewHash('compare') }, texts.compareLink),
    ],
  }
}
