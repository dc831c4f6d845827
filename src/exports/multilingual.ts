/**
 * A model of eleven languages that needs no runtime.
 *
 * @packageDocumentation
 * @module skillshelf/multilingual
 */

export { type MultilingualOptions, multilingual } from '../embed/multilingual/multilingual.js'
