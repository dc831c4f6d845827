import { isSkillshelfError } from 'skillshelf'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-content.js'
import { make, makeButton, messageOf } from '../dom.js'
import { partName } from '../library/several.js'
import { language, texts } from '../texts.js'
import { defineSkillActivity, type SkillActivityElement } from './activity/skill-activity.js'
import type { Agent, Turn } from './agent.js'
import { hasBuiltInModel, type ModelKind, openAgent } from './agents.js'
import { type CostsView, createCostsView } from './costs-view.js'
import { loadAddress, storeAddress } from './settings.js'
import { createTurnView } from './turn-view.js'

/** A conversation. It stays while other views are open. */
interface Chat {
  kind: ModelKind
  agent: Agent | undefined
  /** Set while the model answers. */
  running: AbortController | undefined
  /** The messages that are shown, with the answers that they got. */
  shown: { element: HTMLElement; turn?: Turn }[]
  readonly log: HTMLElement
  readonly panel: SkillActivityElement
  readonly costs: CostsView
  /** Updates the controls of the view that is open. */
  update(): void
}

const chats = new Map<string, Chat>()

/** A chat with a model that opens skills of the open library, or with a tour that needs no model. */
export function chatView(context: PageContext): DetailsContent {
  defineSkillActivity()
  const labels = texts.agent
  const { location } = context
  const key = `${language} ${location.kind} ${locationName(context)}`
  const chat: Chat = chats.get(key) ?? {
    kind: 'tour',
    agent: undefined,
    running: undefined,
    shown: [],
    log: make('ol', { class: 'chat-log', 'aria-label': labels.log, 'aria-live': 'polite' }),
    panel: document.createElement('skill-activity'),
    costs: createCostsView(),
    update: () => {},
  }
  chats.set(key, chat)

  const { panel, costs } = chat
  const kinds: readonly ModelKind[] = [
    'tour',
    ...(hasBuiltInModel() ? (['built-in'] as const) : []),
    'address',
  ]
  const select = make(
    'select',
    { id: 'chat-model' },
    ...kinds.map(kind =>
      make(
        'option',
        { value: kind, selected: kind === chat.kind ? '' : undefined },
        labels.models[kind],
      ),
    ),
  )
  const address = addressForm()
  const note = make('p', { class: 'muted' })
  const input = make('textarea', { id: 'chat-message', rows: '2', placeholder: labels.placeholder })
  const send = make('button', { type: 'submit', class: 'button primary' }, labels.send)
  const stop = makeButton(labels.stop, () => chat.running?.abort())
  const restart = makeButton(labels.restart, () => {
    startAgain()
    input.focus()
  })
  const suggestions = make(
    'ul',
    { class: 'chips', 'aria-label': texts.examples },
    ...labels.tour.messages.map(message =>
      make(
        'li',
        {},
        makeButton(message, () => void ask(message), { class: 'chip' }),
      ),
    ),
  )
  const form = make(
    'form',
    { class: 'chat-form' },
    suggestions,
    make('label', { for: 'chat-message' }, labels.message),
    input,
    make('div', { class: 'buttons' }, send, stop, restart),
  )

  const update = (): void => {
    note.textContent = labels.notes[chat.kind]
    address.element.hidden = chat.kind !== 'address'
    suggestions.hidden = chat.shown.length > 0 || location.kind !== 'samples'
    send.hidden = chat.running !== undefined
    stop.hidden = chat.running === undefined
    restart.hidden = chat.shown.length === 0
    select.disabled = chat.running !== undefined
    panel.hidden = chat.shown.length === 0
    if (chat.agent) panel.session = chat.agent.session
    panel.update()
    costs.show(chat.shown.flatMap(({ turn }) => turn ?? []))
  }
  const startAgain = (): void => {
    chat.running?.abort()
    chat.agent = undefined
    chat.shown = []
    chat.log.replaceChildren()
    update()
  }
  /** Removes a message, and those after it. */
  const goBackTo = (element: HTMLElement): void => {
    const index = chat.shown.findIndex(one => one.element === element)
    if (index < 0 || chat.running) return
    for (const later of chat.shown.splice(index)) later.element.remove()
    chat.agent?.rewind?.(chat.shown.filter(({ turn }) => turn).length)
    chat.update()
  }
  /** The agent of the open library: the library is replaced once the model of the page is ready. */
  const currentAgent = async (): Promise<Agent> => {
    await context.prepareModel([])
    const { library } = context
    if (chat.agent?.session.library !== library) {
      chat.agent = await openAgent(chat.kind, library, address.value())
    }
    return chat.agent
  }
  /** Keeps the end of the conversation in sight, unless the user has scrolled up. */
  const follow = (): void => {
    const below = chat.log.getBoundingClientRect().bottom + form.offsetHeight - innerHeight
    if (below > 0 && below < innerHeight / 2) scrollBy({ top: below })
  }
  const ask = async (message: string): Promise<void> => {
    if (message === '' || chat.running) return
    const running = new AbortController()
    chat.running = running
    let element: HTMLElement | undefined
    const actions = {
      edit() {
        if (!element || chat.running) return
        goBackTo(element)
        input.value = message
        input.focus()
      },
      again() {
        if (!element || chat.running) return
        goBackTo(element)
        void ask(message)
      },
    }
    const view = createTurnView(
      message,
      context.library,
      chat.kind === 'built-in' ? undefined : actions,
    )
    element = view.element
    const one: Chat['shown'][number] = { element }
    chat.shown.push(one)
    chat.log.append(element)
    update()
    element.scrollIntoView({ block: 'nearest' })
    follow()
    try {
      const agent = await currentAgent()
      running.signal.throwIfAborted()
      panel.session = agent.session
      const turn = await agent.ask(message, running.signal, text => {
        view.showText(text)
        follow()
      })
      one.turn = turn
      await view.showAnswer(turn)
    } catch (error) {
      view.showProblem(problemOf(error, running.signal))
    } finally {
      if (chat.running === running) chat.running = undefined
      // Another view of this chat may be open by now.
      chat.update()
      follow()
    }
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    const message = input.value.trim()
    if (chat.running) return
    input.value = ''
    void ask(message)
    input.focus({ preventScroll: true })
  })
  input.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  select.addEventListener('change', () => {
    chat.kind = select.value as ModelKind
    startAgain()
  })
  address.element.addEventListener('change', () => {
    storeAddress(address.value())
    // The next message goes to the new address, in a new conversation.
    chat.agent = undefined
  })
  chat.update = update
  input.value = context.message()
  update()
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make(
        'div',
        { class: 'chat' },
        make(
          'div',
          { class: 'conversation' },
          make('p', { class: 'lead' }, labels.lead),
          chat.log,
          form,
        ),
        make(
          'aside',
          { class: 'beside', 'aria-label': labels.beside },
          make(
            'div',
            { class: 'chat-model' },
            make('label', { for: 'chat-model' }, labels.model),
            select,
          ),
          note,
          address.element,
          costs.element,
          panel,
        ),
      ),
    ],
  }
}

