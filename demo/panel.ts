import { isSkillshelfError } from 'skillshelf'
import type { Desk } from './desk.js'
import { byId, make } from './dom.js'
import { createLedger, type Ledger } from './ledger.js'
import type { View } from './route.js'
import { texts } from './texts.js'

/** What is shown beside the shelf. */
export type Shown = { skill: string } | { view: View } | undefined

export interface Panel {
  /**
   * Shows a skill or a view, or closes what is open. Answers that come after another call are dropped.
   * @param options.quiet Leave the focus and the place in the page as they are.
   */
  show(what: Shown, options?: { quiet?: boolean }): Promise<void>
  /** Skills came or went: what tells of them is shown anew. */
  refresh(touched: readonly string[]): Promise<void>
  /** Another library stands on the shelf. */
  forget(): void
}

interface Content {
  title: string
  content: readonly Node[]
}

/** Each is loaded with the first that is opened. */
const VIEWS: Readonly<Record<View, () => Promise<(desk: Desk, ledger: Ledger, signal: AbortSignal) => Content>>> = {
  tokens: () => import('./tokens.js').then(({ tokensView }) => tokensView),
  model: () => import('./model.js').then(({ modelView }) => modelView),
  tests: () => import('./tests.js').then(({ testsView }) => testsView),
  mine: () => import('./mine.js').then(({ mineView }) => mineView),
}

/** Views that tell of all skills, and do not follow by themselves. */
const COUNTING: readonly View[] = ['tokens', 'model']

/** The place where a skill, or something about the shelf, is shown. */
export function createPanel(desk: Desk): Panel {
  const place = byId('opened', HTMLElement)
  const ledger = createLedger()
  let life = new AbortController()
  let shown: Shown

  const panel: Panel = {
    async show(what, { quiet = false } = {}) {
      shown = what
      life.abort()
      life = new AbortController()
      const { signal } = life
      document.title = 'skillshelf'
      document.body.classList.toggle('has-opened', what !== undefined)
      place.hidden = what === undefined
      if (what === undefined) {
        place.replaceChildren()
        return
      }
      place.setAttribute('aria-label', 'skill' in what ? texts.opened : texts.aside)
      place.setAttribute('aria-busy', 'true')
      const { title, content } =
        'skill' in what
          ? await skill(desk, ledger, what.skill, signal)
          : (await VIEWS[what.view]())(desk, ledger, signal)
      if (signal.aborted) return
      place.setAttribute('aria-busy', 'false')
      if (title !== '') document.title = `${title} · skillshelf`
      place.replaceChildren(closeLink(), ...content)
      if (quiet) return
      place.querySelector('h2')?.focus({ preventScroll: true })
      window.scrollTo({ top: 0 })
    },
    async refresh(touched) {
      if (shown && ('skill' in shown ? touched.includes(shown.skill) : COUNTING.includes(shown.view)))
        await panel.show(shown, { quiet: true })
    },
    forget: ledger.clear,
  }
  return panel
}

/** The way back, above whatever is shown. */
function closeLink(): HTMLElement {
  return make('a', { class: 'close', href: '#/' }, texts.back)
}

async function skill(desk: Desk, ledger: Ledger, id: string, signal: AbortSignal): Promise<Content> {
  try {
    const [skill, { skillView }] = await Promise.all([desk.library.get(id, { signal }), import('./skill.js')])
    return { title: skill.displayName ?? skill.name, content: await skillView(desk, ledger, skill, signal) }
  } catch (error) {
    return { title: '', content: failure(id, error) }
  }
}

function failure(id: string, error: unknown): Node[] {
  const missing = isSkillshelfError(error, 'skill-not-found')
  const message = error instanceof Error ? error.message : String(error)
  return [
    make('h2', { tabindex: '-1' }, missing ? texts.noSuchSkill.title : texts.skillFailed.title),
    missing ? make('p', {}, texts.noSuchSkill.what(id)) : make('p', { lang: 'en' }, message),
    make('p', {}, missing ? texts.noSuchSkill.how : texts.skillFailed.how),
  ]
}
