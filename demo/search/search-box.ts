import type { SkillLibrary } from 'skillshelf'
import { byId, make, makeButton } from '../dom.js'
import { translateSamples } from '../names.js'
import { nextTask } from '../next-task.js'
import { run } from '../run.js'
import { language } from '../texts.js'
import { goToSkill, skillHash } from '../url.js'
import { type Answer, answerTo } from './answer.js'
import { createDemonstration } from './demonstration.js'
import { showLibrary } from './library-list.js'
import { untilReleased } from './press.js'
import { createShelf } from './shelf.js'
import { keepInSight } from './sight.js'
import { createTyping } from './typing.js'

/** Example messages for the samples. No sample fits the last one. */
const EXAMPLES: readonly (readonly [language: string, message: string])[] = [
  ['en', 'extract the tables from this PDF'],
  ['en', 'book a flight to Tokyo'],
  ['en', 'make slides about our launch'],
  ['zh', '帮我写这周的周报'],
  ['zh', '帮我调研AI市场'],
  ['zh', '写一封邮件向客户道歉'],
  ['ja', '今週の夕飯、献立をどうしよう'],
  ['en', 'tell me a joke'],
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
  /** The message of the demonstration. */
  demonstrated(): string
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

/**
 * @param onSearch Called after each search with the `model` of the result; `undefined` if the box is empty.
 * @param prepareModel Loads the parts of the bundled model that messages need.
 */
export function createSearchBox(
  onSearch: (model: string | undefined) => void,
  prepareModel: (messages: readonly string[]) => Promise<void>,
): SearchBox {
  const section = byId('search', HTMLElement)
  const box = byId('message', HTMLInputElement)
  const verdict = byId('verdict', HTMLElement)
  const results = byId('results', HTMLOListElement)
  const costs = byId('costs', HTMLElement)
  const facts = byId('facts', HTMLElement)
  const legend = byId('legend', HTMLElement)
  const card = byId('card', HTMLElement)
  const skeleton = byId('skeleton', HTMLElement)
  const list = byId('library', HTMLElement)
  const ways = byId('ways', HTMLElement)
  const shelf = createShelf()
  const demonstration = createDemonstration(
    () => (isOwn ? library : undefined),
    answer => {
      shelf.pull(answer ? idsOf(answer) : [])
      if (answer) complete(answer, demonstration.message(), demonstration.update)
    },
  )
  const examples = byId('examples', HTMLUListElement)
  let library: SkillLibrary | undefined
  let isOwn = false
  /** What `list` shows. */
  let listed = ''
  let current: string | undefined
  const typing = createTyping({
    isAnswered: () => card.dataset['answer'] !== undefined,
    onWait: waits => card.classList.toggle('stale', waits),
    onMessage: () => void update(),
  })
  let searching = new AbortController()
  /** The last message that a part of the model was loaded for: one that cannot be loaded is not tried again and again. */
  let prepared: string | undefined

  const links = (): HTMLAnchorElement[] => [
    ...(results.hidden ? list : results).querySelectorAll('a'),
  ]
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

  /** Draws, and keeps the focus on a skill that is still listed, or moves it to the box. */
  const keepFocus = (draw: () => void): void => {
    const focused = links()
      .find(link => link === document.activeElement)
      ?.getAttribute('href')
    draw()
    if (focused) {
      ;(links().find(link => link.getAttribute('href') === focused) ?? box).focus({
        preventScroll: true,
      })
    }
  }
  const showAnswer = (answer: Answer | undefined): void => {
    if (answer) skeleton.hidden = true
    verdict.replaceChildren(...(answer?.verdict ?? []))
    results.replaceChildren(...(answer?.items ?? []))
    costs.replaceChildren(...(answer ? [answer.costs] : []))
    facts.replaceChildren(...(answer?.facts ?? []))
    for (const element of [verdict, results, costs, facts, legend]) {
      element.hidden = answer === undefined
    }
    for (const element of [list, ways]) element.hidden = answer !== undefined
    if (answer) card.dataset['answer'] = answer.status
    else delete card.dataset['answer']
  }

  /** Loads the part of the model that a message needs, and answers it again. */
  const complete = (answer: Answer, message: string, again: () => unknown): void => {
    if (answer.complete || message === prepared) return
    prepared = message
    void prepareModel([message]).then(again)
  }
  const update = (): Promise<void> => {
    typing.end()
    return run(search(), 'diagnostics')
  }
  const search = async (): Promise<void> => {
    searching.abort()
    searching = new AbortController()
    const { signal } = searching
    if (!library) return
    const message = box.value
    const { skills, revision } = library.snapshot
    const drawn = `${language} ${revision}`
    if (listed !== drawn) {
      demonstration.stop()
      shelf.show(skills)
      keepFocus(() => showLibrary(skills, { samples: isOwn }))
    }
    listed = drawn
    let answer: Answer | undefined
    if (message.trim() !== '') {
      demonstration.stop()
      answer = await answerTo(library, message, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
        return undefined
      })
      if (!answer) return
    }
    await untilReleased(section)
    // A later search has started.
    if (signal.aborted) return
    if (answer) {
      shelf.pull(idsOf(answer))
      complete(answer, message, () => (signal.aborted ? undefined : update()))
    }
    keepFocus(() => showAnswer(answer))
    if (answer) keepInSight(byId('search-form', HTMLElement), results.firstElementChild)
    if (!answer) {
      await nextTask()
      if (signal.aborted) return
      demonstration.start()
    }
    updateMark()
    onSearch(answer?.model)
  }

  box.addEventListener('input', typing.listen)
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
    const busy = event.target instanceof HTMLInputElement || document.querySelector('dialog[open]')
    if (event.key !== '/' || busy || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    box.focus()
    box.select()
  })

  return {
    setLibrary(next, options) {
      library = next
      isOwn = options.examples
      translateSamples(isOwn)
      if (!isOwn) skeleton.hidden = true
      listed = ''
      examples.replaceChildren(...(isOwn ? exampleItems(setMessage) : []))
      examples.hidden = !isOwn
      // The skills of another library come before the examples of code.
      list[isOwn ? 'before' : 'after'](ways)
    },
    async replaceLibrary(next) {
      const unchanged = next.snapshot.revision === library?.snapshot.revision
      library = next
      if (!unchanged || box.value.trim() !== '') await update()
      else await demonstration.update()
    },
    update,
    message: () => box.value,
    demonstrated: demonstration.message,
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
  const own = EXAMPLES.filter(([lang]) => lang === language)
  return [...own, ...EXAMPLES.filter(example => !own.includes(example))].map(([lang, message]) =>
    make(
      'li',
      {},
      makeButton(message, () => setMessage(message), { class: 'chip', lang }),
    ),
  )
}

const idsOf = ({ found }: Answer): readonly string[] => found.map(({ id }) => id)
