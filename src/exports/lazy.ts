/**
 * A library that is there at once and opens in the background.
 *
 * @packageDocumentation
 * @module skillshelf/lazy
 */

export { type LazyLibrary, lazyLibrary } from '../library/lazy-library.js'
