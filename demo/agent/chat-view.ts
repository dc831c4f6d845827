import { isSkillshelfError } from 'skillshelf'
import { defineSkillActivity, type SkillActivityElement } from 'skillshelf/element'
import type { PageContext } from '../context.js'
import type { DetailsContent } from '../details-panel.js'
import { make, makeButton, messageOf } from '../dom.js'
import { language, texts } from '../texts.js'
import { hasBuiltInModel, type ModelKind, type OpenAgent, openAgent } from './agents.js'
import { loadAddress, storeAddress } from './settings.js'
import { createTurnView } from './turn-view.js'

/** A conversation. It stays while other views are open. */
interface Chat {
  kind: ModelKind
  agent: OpenAgent | undefined
  /** Set while the model answers. */
  running: AbortController | undefined
  readonly log: HTMLElement
  readonly panel: SkillActivityElement
  /** Updates the controls of the view that is open. */
  update(): void
}

const chats = new Map<string, Chat>()

/** A chat with a model that opens skills of the open library, or a recorded one. */
export function chatView(context: PageContext): DetailsContent {
  defineSkillActivity()
  const labels = texts.agent
  const { location } = context
  const canPlay = location.kind === 'samples'
  const key = `${language} ${location.kind} ${locationName(context)}`
  const chat: Chat = chats.get(key) ?? {
    kind: canPlay ? 'recorded' : 'address',
    agent: undefined,
    running: undefined,
    log: make('ol', { class: 'chat-log', 'aria-label': labels.log, 'aria-live': 'polite' }),
    panel: document.createElement('skill-activity'),
    update: () => {},
  }
  chats.set(key, chat)

  const { panel } = chat
  const kinds: readonly ModelKind[] = [
    ...(canPlay ? (['recorded'] as const) : []),
    ...(hasBuiltInModel() ? (['built-in'] as const) : []),
    'address',
  ]
  const select = make(
    'select',
    { id: 'chat-model' },
    ...kinds.map(kind =>
      make('option', { value: kind, selected: kind === chat.kind ? '' : undefined }, labels.models[kind]),
    ),
  )
  const address = addressForm()
  const note = make('p', { class: 'muted' })
  const input = make('textarea', { id: 'chat-message', rows: '2', placeholder: labels.placeholder })
  const send = make('button', { type: 'submit', class: 'button primary' })
  const stop = makeButton(labels.stop, () => chat.running?.abort())
  const restart = makeButton(labels.restart, () => {
    chat.running?.abort()
    chat.agent = undefined
    chat.log.replaceChildren()
    update()
    send.focus()
  })
  const form = make(
    'form',
    { class: 'chat-form' },
    make('label', { for: 'chat-message' }, labels.message),
    input,
    make('div', { class: 'buttons' }, send, stop, restart),
  )

  const update = (): void => {
    const isRecorded = chat.kind === 'recorded'
    const next = isRecorded ? (chat.agent?.recorded ? chat.agent.recorded.next() : '') : undefined
    note.textContent = labels.notes[chat.kind]
    address.element.hidden = chat.kind !== 'address'
    input.hidden = isRecorded
    form.querySelector('label')?.toggleAttribute('hidden', isRecorded)
    send.textContent = isRecorded ? labels.play : labels.send
    send.hidden = chat.running !== undefined || (isRecorded && next === undefined)
    stop.hidden = chat.running === undefined
    restart.hidden = chat.log.childElementCount === 0
    select.disabled = chat.running !== undefined
    panel.hidden = chat.agent === undefined
    if (chat.agent) panel.session = chat.agent.session
    panel.update()
  }
  /** The agent of the open library: the library is replaced once the model of the page is ready. */
  const currentAgent = async (): Promise<OpenAgent> => {
    await context.prepareModel([])
    const { library } = context
    if (chat.agent?.session.library !== library) chat.agent = await openAgent(chat.kind, library, address.value())
    return chat.agent
  }
  /** Keeps the end of the conversation in sight, unless the user has scrolled up. */
  const follow = (): void => {
    const { scrollHeight } = document.documentElement
    if (scrollHeight - scrollY - innerHeight < innerHeight / 2) scrollTo({ top: scrollHeight })
  }
  const ask = async (again?: string): Promise<void> => {
    const running = new AbortController()
    chat.running = running
    update()
    let turn: ReturnType<typeof createTurnView> | undefined
    let sent = again ?? input.value.trim()
    try {
      const agent = await currentAgent()
      running.signal.throwIfAborted()
      panel.session = agent.session
      const message = agent.recorded ? agent.recorded.next() : (again ?? input.value.trim())
      if (message === undefined || message === '') return
      turn = createTurnView(message, context.library)
      const { element, showText, showAnswer } = turn
      chat.log.append(element)
      sent = message
      if (again === undefined) input.value = ''
      follow()
      const onText = (text: string): void => {
        showText(text)
        follow()
      }
      await showAnswer(await agent.ask(message, running.signal, onText))
      follow()
    } catch (error) {
      const failed = turn ?? createTurnView(sent, context.library)
      if (!failed.element.isConnected) chat.log.append(failed.element)
      const retry = (): void => {
        if (chat.running) return
        failed.element.remove()
        void ask(sent)
      }
      failed.showProblem(problemOf(error, running.signal), sent === '' || chat.kind === 'recorded' ? undefined : retry)
      follow()
    } finally {
      if (chat.running === running) chat.running = undefined
      // Another view of this chat may be open by now.
      chat.update()
    }
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    if (!chat.running) void ask().then(() => (send.hidden ? restart : send).focus({ preventScroll: true }))
  })
  input.addEventListener('keydown', event => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  select.addEventListener('change', () => {
    chat.kind = select.value as ModelKind
    chat.agent = undefined
    chat.log.replaceChildren()
    update()
  })
  address.element.addEventListener('change', () => {
    storeAddress(address.value())
    // The next message goes to the new address, in a new conversation.
    chat.agent = undefined
  })
  chat.update = update
  input.value = chat.kind === 'recorded' ? '' : context.message()
  update()
  return {
    title: labels.title,
    content: [
      make('h2', { tabindex: '-1' }, labels.title),
      make('p', { class: 'lead' }, labels.lead),
      make('div', { class: 'chat-model' }, make('label', { for: 'chat-model' }, labels.model), select),
      address.element,
      note,
      chat.log,
      form,
      panel,
    ],
  }
}

function addressForm(): { element: HTMLElement; value(): ReturnType<typeof loadAddress> } {
  const labels = texts.agent
  const stored = loadAddress()
  const url = make('input', { id: 'chat-url', type: 'url', value: stored.url })
  const model = make('input', { id: 'chat-name', type: 'text', value: stored.model, autocomplete: 'off' })
  const key = make('input', { id: 'chat-key', type: 'password', value: stored.key, autocomplete: 'off' })
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
  return location.kind === 'folder' ? location.folder.name : ''
}

function problemOf(error: unknown, signal: AbortSignal): string {
  const { problems } = texts.agent
  if (signal.aborted) return problems.stopped
  if (!isSkillshelfError(error)) return problems.failed(messageOf(error))
  const { status } = error.details
  if (error.code === 'unsupported') return problems.unsupported
  if (error.code !== 'model-failed') return problems.failed(error.message)
  if (status === undefined) return error.cause === undefined ? problems.failed(error.message) : problems.noAnswer
  if (status === 401 || status === 403) return problems.key
  if (status === 404) return problems.notFound
  if (status === 429) return problems.limit
  return problems.failed(`${status} ${error.message}`)
}
