import type { MatcherResult, SkillLibrary, SkillSummary } from 'skillshelf'
import { byId, make } from './dom.js'
import { EXAMPLES } from './examples.js'
import { matchItem, skillItem, THRESHOLD } from './results.js'
import { goToSkill, skillHash } from './route.js'
import { language, texts } from './texts.js'

const SHOWN = 5
/** Matches that an agent is offered by default. */
const OFFERED = 3
/** Skills that are listed before anything is typed. */
const LISTED = 200

export interface Finder {
  /** Makes this the library that is searched. `examples`: whether the messages to try are meant for it. */
  use(library: SkillLibrary, options: { examples: boolean }): void
  /** Goes on with the same skills, found by other means: a message that stands in the box is answered again. */
  swap(library: SkillLibrary): Promise<void>
  /** Shows what the library answers to the message that stands in the box. */
  show(): Promise<void>
  message(): string
  write(message: string): void
  /** Empties the box. */
  clear(): void
  /** Marks the skill that is open. */
  setCurrent(id: string | undefined): void
  /** Puts the focus on a skill's line, or into the box where it has none. */
  focus(id?: string): void
}

/**
 * The message box and the ranked skills under it.
 * @param onAnswer Told what ranked, where there was a message.
 */
export function createFinder(onAnswer: (model: string | undefined) => void): Finder {
  const section = byId('finder', HTMLElement)
  const box = byId('message', HTMLInputElement)
  const verdict = byId('verdict', HTMLElement)
  const results = byId('results', HTMLOListElement)
  const legend = byId('legend', HTMLElement)
  const examples = byId('examples', HTMLUListElement)
  let library: SkillLibrary | undefined
  let current: string | undefined
  let asking = new AbortController()

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

  /** Who is on a skill's line stays there, or comes back to the box where it is gone. */
  const fill = (items: readonly Node[]): void => {
    const held = links()
      .find(link => link === document.activeElement)
      ?.getAttribute('href')
    results.replaceChildren(...items)
    if (held) (links().find(link => link.getAttribute('href') === held) ?? box).focus({ preventScroll: true })
  }

  const show = async (): Promise<void> => {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    if (!library) return
    const message = box.value
    let model: string | undefined
    const { skills } = library.snapshot
    legend.hidden = message.trim() === ''
    if (legend.hidden) {
      const rest = skills.length - LISTED
      verdict.replaceChildren(texts.onShelf(skills.length))
      fill([
        ...skills.slice(0, LISTED).map(skillItem),
        ...(rest > 0 ? [make('li', { class: 'rest quiet' }, texts.notShown(rest))] : []),
      ])
    } else {
      const result = await library.search(message, { limit: SHOWN, signal }).catch((error: unknown) => {
        if (!signal.aborted) throw error
        return undefined
      })
      // The person has typed on.
      if (!result || signal.aborted) return
      model = result.model
      const summaries = new Map(skills.map(skill => [skill.id, skill]))
      verdict.replaceChildren(...verdictOn(result, summaries))
      fill(result.matches.map(match => matchItem(match, summaries.get(match.id))))
    }
    mark()
    onAnswer(model)
  }

  box.addEventListener('input', () => void show())
  byId('ask', HTMLFormElement).addEventListener('submit', event => {
    event.preventDefault()
    const best = library?.search(box.value, { limit: 1 })
    void best?.then(({ matches: [first] }) => first && goToSkill(first.id))
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
    const busy = event.target instanceof HTMLInputElement || document.querySelector('dialog[open]') !== null
    if (event.key !== '/' || busy || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    box.focus()
    box.select()
  })

  return {
    use(next, options) {
      library = next
      examples.replaceChildren(...(options.examples ? exampleItems(write) : []))
      examples.hidden = !options.examples
    },
    async swap(next) {
      const same = next.snapshot.revision === library?.snapshot.revision
      library = next
      if (!same || box.value.trim() !== '') await show()
    },
    show,
    message: () => box.value,
    write,
    clear() {
      box.value = ''
    },
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

/** Messages to try, those in the language of the page first. */
function exampleItems(write: (message: string) => void): HTMLElement[] {
  const own = EXAMPLES.filter(one => one.language === language)
  return [...own, ...EXAMPLES.filter(one => !own.includes(one))].map(example => {
    const chip = make('button', { type: 'button', class: 'chip', lang: example.language }, example.message)
    chip.addEventListener('click', () => write(example.message))
    return make('li', {}, chip)
  })
}

function verdictOn(
  { matches, abstained }: MatcherResult,
  summaries: ReadonlyMap<string, SkillSummary>,
): readonly (Node | string)[] {
  const likely = matches.filter(match => match.score > THRESHOLD).slice(0, OFFERED)
  const [best] = likely
  if (best === undefined)
    return [abstained === 'no-common-word' || matches.length === 0 ? texts.noCommonWord : texts.belowThreshold]
  const summary = summaries.get(best.id)
  const name = make('strong', {}, summary?.displayName ?? best.name)
  return likely.length === 1 ? texts.wouldOpen(name) : texts.wouldChoose(likely.length, name)
}
