import type { MatcherResult, SkillLibrary, SkillSummary } from 'skillshelf'
import { byId, make } from './dom.js'
import { EXAMPLES } from './examples.js'
import { count } from './format.js'
import { matchItem, skillItem, THRESHOLD } from './results.js'
import { goToSkill, skillHash } from './route.js'

const SHOWN = 5
/** Matches that an agent is offered by default. */
const OFFERED = 3

export interface Finder {
  /** Shows what the library answers to the message that stands in the box. */
  show(): Promise<void>
  /** Marks the skill that is open. */
  setCurrent(id: string | undefined): void
  /** Puts the focus on a skill's line, or into the box where it has none. */
  focus(id?: string): void
}

/** The message box and the ranked skills under it. */
export function createFinder(library: SkillLibrary): Finder {
  const section = byId('finder', HTMLElement)
  const box = byId('message', HTMLInputElement)
  const verdict = byId('verdict', HTMLElement)
  const results = byId('results', HTMLOListElement)
  const legend = byId('legend', HTMLElement)
  let current: string | undefined
  let turn = 0

  const links = (): HTMLAnchorElement[] => [...results.querySelectorAll('a')]
  const linkOf = (id: string): HTMLAnchorElement | undefined =>
    links().find(link => link.getAttribute('href') === skillHash(id))
  const mark = (): void => {
    for (const link of links()) link.removeAttribute('aria-current')
    if (current !== undefined) linkOf(current)?.setAttribute('aria-current', 'true')
  }
  const write = (message: string): void => {
    box.value = message
    box.focus()
    void show()
  }

  const show = async (): Promise<void> => {
    const asked = ++turn
    const message = box.value
    const { skills } = library.snapshot
    legend.hidden = message.trim() === ''
    if (legend.hidden) {
      verdict.replaceChildren(`${count(skills.length, 'skill')} on the shelf`)
      results.replaceChildren(...skills.map(skillItem))
      mark()
      return
    }
    const result = await library.search(message, { limit: SHOWN })
    // The person has typed on.
    if (asked !== turn) return
    const summaries = new Map(skills.map(skill => [skill.id, skill]))
    verdict.replaceChildren(...verdictOn(result, summaries))
    results.replaceChildren(...result.matches.map(match => matchItem(match, summaries.get(match.id))))
    mark()
  }

  byId('examples', HTMLUListElement).replaceChildren(
    ...EXAMPLES.map(({ message, language }) => {
      const chip = make('button', { type: 'button', class: 'chip', lang: language }, message)
      chip.addEventListener('click', () => write(message))
      return make('li', {}, chip)
    }),
  )
  box.addEventListener('input', () => void show())
  byId('ask', HTMLFormElement).addEventListener('submit', event => {
    event.preventDefault()
    const best = library.search(box.value, { limit: 1 })
    void best.then(({ matches: [first] }) => first && goToSkill(first.id))
  })
  section.addEventListener('keydown', event => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const at = event.target instanceof HTMLAnchorElement ? links().indexOf(event.target) : -1
    if (step === 0 || event.isComposing || (at < 0 && (event.target !== box || step < 0))) return
    event.preventDefault()
    const next = at + step < 0 ? box : links()[at + step]
    next?.focus()
  })
  document.addEventListener('keydown', event => {
    const writing = event.target instanceof HTMLInputElement
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    box.focus()
    box.select()
  })

  return {
    show,
    setCurrent(id) {
      current = id
      mark()
    },
    focus(id) {
      const target = (id !== undefined && linkOf(id)) || box
      target.focus()
    },
  }
}

function verdictOn(
  { matches, abstained }: MatcherResult,
  summaries: ReadonlyMap<string, SkillSummary>,
): (Node | string)[] {
  const likely = matches.filter(match => match.score > THRESHOLD).slice(0, OFFERED)
  const [best] = likely
  if (best === undefined) {
    const nearest = matches.length > 0 ? ' The nearest:' : ''
    const why = abstained === 'no-common-word' ? 'No skill has a word of this message' : 'None likely enough'
    return [`${why}: an agent would open none.${nearest}`]
  }
  const summary = summaries.get(best.id)
  const name = make('strong', {}, summary?.displayName ?? best.name)
  if (likely.length === 1) return ['An agent would open ', name, '.']
  return [`An agent would choose among ${likely.length}, first `, name, '.']
}
