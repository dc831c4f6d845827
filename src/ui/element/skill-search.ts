import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { Language } from '../../search/match/skill-match.js'
import { createSearch } from '../state/search.js'
import type { OpenSkillsOptions } from '../state/skills.js'
import { icon, make, makeButton } from './dom.js'
import type { RenderSkill, SkillSearchEventMap, SkillSearchTexts } from './events.js'
import { type Choice, loadHighlight } from './list.js'
import { createPanel, type Panel } from './panel.js'
import { styleSheet } from './styles.js'
import { TEXTS } from './texts.js'

const DEFAULT_LIMIT = 8
/** Properties that a page may have set before the element was defined. */
const PROPERTIES = [
  'src',
  'library',
  'options',
  'render',
  'texts',
  'value',
  'dialog',
  'limit',
  'hotkey',
] as const

/** Servers have no `HTMLElement`, but may import this module. */
const Base = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement)

/**
 * `<skill-search>`: a search box for a library of skills. Without attributes it is a box with its results below; with `dialog` it is a
 * button that opens a dialog, as ⌘K or Ctrl K does.
 *
 * It loads the library when the user focuses it, points at it or presses its hotkey.
 * @example
 * ```html
 * <script type="module">
 *   import { defineSkillSearch } from 'skillshelf/element'
 *
 *   defineSkillSearch()
 * </script>
 * <skill-search src="/skills/" dialog></skill-search>
 * ```
 */
export class SkillSearchElement extends Base {
  static readonly observedAttributes = [
    'src',
    'dialog',
    'lang',
    'placeholder',
    'label',
    'limit',
    'hotkey',
  ] as const

