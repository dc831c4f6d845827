/** Loaded with the first use of a search box: opening a library, and finding the words of a match in a text. */

export { findTerms } from '../../core/text/find-terms.js'
export { openLibrary } from '../../library/open-library.js'
export { namedTerms } from '../../search/match/reason.js'
