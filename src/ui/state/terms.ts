/** Loaded on demand: finding the words of a match in a text. */

export { findTerms } from '../../core/text/find-terms.js'
export { namedTerms } from '../../search/match/reason.js'
