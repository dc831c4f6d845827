import type { MatchStatus, SkillLibrary, SkillMatch, SkillSummary } from 'skillshelf'
import { make } from '../dom.js'
import { percent } from '../format.js'
import { nameOf } from '../names.js'
import { nextTask } from '../next-task.js'
import { texts } from '../texts.js'
import { inlinedTokens, savedShare } from '../views/context-usage.js'
import { contextBar } from './context-bar.js'
import { matchItem } from './results.js'

/** Skills that are shown. */
const SHOWN = 5
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
  verdict: readonly (Node | string)[]
  items: readonly HTMLElement[]
  figures: readonly HTMLElement[]
  /** The context of the model: what inlining every skill takes, and what stays of it. */
  context: HTMLElement
}

/**
 * Asks the library, and draws its answer.
 * @param limit Skills to rank: what is not found or offered is drawn below as the next best. Default: 5.
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
  const opened = new Map(
    found.slice(0, likely).flatMap(({ id }) => {
      const tokens = summaries.get(id)?.tokens
      return tokens
        ? [[id, tokens.metadata + (status === 'maybe' ? 0 : tokens.instructions)] as const]
        : []
    }),
  )
  const tokens = [...opened.values()].reduce((sum, one) => sum + one, 0)
  const all = inlinedTokens(skills)
  return {
    status,
    model: result.model,
    complete: result.complete,
    found: found.slice(0, likely),
    verdict: verdictOf(status, shown, summaries),
    items: shown.map((match, index) =>
      matchItem(
        match,
        summaries.get(match.id),
        index < likely ? (status === 'maybe' ? 'maybe' : 'match') : 'unlikely',
      ),
    ),
    figures: [
      figure(
        texts.figures.fewer(percent(savedShare(tokens, all)), tokens),
        texts.figures.instead(tokens, all),
        'fewer',
      ),
      figure(
        texts.figures.milliseconds(milliseconds < 0.1 ? '<0.1' : milliseconds.toFixed(1)),
        texts.figures.time,
      ),
      figure(texts.figures.nothing, texts.figures.sent),
    ],
    context: contextBar(skills, opened),
  }
}

/** What an agent would do with the answer. */
function verdictOf(
  status: MatchStatus,
  [best]: readonly SkillMatch[],
  summaries: ReadonlyMap<string, SkillSummary>,
): readonly (Node | string)[] {
  if (!best) return [make('b', {}, texts.nothing), ' ', texts.noMatch]
  const name = make('strong', {}, nameOf(summaries.get(best.id) ?? best))
  if (status === 'match') return texts.oneCandidate(name)
  if (status === 'maybe') return [make('b', {}, texts.unsure), ' ', texts.choose]
  return [make('b', {}, texts.nothing), ' ', ...texts.closest(name, percent(best.score))]
}

function figure(value: string, meaning: string, kind?: 'fewer'): HTMLElement {
  return make('div', {}, make('dt', {}, meaning), make('dd', { class: kind }, value))
}
