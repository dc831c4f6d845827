/**
 * The bundled model, which matches by meaning offline.
 *
 * @packageDocumentation
 * @module skillshelf/model
 */

export { bundled } from '../embed/bundled/browser.js'
export type { BundledOptions, ModelFiles } from '../embed/bundled/bundled.js'
export type { Part } from '../embed/parts.js'