  #library: SkillLibrary | undefined
  #texts: Partial<SkillSearchTexts> = {}
  #mergedTexts: SkillSearchTexts | undefined
  #language: Language | undefined
  #panel: Panel | undefined
  #dialog: HTMLDialogElement | undefined
  #trigger: { label: HTMLElement; key: HTMLElement } | undefined
  readonly #search = createSearch({
    input: () =>
      this.isConnected ? (this.#library ?? (this.src === '' ? undefined : this.src)) : undefined,
    openOptions: () => {
      void loadHighlight()
      return this.options
    },
    searchOptions: () => ({ limit: this.limit, language: this.#getLanguage() }),
    changed: () => this.#update(),
    matched: ({ message, result }) => this.#dispatch('skill-match', { message, result }),
    failed: error => this.#dispatch('skill-error', { error }),
  })

  /** Options for the library at `src`, such as `{ matcher: () => threadMatcher({ worker }) }`. Read when the library opens. @default {} */
  options: OpenSkillsOptions = {}
  /** Shows instructions as a node, such as rendered Markdown, in the element. @default undefined: plain text */
  render: RenderSkill | undefined = undefined

  /** Address of the library. */
  get src(): string {
    return this.getAttribute('src') ?? ''
  }
  set src(src: string) {
    this.setAttribute('src', src)
  }

  /** The open library: the one that was assigned, or the one that was opened from `src`. An assigned library is used instead of `src`, and is not closed. */
  get library(): SkillLibrary | undefined {
    return this.#library ?? this.#search.skills.data?.library
  }
  set library(library: SkillLibrary | undefined) {
    if (library === this.#library) return
    this.#library = library
    this.#reopen()
  }

  /** The message in the box. */
  get value(): string {
    return this.#search.message
  }
  set value(value: string) {
    if (value !== this.value) this.#search.ask(value)
  }

  /** Texts that replace those of the language. */
  get texts(): Partial<SkillSearchTexts> {
    return this.#texts
  }
  set texts(texts: Partial<SkillSearchTexts> | undefined) {
    this.#texts = texts ?? {}
    this.#mergedTexts = undefined
    this.#update()
  }

  /** Whether the element is a button that opens a dialog. */
  get dialog(): boolean {
    return this.hasAttribute('dialog')
  }
  set dialog(dialog: boolean) {
    this.toggleAttribute('dialog', dialog)
  }

  /** Maximum number of matches. @default 8 */
  get limit(): number {
    const limit = Number(this.getAttribute('limit'))
    return Number.isInteger(limit) && limit > 0 ? limit : DEFAULT_LIMIT
  }
  set limit(limit: number) {
    this.setAttribute('limit', String(limit))
  }

  /** The key that, with ⌘ or Ctrl, opens the dialog or focuses the box. `''`: none. @default 'k' with `dialog`, `''` without */
  get hotkey(): string {
    return this.getAttribute('hotkey') ?? (this.dialog ? 'k' : '')
  }
  set hotkey(hotkey: string) {
    this.setAttribute('hotkey', hotkey)
  }

  /**
   * Loads the library before the user reaches for the box. Calls share one load.
   * @throws SkillshelfError `source-failed` if no skill can be read, `aborted` if the element is removed or gets another library
   * @example
   * ```ts
   * const library = await document.querySelector('skill-search')?.load()
   * ```
   */
  load(): Promise<SkillLibrary> {
    return this.#search.load()
  }

  /** Opens the dialog, or focuses the box. @param message The message to search for. Default: the one in the box. */
  show(message = this.value): void {
    if (!this.isConnected) return
    this.#search.open()
    this.value = message
    this.#panel?.back()
    if (this.#dialog && !this.#dialog.open) this.#dialog.showModal()
    this.#panel?.input.focus()
    this.#panel?.input.select()
  }

  /** Closes the dialog. */
  hide(): void {
    this.#dialog?.close()
  }

  /** @internal */
  connectedCallback(): void {
    for (const name of PROPERTIES) this.#adoptProperty(name)
    document.addEventListener('keydown', this.#onHotkey)
    if (!this.#panel) this.#build()
    if (this.#library || this.value !== '') this.#search.open()
    this.#forgetLanguage()
    this.#update()
  }

  /** @internal */
  disconnectedCallback(): void {
    document.removeEventListener('keydown', this.#onHotkey)
    // An element that is moved is connected again at once.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close()
    })
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return
    if (name === 'src' && !this.#library) this.#reopen()
    if (name === 'dialog' && this.#panel) this.#build()
    if (name === 'lang') this.#forgetLanguage()
    if (name === 'limit' || name === 'lang') this.#search.ask(this.value)
    this.#update()
  }

  /** A property that was set before the element was defined hides the accessor of the class. */
  #adoptProperty(name: (typeof PROPERTIES)[number]): void {
    if (!Object.hasOwn(this, name)) return
    const { [name]: value } = this as Record<string, unknown>
    delete (this as Record<string, unknown>)[name]
    Object.assign(this, { [name]: value })
  }

  #build(): void {
    this.#panel?.close()
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [styleSheet()]
    const panel = createPanel(this, {
      inDialog: this.dialog,
      render: () => this.render,
      input: message => this.#search.ask(message),
      choose: choice => this.#choose(choice),
      close: () => this.hide(),
      retry: () => {
        this.#search.retry()
        this.#panel?.input.focus()
      },
      copied: (skill, text) => this.#dispatch('skill-copy', { skill, text }),
      failed: error => this.#dispatch('skill-error', { error }),
    })
    this.#panel = panel
    if (this.dialog) root.replaceChildren(this.#buildTrigger(), this.#buildDialog(panel))
    else {
      this.#dialog = undefined
      this.#trigger = undefined
      root.replaceChildren(panel.element)
    }
    for (const element of root.children) {
      for (const type of ['focusin', 'pointerenter']) {
        element.addEventListener(type, () => this.#search.open())
      }
    }
  }

  #buildTrigger(): HTMLElement {
    const label = make('span')
    const key = make('kbd', { 'aria-hidden': 'true' })
    this.#trigger = { label, key }
    const trigger = makeButton('trigger', () => this.show(), icon('search'), label, key)
    trigger.setAttribute('aria-haspopup', 'dialog')
    return trigger
  }

  #buildDialog(panel: Panel): HTMLElement {
    const dialog = make('dialog', { part: 'dialog' }, panel.element)
    // The panel covers the dialog, so a click on the dialog itself is on its backdrop.
    dialog.addEventListener('click', event => {
      if (event.target === dialog) this.hide()
    })
    this.#dialog = dialog
    return dialog
  }

  readonly #onHotkey = (event: KeyboardEvent): void => {
    const { hotkey } = this
    const apple = isApple()
    if (
      hotkey === '' ||
      event.defaultPrevented ||
      event.key.toLowerCase() !== hotkey.toLowerCase()
    ) {
      return
    }
    if (event.altKey || event.shiftKey || event.metaKey !== apple || event.ctrlKey === apple) return
    event.preventDefault()
    if (this.#dialog?.open) this.hide()
    else this.show()
  }

  #close(): void {
    this.#panel?.close()
    this.#dialog?.close()
    this.#search.close()
  }

  /** Opens the other library at once if the one before was in use. */
  #reopen(): void {
    const inUse = this.#search.skills.status !== 'idle'
    if (inUse) this.#close()
    if (inUse || this.#library) this.#search.open()
  }

  #choose({ skill, match }: Choice): boolean {
    const library = this.#search.skills.data?.library
    return (
      library !== undefined &&
      this.#dispatch('skill-open', { skill, ...(match && { match }), library })
    )
  }

  #getLanguage(): Language {
    this.#language ??= /^zh\b/i.test(
      this.closest<HTMLElement>('[lang]')?.lang ||
        document.documentElement.lang ||
        navigator.language,
    )
      ? 'zh'
      : 'en'
    return this.#language
  }

  #forgetLanguage(): void {
    this.#language = undefined
    this.#mergedTexts = undefined
  }

