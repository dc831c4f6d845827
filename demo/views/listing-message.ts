import type { SearchResult, SkillMatch, SkillSummary } from 'skillshelf'
import { type Shown, shownAs } from '../../src/tools/listing/fit-list.js'
import { beginningOf } from '../../src/tools/testing/own-messages.js'
import { phrasesOf } from '../../src/tools/testing/phrases.js'
import type { PageContext } from '../context.js'
import { make } from '../dom.js'
import { percent, THRESHOLD } from '../format.js'
import { nameOf } from '../names.js'
import { createTyping } from '../search/typing.js'
import { saidTerms } from '../search/why.js'
import { language, texts } from '../texts.js'
import { worstFirst } from './listing-rows.js'

/** Skills among which the reader chooses the right one. */
const RANKED = 10
/** Messages that are tried for an example. */
const TRIED = 12
/** A message in the language of the reader. */
const READABLE = {
  en: /^[\p{Script=Latin}\p{Script=Common}]+$/u,
  zh: /^[\p{Script=Han}\p{Script=Common}]+$/u,
}

/** The list of an agent, as it is shown. */
export interface ShownList {
  agent: string
  skills: readonly SkillSummary[]
  shown: readonly Shown[]
}

export interface MessageCheck {
  element: HTMLElement
  /** Says it again for another list. */
  update(): void
}

/** A message, with whether its skill is in the list, and where the library ranks it. */
export function messageCheck(
  context: PageContext,
  listOf: () => ShownList,
  signal: AbortSignal,
): MessageCheck {
  const labels = texts.listing.message
  const box = make('input', {
    id: 'listing-message',
    type: 'search',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: labels.placeholder,
  })
  const status = make('p', { role: 'status' })
  const choice = make('select', { id: 'listing-skill' })
  const chosen = make(
    'p',
    { class: 'compare-right', hidden: '' },
    make('label', { for: 'listing-skill' }, labels.skill),
    ' ',
    choice,
  )
  let searching = new AbortController()
  let result: SearchResult | undefined
  /** Answered while the box is empty. */
  let example = ''

  const say = (): void => {
    const match = result?.matches.find(({ id }) => id === choice.value) ?? result?.matches[0]
    chosen.hidden = match === undefined
    if (!result || !match) {
      status.textContent = result ? labels.none : ''
      return
    }
    const rank = result.matches.indexOf(match) + 1
    status.textContent = [
      inList(match, listOf()),
      labels.rank(rank, percent(match.score), match.score > THRESHOLD),
    ].join(' ')
  }
  const search = async (): Promise<void> => {
    searching.abort()
    searching = new AbortController()
    const { signal: either } = searching
    const message = box.value.trim() || example
    if (message === '') {
      result = undefined
      return say()
    }
    const ask = async (): Promise<void> => {
      result = await context.library.search(message, { limit: RANKED, signal: either })
    }
    await ask()
    if (result && !result.complete) {
      await context.prepareModel([message])
      if (either.aborted) return
      await ask()
    }
    const summaries = new Map(context.library.snapshot.skills.map(skill => [skill.id, skill]))
    choice.replaceChildren(
      ...(result?.matches ?? []).map(match =>
        make('option', { value: match.id }, nameOf(summaries.get(match.id) ?? match)),
      ),
    )
    say()
  }
  const typing = createTyping({
    isAnswered: () => status.textContent !== '',
    onWait: waits => status.classList.toggle('waits', waits),
    onMessage: () => update(),
  })
  const update = (): void => {
    typing.end()
    // A search that was replaced, or a view that was closed.
    search().catch(() => {})
  }
  box.addEventListener('input', typing.listen)
  choice.addEventListener('change', say)
  const follow = (): void => {
    if (context.message() === '' || document.activeElement === box) return
    box.value = context.message()
    update()
  }
  /** The example is a message of a skill that is cut or dropped, if there is one. */
  const findExample = async (): Promise<void> => {
    const { skills, shown } = listOf()
    const messages = worstFirst(skills, shown)
      .filter(({ as }) => as !== 'whole')
      .flatMap(({ skill }) => {
        const own = [beginningOf(skill), ...phrasesOf(skill)]
        // The last phrase is the most likely to be cut.
        const message = own.findLast(one => READABLE[language].test(one))
        return message === undefined ? [] : { id: skill.id, message }
      })
    for (const { id, message } of messages.slice(0, TRIED)) {
      const { matches } = await context.library.search(message, { limit: 1, wait: false, signal })
      if (matches[0]?.id !== id) continue
      example = message
      box.placeholder = message
      if (box.value === '') update()
      return
    }
  }
  context.onSearch(follow, signal)
  signal.addEventListener('abort', () => {
    typing.end()
    searching.abort()
  })
  follow()
  // Ends when the view is closed.
  findExample().catch(() => {})
  return {
    element: make(
      'section',
      { class: 'listing-message' },
      make('label', { for: 'listing-message' }, labels.label),
      box,
      chosen,
      status,
    ),
    update: say,
  }
}

/** What the list has of a skill, and which words of the message it lacks. */
function inList({ id, signals }: SkillMatch, { agent, skills, shown }: ShownList): string {
  const labels = texts.listing.message
  const at = skills.findIndex(skill => skill.id === id)
  const skill = skills[at]
  if (!skill) return labels.unlisted(agent)
  const characters = shown[at]
  const as = shownAs(characters, skill)
  if (as !== 'cut') return labels[as](agent)
  const { description } = skill
  const listed = `${skill.name} ${description.slice(0, characters)}`.toLowerCase()
  const words = saidTerms(signals)
    .map(({ text }) => text)
    .filter(word => !listed.includes(word.toLowerCase()))
    .filter(word => description.toLowerCase().includes(word.toLowerCase()))
  const cut = labels.cut(agent, characters ?? 0, description.length)
  return words.length > 0 ? `${cut} ${labels.words([...new Set(words)])}` : cut
}
