import { estimateTokens, type SkillLibrary } from 'skillshelf'
import { catalogSection, createSession, matchesSection } from 'skillshelf/session'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make } from '../dom.js'
import { setText } from '../hidden-text.js'
import { texts } from '../texts.js'
import { metadataTokens } from './context-usage.js'
import { copyButton } from './copy-button.js'

/** Characters of a text that are shown. */
const MAX_LENGTH = 50_000

/** The prompts and tools that the library generates for a model. */
export function promptsView(context: PageContext, _: unknown, signal: AbortSignal): DetailsContent {
  const { library, message, onSearch } = context
  const { skills } = library.snapshot
  const labels = texts.prompts
  const catalog = textBlock(labels.catalog, labels.catalogMeaning(metadataTokens(skills)))
  const matches = textBlock(labels.matches, labels.matchesMeaning)
  const tools = textBlock(labels.tools, labels.toolsMeaning)
  catalog.show(catalogSection(skills))
  tools.show(toolDefinitions(library))

  const update = async (): Promise<void> => {
    const current = message()
    if (current.trim() === '') return matches.show('', labels.noMessage)
    const found = await context.library.match(current, { signal })
    if (!signal.aborted && current === message()) {
      matches.show(matchesSection(found.matches, skills), labels.noMatches)
    }
  }
  const updateSafely = (): void => void update().catch(() => {})
  onSearch(updateSafely, signal)
  updateSafely()
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      matches.element,
      make('div', { class: 'beside-each-other' }, catalog.element, tools.element),
    ],
  }
}

/** The tool definitions as a request to a model has them. */
function toolDefinitions(library: SkillLibrary): string {
  const tools = createSession(library)
    .tools()
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  return JSON.stringify(tools, null, 2)
}

interface TextBlock {
  element: HTMLElement
  /** @param placeholder Shown if `text` is empty. */
  show(text: string, placeholder?: string): void
}

/** A text with a copy button. */
function textBlock(title: string, meaning: string): TextBlock {
  const shown = make('pre', { tabindex: '0', role: 'group', 'aria-label': title })
  const summary = make('p', { class: 'muted' })
  const empty = make('p', { class: 'muted' })
  const truncated = make('p', { class: 'muted' }, texts.prompts.truncated)
  let whole = ''
  const copy = copyButton(title, () => whole, shown)
  return {
    element: make(
      'section',
      { class: 'level', 'aria-label': title },
      make('div', { class: 'level-head' }, make('h3', {}, title), copy),
      summary,
      shown,
      truncated,
      empty,
    ),
    show(text, placeholder = '') {
      whole = text
      setText(shown, text.slice(0, MAX_LENGTH))
      summary.textContent =
        text === '' ? meaning : `${meaning} ${texts.tokens(estimateTokens(text))}`
      empty.textContent = placeholder
      shown.hidden = copy.hidden = text === ''
      empty.hidden = text !== ''
      truncated.hidden = text.length <= MAX_LENGTH
    },
  }
}
