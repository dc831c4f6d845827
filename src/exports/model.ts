/**
 * The bundled model, which matches by meaning offline.
 *
 * @packageDocumentation
 * @module skillshelf/model
 */

export type { BundledOptions, ModelFiles } from '../search/model/bundled/bundled.js'
export { bundled } from '../search/model/bundled/package.js'
export type { Part } from '../search/model/parts.js'
