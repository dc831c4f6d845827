import { make } from './dom.js'
import { texts } from './texts.js'

/** Whether the bundled model takes part: it does not where the library was packed without vectors. */
export type Meaning = 'loading' | 'in-use' | 'no-vectors' | 'failed'

/** What ranks beside words: nothing, the bundled model, or a transformer by its name. */
export type Beside = 'nothing' | 'bundled' | { name: string }

/** From what the matcher calls itself. */
export function besideOf(model: string): Beside {
  const name = /\btransformers\/(?:.*\/)?([^/]+)\/[^/]+$/.exec(model)?.[1]
  if (name !== undefined) return { name }
  return model.startsWith('lexical/') ? 'nothing' : 'bundled'
}

/** In plain words. */
export function saidOf(beside: Beside): readonly (Node | string)[] {
  if (typeof beside === 'object') return texts.answers.model(modelName(beside.name))
  return [beside === 'nothing' ? texts.answers.words : texts.answers.bundled]
}

export function modelName(name: string): HTMLElement {
  return make('span', { lang: 'en', translate: 'no' }, name)
}
