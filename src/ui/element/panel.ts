import type { Loaded } from '../state/loaded.js'
import type { Answer } from '../state/search.js'
import type { SkillsState } from '../state/skills.js'
import { icon, make, makeButton } from './dom.js'
import type { RenderSkill, SkillSearchTexts } from './events.js'
import { type Choice, createList, isLikely } from './list.js'
import { createSkillView, type SkillViewActions } from './skill-view.js'

/** Skills that are listed without a message. */
const MAX_LISTED = 100

export interface PanelActions extends Omit<SkillViewActions, 'back'> {
  input(message: string): void
  /** Returns false if the page handles the choice itself. */
  choose(choice: Choice): boolean
  /** Closes the dialog: the page handles the choice, or the user presses the button. */
  close(): void
  retry(): void
}

/** Everything that a panel shows. */
export interface PanelState {
  skills: SkillsState
  match: Loaded<Answer>
  message: string
  texts: SkillSearchTexts
  label: string
  placeholder: string
  language: string
}

/** The box, the list and the opened skill: the content of the element or of its dialog. */
export interface Panel {
  readonly element: HTMLElement
  readonly input: HTMLInputElement
  /** Shows another state. */
  update(next: PanelState): void
  /** Returns from an opened skill to the list. */
  back(): void
  /** Aborts the loading of a skill. */
  close(): void
}

export interface PanelOptions extends PanelActions {
  /** Lists all skills without a message, and has a button that closes the dialog. */
  inDialog: boolean
  /** The page's own way to show a skill, if it has one. Asked for each skill. */
  render(): RenderSkill | undefined
}

export function createPanel(
  host: HTMLElement,
  { inDialog, render, ...actions }: PanelOptions,
): Panel {
  let state: PanelState | undefined
  let shown: { choices: unknown; texts: SkillSearchTexts; answered: string } | undefined
  /** All skills are listed, although there is no message. */
  let browsing = inDialog

  const input = make('input', {
    part: 'input',
    type: 'text',
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': 'list',
    'aria-expanded': 'false',
    autocomplete: 'off',
    autocapitalize: 'off',
    enterkeyhint: 'search',
    spellcheck: 'false',
    dir: 'auto',
  })
  const clear = makeButton(
    'clear',
    () => {
      actions.input('')
      input.focus()
    },
    icon('clear'),
  )
  const close = makeButton('close', actions.close)
  const status = make('p', { part: 'status', role: 'status', dir: 'auto' })
  const errorText = make('span')
  const retry = makeButton('retry', actions.retry)
  const error = make('div', { part: 'error', role: 'alert', hidden: '' }, errorText, retry)
  const hints = make('div', { part: 'hints', 'aria-hidden': 'true' })
  const list = createList(input, choice => choose(choice))
  const skill = createSkillView(host, { ...actions, back: () => back() })
  const element = make(
    'div',
    { part: 'panel' },
    make('div', { part: 'search' }, icon('search'), input, clear, inDialog && close),
    error,
    status,
    list.element,
    skill.element,
    inDialog && hints,
  )

  const choose = (choice: Choice): void => {
    const library = state?.skills.data?.library
    if (!library) return
    if (actions.choose(choice)) {
      skill.open(choice.skill, library, render())
      update()
    } else actions.close()
  }
  const back = (): void => {
    if (!skill.isOpen) return
    skill.close()
    update()
    input.focus()
  }
  const leave = (): boolean => {
    if (skill.isOpen) back()
    else if (inDialog) return false
    else if (input.value !== '') actions.input('')
    else if (browsing) {
      browsing = false
      update()
    } else return false
    return true
  }
  const press = (key: string): boolean => {
    if (key === 'Escape') return leave()
    if (skill.isOpen) return false
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      if (list.choices.length === 0) {
        browsing = true
        update()
      }
      list.move(key === 'ArrowDown' ? 1 : -1)
      return true
    }
    if (key !== 'Enter' || !list.active) return false
    choose(list.active)
    return true
  }
  element.addEventListener('keydown', event => {
    const { key, target } = event
    // Keys that an input method uses to compose text, and keys of buttons.
    if (event.isComposing || event.keyCode === 229) return
    if (target !== input && key !== 'Escape') return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (press(key)) event.preventDefault()
  })
  input.addEventListener('input', () => {
    skill.close()
    browsing = inDialog
    actions.input(input.value)
  })

  const update = (): void => {
    if (!state) return
    const { skills, match, message, texts, label, placeholder, language } = state
    const asked = message.trim() !== ''
    element.lang = language
    input.placeholder = placeholder
    if (input.value !== message) input.value = message
    for (const named of [input, list.element]) named.setAttribute('aria-label', label)
    clear.hidden = message === ''
    clear.setAttribute('aria-label', texts.clear)
    close.textContent = texts.close
    skill.showTexts(texts)
    if (shown?.texts !== texts) showHints(hints, texts)

    const answered = (asked && match.data?.message) || ''
    const source = shownSkills(state, asked, browsing)
    if (shown?.choices !== source || shown.texts !== texts) {
      list.show(choicesOf(state, source), {
        texts,
        reset: shown?.answered !== answered,
        activateFirst: asked,
      })
    }
    shown = { choices: source, texts, answered }
    list.element.hidden = skill.isOpen || list.choices.length === 0
    input.setAttribute('aria-expanded', String(!list.element.hidden))

    const failure = skills.error ?? match.error
    error.hidden = !failure || skill.isOpen
    errorText.textContent = failure
      ? `${skills.error ? `${texts.failed} ` : ''}${failure.message}`
      : ''
    retry.textContent = texts.retry
    const text = failure || skill.isOpen ? '' : statusText(state, asked, browsing)
    if (status.textContent !== text) status.textContent = text
  }

  return {
    element,
    input,
    update(next) {
      state = next
      update()
    },
    back,
    close: () => skill.close(),
  }
}

