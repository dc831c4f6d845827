import type { Library } from '../context.js'
import { byId, type Child, make, makeButton } from '../dom.js'
import { percent } from '../format.js'
import type { ModelState } from '../library/bundled-model.js'
import { remember } from '../preferences.js'
import { texts } from '../texts.js'
import { viewHash } from '../view-names.js'
import { ENCODER } from './encoder.js'
import { modelName } from './model-name.js'
import { createTransformer, type TransformerState } from './transformer.js'

export interface ModelsPanelOptions {
  readonly library: Library
  readonly bundledState: ModelState
  /** Called with the name of the transformer when it starts to rank, and with `undefined` when it stops. */
  onTransformer(inUse: string | undefined): void
}

/** The list of models: keywords, the bundled model, and a transformer that loads on request. */
export interface ModelsPanel {
  /** Loads the transformer. */
  load(): void
  /** Upgrades another library with the transformer, if it is loaded. */
  upgrade(library: Library): void
  /** The state of the bundled model has changed. */
  update(): void
  /** Redraws the list in the current language. */
  redraw(): void
}

export function createModelsPanel(options: ModelsPanelOptions): ModelsPanel {
  let list: ModelList | undefined
  let previous: TransformerState['kind'] = 'off'

  const transformer = createTransformer(state => {
    list?.showTransformer(state)
    if (state.kind === 'in-use') remember('model', ENCODER)
    if (previous !== state.kind && state.kind !== 'load' && state.kind !== 'embed') {
      options.onTransformer(state.kind === 'in-use' ? ENCODER : undefined)
    }
    previous = state.kind
  })
  const load = (): void => transformer.load(options.library)
  const unload = (): void => {
    remember('model', undefined)
    transformer.unload()
  }
  const update = (): void => list?.showBundled(options.bundledState)
  const redraw = (): void => {
    list = modelList({ load, unload })
    byId('models-panel', HTMLElement).replaceChildren(
      list.element,
      make(
        'p',
        { class: 'compare-link' },
        make('a', { href: viewHash('compare') }, texts.compare.link),
      ),
    )
    update()
    list.showTransformer(transformer.state)
  }
  redraw()
  return { load, upgrade: transformer.upgrade, update, redraw }
}

interface ModelList {
  readonly element: HTMLElement
  showBundled(state: ModelState): void
  showTransformer(state: TransformerState): void
}

interface ModelListOptions {
  load(): void
  unload(): void
}

type Kind = TransformerState['kind']
type Action = 'load' | 'retry' | 'cancel' | 'unload'

/** The button that each state shows. */
const ACTIONS: Readonly<Record<Kind, Action>> = {
  off: 'load',
  load: 'cancel',
  embed: 'cancel',
  'in-use': 'unload',
  failed: 'retry',
}
/** Progress is announced to screen readers in this many steps. */
const SPOKEN_STEPS = 4

function modelList({ load, unload }: ModelListOptions): ModelList {
  const labels = texts.models
  const summary = byId('transformer', HTMLElement)
  const bundled = make('span', { class: 'muted' })
  const name = modelName(ENCODER)
  name.id = 'transformer-name'
  const bar = make('progress', { max: '1', 'aria-labelledby': name.id })
  const stateText = make('p', { class: 'state-text' })
  const detail = make('p', { class: 'muted', lang: 'en' })
  const spoken = make('p', { class: 'visually-hidden', role: 'status' })
  const button = (text: string, onClick: () => void): HTMLButtonElement =>
    makeButton(text, onClick, { 'aria-describedby': name.id })
  const buttons: Readonly<Record<Action, HTMLButtonElement>> = {
    load: button(labels.load, load),
    retry: button(labels.retry, load),
    cancel: button(labels.cancel, unload),
    unload: button(labels.unload, unload),
  }
  const actions = make('div', { class: 'actions' }, ...Object.values(buttons))
  let shown: Kind | undefined

  return {
    element: make(
      'ul',
      { class: 'models-list', 'aria-label': labels.title },
      item(labels.keywords, labels.keywordsMeaning),
      item(labels.bundled, labels.bundledMeaning, bundled),
      item(
        name,
        labels.transformerMeaning,
        make(
          'div',
          { class: 'transformer' },
          make('div', { class: 'state' }, stateText, bar),
          actions,
        ),
        detail,
        spoken,
      ),
    ),
    showBundled(state) {
      bundled.textContent = labels.state[state]
    },
    showTransformer(state) {
      const { kind } = state
      stateText.textContent = describe(state)
      detail.textContent = kind === 'failed' ? state.detail : ''
      summary.textContent = summarize(state)
      const share = shareOf(state)
      bar.hidden = kind !== 'load' && kind !== 'embed'
      if (share === undefined) bar.removeAttribute('value')
      else bar.value = share
      const announcement = announce(state)
      if (spoken.textContent !== announcement) spoken.textContent = announcement
      if (shown === kind) return
      const focused = actions.contains(document.activeElement)
      for (const [action, element] of Object.entries(buttons)) {
        element.hidden = action !== ACTIONS[kind]
      }
      // The button that was pressed is hidden now.
      if (focused) buttons[ACTIONS[kind]].focus()
      shown = kind
    },
  }
}

function item(name: Node | string, meaning: string, ...state: readonly Child[]): HTMLElement {
  return make(
    'li',
    {},
    make('p', {}, make('strong', {}, name), ' ', make('span', {}, meaning)),
    ...state,
  )
}

function describe(state: TransformerState): string {
  const labels = texts.models
  switch (state.kind) {
    case 'off':
      return labels.downloadSize
    case 'load':
      if (state.total === 0) return labels.starting
      return state.done < state.total
        ? labels.downloaded(state.done, state.total)
        : labels.startingRuntime
    case 'embed':
      return labels.embedding(state.done, state.total)
    case 'in-use':
      return labels.inUse
    case 'failed':
      return labels.failed
  }
}

/** The state in a few words, shown while the list is closed. */
function summarize(state: TransformerState): string {
  if (state.kind === 'failed') return texts.models.summaryFailed(ENCODER)
  if (state.kind !== 'load' && state.kind !== 'embed') return ''
  return texts.models.summaryLoading(ENCODER, percent(shareOf(state) ?? 0))
}

/** The state for screen readers. */
function announce(state: TransformerState): string {
  const labels = texts.models
  switch (state.kind) {
    case 'off':
      return ''
    case 'load':
      return labels.spokenLoading(
        ENCODER,
        percent(Math.floor((shareOf(state) ?? 0) * SPOKEN_STEPS) / SPOKEN_STEPS),
      )
    case 'embed':
      return labels.spokenEmbedding(ENCODER)
    case 'in-use':
      return labels.spokenInUse(ENCODER)
    case 'failed':
      return labels.summaryFailed(ENCODER)
  }
}

function shareOf(state: TransformerState): number | undefined {
  return 'total' in state && state.total > 0 && state.done < state.total
    ? state.done / state.total
    : undefined
}
