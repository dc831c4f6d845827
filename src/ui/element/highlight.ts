import type { SkillMatch } from '../../search/match/skill-match.js'
import { make } from './dom.js'

type Terms = typeof import('../state/on-demand.js')
let terms: Terms | undefined

/** Loads what highlighting needs. Without it, texts have no marks. */
export async function loadHighlight(): Promise<void> {
  terms ??= await import('../state/on-demand.js').catch(() => undefined)
}

/** A text with the words of a match in `<mark>` elements. */
export function highlight(text: string, match: SkillMatch | undefined): (Node | string)[] {
  if (!terms || !match) return [text]
  const parts: (Node | string)[] = []
  let offset = 0
  const words = terms.namedTerms(match.signals).map(({ term }) => term)
  for (const { start, end } of terms.findTerms(text, words)) {
    parts.push(text.slice(offset, start), make('mark', {}, text.slice(start, end)))
    offset = end
  }
  return [...parts, text.slice(offset)]
}
