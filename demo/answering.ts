import { besideOf, saidOf } from './answers.js'
import { remembered } from './choice.js'
import type { Library } from './desk.js'
import { byId } from './dom.js'
import type { Finder } from './finder.js'
import type { Models } from './models.js'
import { modelsOf } from './route.js'
import type { Shelf } from './shelf.js'

/** Says what finds skills, and lets a person choose. */
export interface Answering {
  /** @param model What ranked, as it calls itself; `undefined`: nothing was asked. */
  show(model: string | undefined): void
  /** The bundled model has come, or not, or is on its way. */
  update(): void
  /** Takes the model that was chosen along to a library. */
  follow(library: Library): Promise<void>
  /** Shows the list of models. */
  open(): Promise<void>
  /** Writes everything once more, in another language. */
  draw(): Promise<void>
}

interface AnsweringOptions {
  shelf: Shelf
  finder: Finder
  load(): Promise<typeof import('./models.js')>
}

export function createAnswering({ shelf, finder, load }: AnsweringOptions): Answering {
  let models: Promise<Models> | undefined
  /** The transformer that is in use. */
  let transformer: string | undefined

  /** Most who come never ask for another model. */
  const part = (): Promise<Models> => {
    models ??= load().then(({ createModels }) =>
      createModels({
        files: modelsOf(location.search),
        get library() {
          if (!shelf.library) throw new Error('No library is open')
          return shelf.library
        },
        get meaning() {
          return shelf.meaning
        },
        again(inUse) {
          transformer = inUse
          void finder.show()
        },
      }),
    )
    return models
  }

  const show = (model: string | undefined): void => {
    const bundled = shelf.meaning === 'in-use' ? 'bundled' : 'nothing'
    const standing = transformer === undefined ? bundled : { name: transformer }
    byId('answers', HTMLElement).replaceChildren(...saidOf(model === undefined ? standing : besideOf(model)))
    byId('models', HTMLElement).hidden = false
  }

  return {
    show,
    update() {
      byId('models', HTMLElement).ariaBusy = String(shelf.meaning === 'loading')
      if (finder.message().trim() === '') show(undefined)
      void models?.then(({ update }) => update())
    },
    async follow(library) {
      if (models) (await models).follow(library)
      else if (remembered('model') !== undefined) (await part()).resume()
    },
    open: async () => void (await part()),
    draw: async () => (await models)?.draw(),
  }
}