function addressForm(): { element: HTMLElement; value(): ReturnType<typeof loadAddress> } {
  const labels = texts.agent
  const stored = loadAddress()
  const url = make('input', { id: 'chat-url', type: 'url', value: stored.url })
  const model = make('input', {
    id: 'chat-name',
    type: 'text',
    value: stored.model,
    autocomplete: 'off',
  })
  const key = make('input', {
    id: 'chat-key',
    type: 'password',
    value: stored.key,
    autocomplete: 'off',
  })
  return {
    element: make(
      'fieldset',
      { class: 'chat-address' },
      make('legend', {}, labels.address),
      make('label', { for: 'chat-url' }, labels.url),
      url,
      make('label', { for: 'chat-name' }, labels.modelName),
      model,
      make('label', { for: 'chat-key' }, labels.key),
      key,
    ),
    value: () => ({ url: url.value.trim(), model: model.value.trim(), key: key.value.trim() }),
  }
}

function locationName({ location }: PageContext): string {
  if (location.kind === 'address') return location.address
  if (location.kind === 'github') return location.repository
  if (location.kind === 'several') return location.parts.map(partName).join(' ')
  return location.kind === 'folder' ? location.folder.name : ''
}

function problemOf(error: unknown, signal: AbortSignal): string {
  const { problems } = texts.agent
  if (signal.aborted) return problems.stopped
  if (!isSkillshelfError(error)) return problems.failed(messageOf(error))
  const { status } = error.details
  if (error.code === 'unsupported') return problems.unsupported
  if (error.code !== 'model-failed') return problems.failed(error.message)
  if (status === undefined) {
    return error.cause === undefined ? problems.failed(error.message) : problems.noAnswer
  }
  if (status === 401 || status === 403) return problems.key
  if (status === 404) return problems.notFound
  if (status === 429) return problems.limit
  return problems.failed(`${status} ${error.message}`)
}
