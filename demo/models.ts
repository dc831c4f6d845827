import type { Meaning } from './answers.js'
import { remember } from './choice.js'
import type { Library } from './desk.js'
import { byId } from './dom.js'
import { type ModelsView, modelsView } from './models-view.js'
import { createTransformer, TRANSFORMER, type TransformerState } from './transformer.js'

/** What the models need of the page. */
export interface ModelsOptions {
  /** Folder of this host that has the transformer's files; else they come from their hub. */
  files: string | undefined
  readonly library: Library
  readonly meaning: Meaning
  /** The message may be answered otherwise now: by the transformer of this name too, or by none. */
  again(inUse: string | undefined): void
}

/** What can find skills, and the one of them that is loaded on request. */
export interface Models {
  /** Loads what was chosen on an earlier visit. */
  resume(): void
  /** Goes along to another library. */
  follow(library: Library): void
  /** The bundled model has come, or not. */
  update(): void
  /** Writes everything once more, in another language. */
  draw(): void
}

export function createModels(options: ModelsOptions): Models {
  const origin = options.files === undefined ? 'huggingface.co' : location.host + options.files
  let view: ModelsView | undefined
  let last: TransformerState['kind'] = 'off'

  const transformer = createTransformer(options.files, state => {
    view?.show(state)
    if (state.kind === 'in-use') remember('model', TRANSFORMER)
    // What answers has changed.
    if (last !== state.kind && state.kind !== 'load' && state.kind !== 'embed')
      options.again(state.kind === 'in-use' ? TRANSFORMER : undefined)
    last = state.kind
  })
  const load = (): void => transformer.load(options.library)
  const stop = (): void => {
    remember('model', undefined)
    transformer.stop()
  }
  const update = (): void => view?.showMeaning(options.meaning)
  const draw = (): void => {
    view = modelsView({ origin, load, stop })
    byId('models-panel', HTMLElement).replaceChildren(view.element)
    update()
    view.show(transformer.state)
  }
  draw()
  return { resume: load, follow: transformer.follow, update, draw }
}
