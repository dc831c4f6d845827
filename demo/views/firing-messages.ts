import type { SkillId, SkillLibrary } from 'skillshelf'
import { loadCorpusStatistics } from '../../src/search/match/corpus-statistics.js'
import { missingWords } from '../../src/tools/testing/missing-words.js'
import type { PageContext } from '../context.js'
import { make, makeButton } from '../dom.js'
import { percent } from '../format.js'
import { texts } from '../texts.js'
import type { MessageFate } from './firing.js'

/** Skills among which the one of a message is looked for. */
const RANKED = 5

/** The messages of a skill, those that do not reach it first. */
export function messageList(
  context: PageContext,
  fates: readonly MessageFate[],
  wordsOf: (message: string) => Promise<readonly string[]>,
): HTMLElement {
  const order = ['nothing', 'taken', 'unsure', 'fires']
  const sorted = [...fates].sort((a, b) => order.indexOf(a.fate) - order.indexOf(b.fate))
  return make('ul', { class: 'fates' }, ...sorted.map(one => item(context, one, wordsOf)))
}

function item(
  context: PageContext,
  one: MessageFate,
  wordsOf: (message: string) => Promise<readonly string[]>,
): HTMLElement {
  const labels = texts.firing
  const { message, fate, from, got } = one
  const score = percent(got?.score ?? 0)
  const outcome =
    fate === 'nothing'
      ? labels.outcomes.nothing
      : fate === 'taken'
        ? labels.outcomes.taken(got?.name ?? '', score)
        : labels.outcomes[fate](score)
  const words = make('span', { class: 'muted' })
  if (fate === 'taken' || fate === 'nothing') {
    wordsOf(message).then(
      found => {
        if (found.length > 0) words.textContent = labels.missing(found)
      },
      () => {
        // The view was closed.
      },
    )
  }
  return make(
    'li',
    { class: `fate-${fate}` },
    makeButton(message, () => context.setMessage(message), {
      class: 'link',
      title: texts.tests.try,
      dir: 'auto',
    }),
    make('span', { class: 'outcome' }, outcome),
    make('span', { class: 'muted' }, labels.from[from]),
    words,
  )
}

/** Words of a message that a skill lacks. */
export async function wordsMissing(
  library: SkillLibrary,
  id: SkillId,
  message: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { matches } = await library.search(message, { limit: RANKED, signal })
  const { idf } = await loadCorpusStatistics()
  return missingWords(
    matches.find(match => match.id === id),
    matches[0],
    idf,
  )
}
