import { foldText } from '../../core/text/fold.js'
import type { SkillMatch } from '../../library/api/match-result.js'

/** Words below this idf, such as "use" and "data", do not separate skills. */
export const MIN_IDF = 2

/**
 * Telling words of a message that a skill lacks: those that it does not have, or those of another skill that is found without it.
 * @param idf Of a folded word, in skills at large.
 */
export function missingWords(
  own: SkillMatch | undefined,
  other: SkillMatch | undefined,
  idf: (term: string) => number,
): string[] {
  const words = own?.signals.missing ?? other?.signals.terms.map(({ text }) => text) ?? []
  return words.filter(word => idf(foldText(word)) >= MIN_IDF)
}
