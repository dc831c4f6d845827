/**
 * The bundled model, which matches by meaning offline.
 *
 * @packageDocumentation
 * @module skillshelf/model
 */

export type { BundledOptions, ModelFiles } from '../embed/bundled/bundled.js'
export { bundled } from '../embed/bundled/package.js'
export type { Part } from '../embed/parts.js'
