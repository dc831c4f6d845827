/**
 * A model of eleven languages that needs no runtime.
 *
 * @packageDocumentation
 * @module skillshelf/multilingual
 */

export { type MultilingualOptions, multilingual } from '../search/model/multilingual/multilingual.js'
