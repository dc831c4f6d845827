/** Everything that needs the words of languages, as one module that the first message loads. */
export { removeRuledOut } from '../../core/text/message-negation.js'
export { isFollowUp, refersBack, standsAlone, withoutGreetings } from './follow-up.js'
export { isFunctional, languagesOf } from './function-words.js'
export { inflect } from './inflections.js'