  #update(): void {
    const panel = this.#panel
    if (!panel) return
    const language = this.#getLanguage()
    this.#mergedTexts ??= { ...TEXTS[language], ...this.#texts }
    const texts = this.#mergedTexts
    const label = this.getAttribute('label') ?? texts.label
    if (this.#trigger) {
      this.#trigger.label.textContent = label
      this.#trigger.key.textContent = `${isApple() ? '⌘' : 'Ctrl '}${this.hotkey.toUpperCase()}`
      this.#trigger.key.hidden = this.hotkey === ''
    }
    this.#dialog?.setAttribute('aria-label', label)
    panel.update({
      skills: this.#search.skills,
      match: this.#search.match,
      message: this.#search.message,
      texts,
      label,
      placeholder: this.getAttribute('placeholder') ?? texts.placeholder,
      language,
    })
  }

  /** Returns false if a listener prevented the default. */
  #dispatch<Type extends keyof SkillSearchEventMap>(
    type: Type,
    detail: SkillSearchEventMap[Type]['detail'],
  ): boolean {
    return this.dispatchEvent(
      new CustomEvent(type, {
        detail,
        bubbles: true,
        composed: true,
        cancelable: type === 'skill-open',
      }),
    )
  }
}

/**
 * Registers `<skill-search>`. Does nothing on a server, or if the name is registered already.
 * @param name Name of the element, with a hyphen. Default: `skill-search`. Another name gets a class of its own.
 * @example
 * ```ts
 * import { defineSkillSearch } from 'skillshelf/element'
 *
 * defineSkillSearch()
 * document.body.append(document.createElement('skill-search'))
 * ```
 */
export function defineSkillSearch(name = 'skill-search'): void {
  const registry = globalThis.customElements
  if (!registry || registry.get(name)) return
  // A class has one name.
  registry.define(
    name,
    name === 'skill-search' ? SkillSearchElement : class extends SkillSearchElement {},
  )
}

function isApple(): boolean {
  return /mac|iphone|ipad/i.test(navigator.platform)
}

declare global {
  interface HTMLElementTagNameMap {
    'skill-search': SkillSearchElement
  }
}
