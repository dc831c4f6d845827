import { isSkillshelfError, showHidden } from 'skillshelf'
import type { PageContext } from './context.js'
import type { DetailsContent } from './details-content.js'
import { byId, make, messageOf } from './dom.js'
import { nameOf } from './names.js'
import { failureNotice } from './run.js'
import { texts } from './texts.js'
import type { View } from './view-names.js'
import { type ContextUsage, createContextUsage } from './views/context-usage.js'

/** What the panel shows: a skill, a view, or nothing. */
export type DetailsTarget =
  | { skill: string; file?: string | undefined }
  | { view: View }
  | undefined

export interface DetailsPanel {
  /**
   * Shows a skill or a view, or closes the panel. A later call cancels an earlier one.
   * @param options.quiet Keep the focus and the scroll position.
   */
  show(target: DetailsTarget, options?: { quiet?: boolean }): Promise<void>
  /** Redraws the panel if it depends on any of these skills. */
  refresh(ids: readonly string[]): Promise<void>
  /** Forgets what was read from the previous library. */
  reset(): void
}

type DetailsView = (
  context: PageContext,
  usage: ContextUsage,
  signal: AbortSignal,
) => DetailsContent

/** Each view loads when it is first opened. */
const VIEWS: Readonly<Record<View, () => Promise<DetailsView>>> = {
  listing: () => import('./views/listing-view.js').then(({ listingView }) => listingView),
  chat: () => import('./agent/chat-view.js').then(({ chatView }) => chatView),
  tokens: () => import('./views/tokens-view.js').then(({ tokensView }) => tokensView),
  prompts: () => import('./views/prompts-view.js').then(({ promptsView }) => promptsView),
  tests: () => import('./views/tests-view.js').then(({ testsView }) => testsView),
  installed: () =>
    import('./installed/installed-view.js').then(({ installedView }) => installedView),
  compare: () => import('./views/compare-view.js').then(({ compareView }) => compareView),
}

/** Views of all skills that do not update themselves. */
const STATIC_VIEWS: readonly View[] = ['listing', 'tokens', 'prompts', 'compare']

export function createDetailsPanel(context: PageContext): DetailsPanel {
  const element = byId('details', HTMLElement)
  const usage = createContextUsage()
  let lifetime = new AbortController()
  let shown: DetailsTarget

  const panel: DetailsPanel = {
    async show(target, { quiet = false } = {}) {
      shown = target
      lifetime.abort()
      lifetime = new AbortController()
      const { signal } = lifetime
      document.title = texts.title
      document.body.classList.toggle('has-details', target !== undefined)
      document.body.dataset['view'] = target && 'view' in target ? target.view : ''
      element.hidden = target === undefined
      if (target === undefined) {
        element.removeAttribute('aria-label')
        element.replaceChildren()
        return
      }
      element.setAttribute('aria-busy', 'true')
      const loaded =
        'skill' in target
          ? await skillContent(context, usage, target.skill, signal)
          : await VIEWS[target.view]().catch(failedView)
      // A view that is created after it was left would keep what it registers.
      if (signal.aborted) return
      const { title, content, openFile } =
        typeof loaded === 'function' ? loaded(context, usage, signal) : loaded
      element.setAttribute('aria-busy', 'false')
      // The name changes with the content: until then the panel shows what was open before.
      element.setAttribute('aria-label', 'skill' in target ? texts.skillPanel : texts.aboutPanel)
      if (title !== '') document.title = `${showHidden(title)} · skillshelf`
      element.replaceChildren(make('a', { class: 'close', href: '#/' }, texts.back), ...content)
      if ('skill' in target && target.file !== undefined && openFile) return openFile(target.file)
      if (quiet) return
      element.querySelector('h2')?.focus({ preventScroll: true })
      window.scrollTo({ top: 0 })
    },
    async refresh(ids) {
      if (ids.length === 0) return
      if (
        shown &&
        ('skill' in shown ? ids.includes(shown.skill) : STATIC_VIEWS.includes(shown.view))
      ) {
        await panel.show(shown, { quiet: true })
      }
    },
    reset: usage.clear,
  }
  return panel
}

async function skillContent(
  context: PageContext,
  usage: ContextUsage,
  id: string,
  signal: AbortSignal,
): Promise<DetailsContent> {
  try {
    const [skill, { skillView }] = await Promise.all([
      context.library.get(id, { signal }),
      import('./skill/skill-view.js'),
    ])
    return { title: nameOf(skill), ...(await skillView(context, usage, skill, signal)) }
  } catch (error) {
    return { title: '', content: errorContent(id, error) }
  }
}

function failedView(): DetailsContent {
  return { title: '', content: [failureNotice()] }
}

function errorContent(id: string, error: unknown): Node[] {
  const notFound = isSkillshelfError(error, 'skill-not-found')
  const { title, hint } = notFound ? texts.skillNotFound : texts.skillFailed
  return [
    make('h2', { tabindex: '-1' }, title),
    notFound
      ? make('p', {}, texts.skillNotFound.message(id))
      : make('p', { lang: 'en' }, messageOf(error)),
    make('p', {}, hint),
  ]
}
