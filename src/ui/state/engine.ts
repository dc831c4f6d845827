/** Loaded on demand: the part of the package that a search box needs only once it is used. */
export { openLibrary } from '../../library/library.js'
