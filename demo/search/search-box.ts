import type { SkillLibrary, SkillSummary } from 'skillshelf'
import type { MatcherResult } from 'skillshelf/thread'
import { byId, make, makeButton } from '../dom.js'
import { language, texts } from '../texts.js'
import { goToSkill, skillHash } from '../url.js'
import { matchItem, skillItem, THRESHOLD } from './results.js'

/** Search results that are shown. */
const MAX_RESULTS = 5
/** The default `limit` of `match`: how many skills an agent gets. */
const AGENT_LIMIT = 3
/** Skills that are listed before a search. */
const MAX_LISTED = 200

/** Example messages for the samples. No sample fits the last one. */
const EXAMPLES: readonly { message: string; language: string }[] = [
  { message: 'make slides about our launch', language: 'en' },
  { message: 'book a flight to Tokyo', language: 'en' },
  { message: 'extract the tables from this PDF', language: 'en' },
  { message: '帮我调研AI市场', language: 'zh' },
  { message: '写一封邮件向客户道歉', language: 'zh' },
  { message: '今週の夕飯、献立をどうしよう', language: 'ja' },
  { message: 'tell me a joke', language: 'en' },
]

/** The search box and the results below it. */
export interface SearchBox {
  /** Searches a library from now on. `examples`: show the example messages, which fit the samples only. */
  setLibrary(library: SkillLibrary, options: { examples: boolean }): void
  /** Replaces the library with an upgraded one, and repeats the search. */
  replaceLibrary(library: SkillLibrary): Promise<void>
  /** Repeats the search. */
  update(): Promise<void>
  message(): string
  /** Fills in the box and searches. */
  setMessage(message: string): void
  /** Fills in the box with the message of a history entry. */
  restore(message: string): void
  clear(): void
  /** Marks the skill that is open. */
  markCurrent(id: string | undefined): void
  /** Focuses a skill in the list, or the box. */
  focus(id?: string): void
}

/** @param onSearch Called after each search with the `model` of the result; `undefined` if the box is empty. */
export function createSearchBox(onSearch: (model: string | undefined) => void): SearchBox {
  const section = byId('search', HTMLElement)
  const box = byId('message', HTMLInputElement)
  const verdict = byId('verdict', HTMLElement)
  const results = byId('results', HTMLOListElement)
  const legend = byId('legend', HTMLElement)
  const examples = byId('examples', HTMLUListElement)
  let library: SkillLibrary | undefined
  let current: string | undefined
  let searching = new AbortController()

  const links = (): HTMLAnchorElement[] => [...results.querySelectorAll('a')]
  const linkTo = (id: string): HTMLAnchorElement | undefined =>
    links().find(link => link.getAttribute('href') === skillHash(id))
  const updateMark = (): void => {
    for (const link of links()) link.removeAttribute('aria-current')
    if (current !== undefined) linkTo(current)?.setAttribute('aria-current', 'true')
  }
  const setMessage = (message: string): void => {
    box.value = message
    box.focus()
    void update()
  }

  /** Keeps the focus on a skill that is still listed, or moves it to the box. */
  const replaceItems = (items: readonly Node[]): void => {
    const focused = links()
      .find(link => link === document.activeElement)
      ?.getAttribute('href')
    results.replaceChildren(...items)
    if (focused) (links().find(link => link.getAttribute('href') === focused) ?? box).focus({ preventScroll: true })
  }

  const update = async (): Promise<void> => {
    searching.abort()
    searching = new AbortController()
    const { signal } = searching
    if (!library) return
    const message = box.value
    let model: string | undefined
    const { skills } = library.snapshot
    legend.hidden = message.trim() === ''
    if (legend.hidden) {
      const rest = skills.length - MAX_LISTED
      verdict.replaceChildren(texts.skillCount(skills.length))
      replaceItems([
        ...skills.slice(0, MAX_LISTED).map(skillItem),
        ...(rest > 0 ? [make('li', { class: 'rest muted' }, texts.notListed(rest))] : []),
      ])
    } else {
      const result = await library.search(message, { limit: MAX_RESULTS, signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error
        return undefined
      })
      // A later search has started.
      if (!result || signal.aborted) return
      model = result.model
      const summaries = new Map(skills.map(skill => [skill.id, skill]))
      verdict.replaceChildren(...verdictText(result, summaries))
      replaceItems(result.matches.map(match => matchItem(match, summaries.get(match.id))))
    }
    updateMark()
    onSearch(model)
  }

  box.addEventListener('input', () => void update())
  byId('search-form', HTMLFormElement).addEventListener('submit', event => {
    event.preventDefault()
    const best = library?.search(box.value, { limit: 1 })
    void best?.then(({ matches: [first] }) => first && goToSkill(first.id))
  })
  section.addEventListener('keydown', event => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const index = event.target instanceof HTMLAnchorElement ? links().indexOf(event.target) : -1
    if (step === 0 || event.isComposing || (index < 0 && (event.target !== box || step < 0))) return
    event.preventDefault()
    const next = index + step < 0 ? box : links()[index + step]
    next?.focus()
  })
  document.addEventListener('keydown', event => {
    const busy = event.target instanceof HTMLInputElement || document.querySelector('dialog[open]') !== null
    if (event.key !== '/' || busy || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    box.focus()
    box.select()
  })

  return {
    setLibrary(next, options) {
      library = next
      examples.replaceChildren(...(options.examples ? exampleItems(setMessage) : []))
      examples.hidden = !options.examples
    },
    async replaceLibrary(next) {
      const unchanged = next.snapshot.revision === library?.snapshot.revision
      library = next
      if (!unchanged || box.value.trim() !== '') await update()
    },
    update,
    message: () => box.value,
    setMessage,
    restore(message) {
      if (box.value === message) return
      box.value = message
      void update()
    },
    clear() {
      box.value = ''
    },
    markCurrent(id) {
      current = id
      updateMark()
    },
    focus(id) {
      const target = (id !== undefined && linkTo(id)) || box
      target.focus()
    },
  }
}

/** The example messages, those in the page's language first. */
function exampleItems(setMessage: (message: string) => void): HTMLElement[] {
  const own = EXAMPLES.filter(example => example.language === language)
  return [...own, ...EXAMPLES.filter(example => !own.includes(example))].map(example =>
    make(
      'li',
      {},
      makeButton(example.message, () => setMessage(example.message), { class: 'chip', lang: example.language }),
    ),
  )
}

/** Which skills an agent would get for the message. */
function verdictText(
  { matches, abstained }: MatcherResult,
  summaries: ReadonlyMap<string, SkillSummary>,
): readonly (Node | string)[] {
  const candidates = matches.filter(match => match.score > THRESHOLD).slice(0, AGENT_LIMIT)
  const [best] = candidates
  if (best === undefined)
    return [abstained === 'no-common-word' || matches.length === 0 ? texts.noMatch : texts.belowThreshold]
  const name = make('strong', {}, summaries.get(best.id)?.displayName ?? best.name)
  return candidates.length === 1 ? texts.oneCandidate(name) : texts.candidates(candidates.length, name)
}
