import { estimateTokens, type SkillLibrary } from 'skillshelf'
import { catalogSection, createSession, matchesSection } from 'skillshelf/session'
import { copyButton } from './copy.js'
import type { Desk } from './desk.js'
import { make } from './dom.js'
import { texts } from './texts.js'

/** Characters of a text that are shown; copying takes all. */
const SHOWN = 50_000

/** The texts that a model is given of the shelf, as the library makes them. */
export function modelView(desk: Desk, _: unknown, signal: AbortSignal): { title: string; content: Node[] } {
  const { library, message, onAnswer } = desk
  const { skills } = library.snapshot
  const catalog = block(texts.model.catalog, texts.model.catalogMeans)
  const matches = block(texts.model.matches, texts.model.matchesMeans)
  const tools = block(texts.model.tools, texts.model.toolsMeans)
  catalog.show(catalogSection(skills))
  tools.show(toolList(library))

  const update = async (): Promise<void> => {
    const asked = message()
    if (asked.trim() === '') return matches.show('', texts.model.noMessage)
    const found = await desk.library.match(asked, { signal })
    if (!signal.aborted && asked === message())
      matches.show(matchesSection(found.matches, skills), texts.model.noMatches)
  }
  const updateSafely = (): void => void update().catch(() => {})
  onAnswer(updateSafely, signal)
  updateSafely()
  return {
    title: texts.model.title,
    content: [
      make('h2', { tabindex: '-1' }, texts.model.title),
      make('p', { class: 'lead' }, texts.model.lead),
      matches.element,
      catalog.element,
      tools.element,
    ],
  }
}

/** The tools as they go into a request: without what runs them. */
function toolList(library: SkillLibrary): string {
  const tools = createSession(library)
    .tools()
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return JSON.stringify(tools, null, 2)
}

/** A text to copy. */
function block(title: string, meaning: string): { element: HTMLElement; show(text: string, otherwise?: string): void } {
  const shown = make('pre', { tabindex: '0', role: 'group', 'aria-label': title })
  const fact = make('p', { class: 'quiet' })
  const none = make('p', { class: 'quiet' })
  const cut = make('p', { class: 'quiet' }, texts.model.cut)
  let whole = ''
  const copy = copyButton(title, () => whole, shown)
  return {
    element: make(
      'section',
      { class: 'level', 'aria-label': title },
      make('div', { class: 'level-head' }, make('h3', {}, title), copy),
      fact,
      shown,
      cut,
      none,
    ),
    show(text, otherwise = '') {
      whole = text
      shown.textContent = text.slice(0, SHOWN)
      fact.textContent = text === '' ? meaning : `${meaning} ${texts.tokens(estimateTokens(text))}`
      none.textContent = otherwise
      shown.hidden = copy.hidden = text === ''
      none.hidden = text !== ''
      cut.hidden = text.length <= SHOWN
    },
  }
}
