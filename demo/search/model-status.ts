import type { Library } from '../context.js'
import { byId } from '../dom.js'
import type { CurrentLibrary } from '../library/current-library.js'
import { remembered } from '../preferences.js'
import { texts } from '../texts.js'
import { ENCODER } from './encoder.js'
import { modelName } from './model-name.js'
import type { ModelsPanel } from './models-panel.js'
import type { SearchBox } from './search-box.js'

/** The line above the results that names the model that ranked them. It opens the list of models. */
export interface ModelStatus {
  /** @param model The `model` of a search result; `undefined` if the search box is empty. */
  show(model: string | undefined): void
  /** The state of the bundled model has changed. */
  update(): void
  /** Upgrades a library with the transformer if one is loaded or was chosen on an earlier visit. */
  upgrade(library: Library): Promise<void>
  openPanel(): Promise<void>
  /** Redraws the list of models in the current language. */
  redrawPanel(): Promise<void>
}

interface ModelStatusOptions {
  current: CurrentLibrary
  searchBox: SearchBox
  loadPanel(): Promise<typeof import('./models-panel.js')>
}

/** What ranks besides keywords. A transformer is named. */
type Ranking = 'keywords' | 'bundled' | { transformer: string }

export function createModelStatus({
  current,
  searchBox,
  loadPanel,
}: ModelStatusOptions): ModelStatus {
  let panel: Promise<ModelsPanel> | undefined
  let transformer: string | undefined

  const getPanel = (): Promise<ModelsPanel> => {
    panel ??= loadPanel().then(({ createModelsPanel }) =>
      createModelsPanel({
        get library() {
          if (!current.library) throw new Error('No library is open')
          return current.library
        },
        get bundledState() {
          return current.modelState
        },
        onTransformer(inUse) {
          transformer = inUse
          void searchBox.update()
        },
      }),
    )
    panel.catch(() => {
      panel = undefined
    })
    return panel
  }

  const show = (model: string | undefined): void => {
    const bundled = current.modelState === 'in-use' ? 'bundled' : 'keywords'
    const available = transformer === undefined ? bundled : { transformer }
    byId('ranked-by', HTMLElement).replaceChildren(
      ...rankingText(model === undefined ? available : parseModelName(model)),
    )
    byId('models', HTMLElement).hidden = false
  }

  return {
    show,
    update() {
      byId('models', HTMLElement).ariaBusy = String(current.modelState === 'loading')
      if (searchBox.message().trim() === '') show(undefined)
      panel?.then(
        ({ update }) => update(),
        () => {},
      )
    },
    async upgrade(library) {
      if (panel) (await panel).upgrade(library)
      else if (remembered('model') === ENCODER) (await getPanel()).load()
    },
    openPanel: async () => void (await getPanel()),
    redrawPanel: async () => (await panel)?.redraw(),
  }
}

/** Parses the `model` of a search result, such as `hybrid/1 transformers/skillshelf-encoder@0.2.0/q4`. */
function parseModelName(model: string): Ranking {
  const transformer = /\btransformers\/(?:.*\/)?([^/@]+)(?:@[^/]+)?\/[^/]+$/.exec(model)?.[1]
  if (transformer !== undefined) return { transformer }
  return model.startsWith('lexical/') ? 'keywords' : 'bundled'
}

function rankingText(ranking: Ranking): readonly (Node | string)[] {
  if (typeof ranking === 'object') return texts.rankedBy.transformer(modelName(ranking.transformer))
  return [texts.rankedBy[ranking]]
}
