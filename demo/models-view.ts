import { type Meaning, modelName } from './answers.js'
import { byId, type Child, make } from './dom.js'
import { percent } from './format.js'
import { texts } from './texts.js'
import { TRANSFORMER, type TransformerState } from './transformer.js'

export interface ModelsView {
  readonly element: HTMLElement
  show(state: TransformerState): void
  showMeaning(meaning: Meaning): void
}

export interface ModelsActions {
  /** Where the transformer comes from. */
  origin: string
  load(): void
  stop(): void
}

type Kind = TransformerState['kind']
type Action = 'load' | 'again' | 'cancel' | 'stop'

/** The button of each state. */
const ACTIONS: Readonly<Record<Kind, Action>> = {
  off: 'load',
  load: 'cancel',
  embed: 'cancel',
  'in-use': 'stop',
  failed: 'again',
}
/** Parts of a whole that are read out. */
const STEPS = 4

/** What can find skills, each with how it stands. */
export function modelsView({ origin, load, stop }: ModelsActions): ModelsView {
  const say = texts.models
  const brief = byId('transformer', HTMLElement)
  const bundled = make('span', { class: 'quiet' })
  const name = modelName(TRANSFORMER)
  name.id = 'transformer-name'
  const bar = make('progress', { max: '1', 'aria-labelledby': name.id })
  const fact = make('p', { class: 'fact' })
  const detail = make('p', { class: 'quiet', lang: 'en' })
  const status = make('p', { class: 'unseen', role: 'status' })
  const button = (text: string, act: () => void): HTMLButtonElement => {
    const made = make('button', { type: 'button', class: 'button', 'aria-describedby': name.id }, text)
    made.addEventListener('click', act)
    return made
  }
  const buttons: Readonly<Record<Action, HTMLButtonElement>> = {
    load: button(say.load, load),
    again: button(say.again, load),
    cancel: button(say.cancel, stop),
    stop: button(say.stop, stop),
  }
  const actions = make('div', { class: 'actions' }, ...Object.values(buttons))
  let shown: Kind | undefined

  return {
    element: make(
      'ul',
      { class: 'models-list', 'aria-label': say.title },
      model(say.words, say.wordsMeans),
      model(say.bundled, say.bundledMeans, bundled),
      model(
        name,
        say.transformerMeans,
        make('div', { class: 'transformer' }, make('div', { class: 'state' }, fact, bar), actions),
        detail,
        status,
      ),
    ),
    show(state) {
      const { kind } = state
      fact.textContent = factOf(state, origin)
      detail.textContent = kind === 'failed' ? state.detail : ''
      brief.textContent = briefOf(state)
      const share = shareOf(state)
      bar.hidden = kind !== 'load' && kind !== 'embed'
      if (share === undefined) bar.removeAttribute('value')
      else bar.value = share
      const spoken = spokenOf(state)
      if (status.textContent !== spoken) status.textContent = spoken
      if (shown === kind) return
      const focused = actions.contains(document.activeElement)
      for (const [name, one] of Object.entries(buttons)) one.hidden = name !== ACTIONS[kind]
      // Whoever pressed one goes on with the one in its place.
      if (focused) buttons[ACTIONS[kind]].focus()
      shown = kind
    },
    showMeaning(meaning) {
      bundled.textContent = say.meaning[meaning]
    },
  }
}

function model(name: Node | string, meaning: string, ...state: readonly Child[]): HTMLElement {
  return make('li', {}, make('p', {}, make('strong', {}, name), ' ', make('span', {}, meaning)), ...state)
}

function factOf(state: TransformerState, origin: string): string {
  const say = texts.models
  switch (state.kind) {
    case 'off':
      return say.costs
    case 'load':
      if (state.total === 0) return say.starting
      return state.done < state.total ? say.loaded(state.done, state.total) : say.waking
    case 'embed':
      return say.read(state.done, state.total)
    case 'in-use':
      return say.inUse(origin)
    case 'failed':
      return say.failed
  }
}

/** For who has the list closed. */
function briefOf(state: TransformerState): string {
  if (state.kind === 'failed') return texts.models.briefFailed(TRANSFORMER)
  if (state.kind !== 'load' && state.kind !== 'embed') return ''
  return texts.models.briefLoading(TRANSFORMER, percent(shareOf(state) ?? 0))
}

/** Read out in a few steps: every percent would be a flood. */
function spokenOf(state: TransformerState): string {
  const say = texts.models
  switch (state.kind) {
    case 'off':
      return ''
    case 'load':
      return say.spokenLoading(TRANSFORMER, percent(Math.floor((shareOf(state) ?? 0) * STEPS) / STEPS))
    case 'embed':
      return say.spokenReading(TRANSFORMER)
    case 'in-use':
      return say.spokenInUse(TRANSFORMER)
    case 'failed':
      return say.briefFailed(TRANSFORMER)
  }
}

function shareOf(state: TransformerState): number | undefined {
  return 'total' in state && state.total > 0 && state.done < state.total ? state.done / state.total : undefined
}
