// The types of this path are those of model.ts.
export { bundled } from '../search/model/bundled/workerd.js'
export { multilingual } from '../search/model/multilingual/multilingual.js'
