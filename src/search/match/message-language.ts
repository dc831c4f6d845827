/** Everything that needs the words of languages, and the counts of words, as one module that the first message loads. */
export { removeRuledOut } from '../../core/text/message-negation.js'
export { askedIn, withoutQuotes } from '../../core/text/message-quotes.js'
export { corpusCounts } from './corpus-counts.js'
export { isFollowUp, refersBack, standsAlone, withoutGreetings } from './follow-up.js'
export { isFunctional, languagesOf } from './function-words.js'
export { inflect } from './inflections.js'