const NONE: readonly never[] = []

/** The list that the choices are made of. The same object as before: nothing to show anew. */
function shownSkills(
  { skills, match }: PanelState,
  asked: boolean,
  browsing: boolean,
): readonly unknown[] {
  return (asked ? match.data?.result.matches : browsing && skills.data?.skills) || NONE
}

function choicesOf(state: PanelState, source: readonly unknown[]): Choice[] {
  if (source === state.match.data?.result.matches) return matched(state)
  return source === state.skills.data?.skills ? listed(state) : []
}

function matched({ match, skills }: PanelState): Choice[] {
  const byId = new Map(skills.data?.skills.map(skill => [skill.id, skill]))
  const found = match.data?.result.matches ?? []
  return found.flatMap(one => {
    const skill = byId.get(one.id)
    // A refresh may have removed it.
    return skill ? [{ skill: { ...skill, description: one.description }, match: one }] : []
  })
}

function listed({ skills }: PanelState): Choice[] {
  return skills.data?.skills.slice(0, MAX_LISTED).map(skill => ({ skill })) ?? []
}

function statusText(
  { skills, match, texts }: PanelState,
  asked: boolean,
  browsing: boolean,
): string {
  if (skills.status === 'pending') return texts.loading
  if (!skills.data) return ''
  const { length } = skills.data.skills
  if (length === 0) return texts.empty
  if (!asked) return browsing ? texts.count(length) : ''
  if (!match.data) return ''
  const { matches } = match.data.result
  if (matches.length === 0) return texts.noMatch
  const likely = matches.filter(isLikely).length
  return likely > 0 ? texts.found(likely) : texts.nearest
}

function showHints(element: HTMLElement, { hints }: SkillSearchTexts): void {
  const hint = (keys: string, text: string): HTMLElement =>
    make('span', { class: 'hint' }, make('kbd', {}, keys), text)
  element.replaceChildren(hint('↑↓', hints.select), hint('↵', hints.open), hint('Esc', hints.close))
}
