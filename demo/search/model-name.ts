import { make } from '../dom.js'

/** The name of a model, which no language translates. */
export function modelName(name: string): HTMLElement {
  return make('span', { lang: 'en', translate: 'no' }, name)
}
