/** Loaded on demand: finding the words of a match in a text. */
export { namedTerms } from '../match/reason.js'
export { findTerms } from '../text/find-terms.js'
