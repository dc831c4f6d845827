import type { Language } from 'skillshelf'
import type { Session, SessionActivity } from 'skillshelf/session'
import { costBars } from '../../cost-bars.js'
import { make } from '../../dom.js'
import { inlinedTokens, unlistedTokens } from '../../views/context-usage.js'
import { activityStyles } from './styles.js'
import { LEDGER_PARTS, type SkillActivityTexts, TEXTS } from './texts.js'

/** Activities that are kept; the oldest go first. */
const MAX_ACTIVITIES = 500

/**
 * `<skill-activity>`: shows what a session does, turn by turn, with times and tokens: matches, skills opened and closed, files read, tools
 * run. Bars compare the tokens of the skills by three ways, and a table shows all that is in the context.
 *
 * It follows the session while it is in the document and shows what happened since `session` was set. Call `update()` after
 * `session.observe`, which is no activity.
 */
export class SkillActivityElement extends HTMLElement {
  static readonly observedAttributes = ['lang'] as const

  #session: Session | undefined
  #stop: (() => void) | undefined
  #activities: readonly SessionActivity[] = []
  #updating = false

  /** The session that is shown. Another one replaces what is shown. */
  get session(): Session | undefined {
    return this.#session
  }
  set session(session: Session | undefined) {
    if (session === this.#session) return
    this.#stop?.()
    this.#session = session
    this.#activities = []
    this.#stop = session?.on('activity', activity => {
      // An activity ends after those inside it.
      const all = [...this.#activities, activity].sort(
        (a, b) => a.startedAt - b.startedAt || rank(a) - rank(b),
      )
      this.#activities = all.slice(-MAX_ACTIVITIES)
      this.update()
    })
    this.update()
  }

  /** The activities that are shown, oldest first. */
  get activities(): readonly SessionActivity[] {
    return this.#activities
  }

  /** Forgets what happened. The table stays. */
  clear(): void {
    this.#activities = []
    this.update()
  }

  /** Shows the current tokens. */
  update(): void {
    if (!this.isConnected || this.#updating) return
    this.#updating = true
    queueMicrotask(() => {
      this.#updating = false
      if (this.isConnected) this.#render()
    })
  }

  /** @internal */
  connectedCallback(): void {
    if (Object.hasOwn(this, 'session')) {
      const { session } = this
      // A property that was set before the element was defined hides the accessor of the class.
      delete (this as { session?: Session | undefined }).session
      this.session = session
    }
    if (!this.shadowRoot) {
      this.attachShadow({ mode: 'open' }).adoptedStyleSheets = [activityStyles()]
    }
    this.update()
  }

  /** @internal */
  attributeChangedCallback(): void {
    this.update()
  }

  #render(): void {
    const texts = TEXTS[this.#language]
    const content = this.#session ? [...ledger(this.#session, texts), ...this.#turns(texts)] : []
    this.shadowRoot?.replaceChildren(
      make('section', { part: 'panel', 'aria-label': texts.label }, ...content),
    )
  }

  #turns(texts: SkillActivityTexts): HTMLElement[] {
    if (this.#activities.length === 0) return [make('p', { part: 'empty' }, texts.empty)]
    const turns: SessionActivity[][] = []
    for (const activity of this.#activities) {
      if (activity.type === 'prepare' || turns.length === 0) turns.push([])
      turns.at(-1)?.push(activity)
    }
    const list = turns.map((activities, index) =>
      make(
        'li',
        { part: 'turn' },
        make('h3', {}, texts.turn(index + 1)),
        make('ul', {}, ...activities.map(activity => line(activity, texts))),
      ),
    )
    const element = make('ol', { part: 'turns', tabindex: '0', 'aria-label': texts.label }, ...list)
    // The newest are at the end.
    queueMicrotask(() => {
      element.scrollTop = element.scrollHeight
    })
    return [element]
  }

  get #language(): Language {
    const lang = this.closest('[lang]')?.getAttribute('lang') ?? ''
    return lang.toLowerCase().startsWith('zh') ? 'zh' : 'en'
  }
}

/**
 * Registers `<skill-activity>`. Does nothing on a server, or if the name is registered already.
 *
 * @param name Name of the element, with a hyphen. Default: `skill-activity`. Another name gets a class of its own.
 * @example
 * ```ts
 * import { defineSkillActivity } from 'skillshelf/element'
 *
 * defineSkillActivity()
 * ```
 */
export function defineSkillActivity(name = 'skill-activity'): void {
  const registry = globalThis.customElements
  if (!registry || registry.get(name)) return
  // A class has one name.
  registry.define(
    name,
    name === 'skill-activity' ? SkillActivityElement : class extends SkillActivityElement {},
  )
}

/** An activity comes before those inside it that began in the same millisecond. */
function rank({ type }: SessionActivity): number {
  return type === 'prepare' ? 0 : type === 'tool' ? 1 : 2
}

function line(activity: SessionActivity, texts: SkillActivityTexts): HTMLElement {
  const { type, duration, tokens = 0, error } = activity
  const figures = [
    tokens > 0 && texts.tokens(tokens),
    `${duration < 10 ? duration.toFixed(1) : Math.round(duration)} ms`,
  ]
  const text = texts.activity(activity)
  return make(
    'li',
    { part: `activity ${type}${error === undefined ? '' : ' error'}` },
    make('span', {}, error === undefined ? text : `${text}: ${texts.failed(error)}`),
    make('span', { part: 'figures' }, figures.filter(Boolean).join(' · ')),
  )
}

function ledger(session: Session, texts: SkillActivityTexts): HTMLElement[] {
  const figures = session.ledger()
  const skills = figures.metadata.tokens + figures.instructions.tokens + figures.references.tokens
  const rows = LEDGER_PARTS.map(part => {
    const tokens = part === 'total' ? figures.total : figures[part].tokens
    const bar = make('span')
    bar.style.setProperty('--share', String(figures.total === 0 ? 0 : tokens / figures.total))
    return make(
      'tr',
      { 'data-part': part },
      make('th', { scope: 'row' }, texts.parts[part]),
      make('td', {}, tokens.toLocaleString()),
      make('td', { class: 'bar', 'aria-hidden': 'true' }, part !== 'total' && bar),
    )
  })
  return [
    costBars(
      {
        listed: skills + unlistedTokens(session),
        skillshelf: skills,
        inlined: inlinedTokens(session.library.snapshot.skills),
      },
      texts.costs,
      tokens => tokens.toLocaleString(),
      texts.costs.title,
    ),
    make(
      'table',
      { part: 'ledger' },
      make('caption', {}, texts.ledger),
      make('tbody', {}, ...rows),
    ),
  ]
}

declare global {
  interface HTMLElementTagNameMap {
    'skill-activity': SkillActivityElement
  }
}
