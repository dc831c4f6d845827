import type { SkillLibrary } from 'skillshelf'
import { messageOf } from '../../src/tools/testing/own-messages.js'
import { isLocal, type PageContext } from '../context.js'
import { make } from '../dom.js'
import { nameOf } from '../names.js'
import { texts } from '../texts.js'
import {
  type CheckedSkill,
  countFates,
  countSkills,
  fatesOf,
  type SkillState,
  stateOf,
} from './firing.js'
import { firingCopies } from './firing-copies.js'
import { createWorkbench, descriptionEditor, type Workbench } from './firing-editor.js'
import { messageList, wordsMissing } from './firing-messages.js'

/** The worst first. */
const ORDER: readonly SkillState[] = ['never', 'unsure', 'fires']

interface FiringList {
  context: PageContext
  workbench: Workbench
  /** By the position in the library. */
  checked: CheckedSkill[]
  /** Redraws the figure and the copies. */
  update(): void
  signal: AbortSignal
}

/** Which skills fire for their messages. Each opens, with its messages and an editor of its description. */
export function firingSection(
  context: PageContext,
  checked: readonly CheckedSkill[],
  signal: AbortSignal,
): HTMLElement {
  const labels = texts.firing
  const figure = make('p', { class: 'figure', role: 'status' })
  const copies = make('div', { class: 'firing-copies' })
  const list: FiringList = {
    context,
    workbench: createWorkbench(context, signal),
    checked: [...checked],
    update() {
      const { fires, unsure, never, messages } = countSkills(list.checked)
      figure.replaceChildren(
        make('strong', {}, labels.figure(fires, list.checked.length)),
        ' ',
        make('span', {}, labels.counts(unsure, never, messages)),
      )
      copies.replaceChildren(...firingCopies(list.checked, !isLocal(context.location)))
    },
    signal,
  }
  list.update()
  const order = [...checked.keys()].sort(
    (a, b) => rankOf(checked[a] as CheckedSkill) - rankOf(checked[b] as CheckedSkill),
  )
  return make(
    'section',
    { class: 'firing', 'aria-label': labels.results },
    figure,
    make('div', { class: 'firing-skills' }, ...order.map(at => skillDetails(list, at))),
    copies,
  )
}

/** Those that never fire first, then by their share of messages that fire. */
function rankOf(one: CheckedSkill): number {
  const share = countFates(one.fates, 'fires') / Math.max(one.fates.length, 1)
  return ORDER.indexOf(stateOf(one)) + share
}

function skillDetails(list: FiringList, at: number): HTMLElement {
  const labels = texts.firing
  const state = make('span', { class: 'firing-state' })
  const count = make('span', { class: 'muted' })
  const messages = make('div')
  const current = (): CheckedSkill => list.checked[at] as CheckedSkill
  const { skill } = current()
  const show = (fates: CheckedSkill['fates']): void => {
    const as = stateOf({ fates })
    state.textContent = labels.states[as]
    state.dataset['state'] = as
    count.textContent = labels.messages(countFates(fates, 'fires'), fates.length)
  }
  const showMessages = (
    fates: CheckedSkill['fates'],
    library: SkillLibrary = list.context.library,
  ): void => {
    const focused = messages.contains(document.activeElement)
    messages.replaceChildren(
      messageList(list.context, fates, message =>
        wordsMissing(library, skill.id, message, list.signal),
      ),
    )
    if (focused) messages.querySelector('button')?.focus()
  }
  const add = async (message: string): Promise<void> => {
    const { messages: before } = current()
    if (before.some(one => one.message === message)) return
    const next = [...before, messageOf(skill, message, 'typed')]
    await list.context.prepareModel([message])
    const fates = await fatesOf(list.context.library, skill.id, next, list.signal)
    list.checked[at] = { skill, messages: next, fates }
    show(fates)
    showMessages(fates)
    list.update()
  }
  const details = make(
    'details',
    {},
    make('summary', {}, make('strong', {}, nameOf(skill)), ' ', state, ' ', count),
  )
  details.addEventListener('toggle', () => {
    if (!details.open || messages.childElementCount > 0) return
    showMessages(current().fates)
    const editor = descriptionEditor({
      context: list.context,
      workbench: list.workbench,
      current,
      all: () => list.checked,
      onTried(fates, library) {
        show(fates)
        showMessages(fates, library)
      },
      signal: list.signal,
    })
    details.append(
      make(
        'div',
        { class: 'firing-skill' },
        make(
          'div',
          {},
          messages,
          addForm(skill.id, message => void add(message).catch(() => {})),
        ),
        editor,
      ),
    )
  })
  show(current().fates)
  return details
}

function addForm(id: string, onAdd: (message: string) => void): HTMLElement {
  const labels = texts.firing
  const box = make('input', { id: `add-${id}`, type: 'text', autocomplete: 'off', dir: 'auto' })
  const form = make(
    'form',
    { class: 'add-message' },
    make('label', { for: `add-${id}` }, labels.add),
    make(
      'div',
      { class: 'row' },
      box,
      make('button', { type: 'submit', class: 'button' }, labels.addButton),
    ),
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    const message = box.value.trim()
    if (message !== '') onAdd(message)
    box.value = ''
  })
  return form
}
