import type { SkillSummary } from './skill.js'

const ENDED = /[.!?…。！？][)"'”’」』）\]]*$/

/** What a model chooses a skill by: its description, when to use it, and what is opened with it. */
export function fullDescription({
  description,
  whenToUse = '',
  requires = [],
}: Pick<SkillSummary, 'description' | 'whenToUse' | 'requires'>): string {
  const when = whenToUse.trim()
  const whole = when === '' || description.includes(when) ? description : join(description, when)
  return requires.length === 0 ? whole : join(whole, `Requires ${requires.join(', ')}.`)
}

/** Two texts as sentences, one after the other. */
function join(first: string, second: string): string {
  const text = first.trim()
  return `${text}${ENDED.test(text) || text === '' ? '' : '.'} ${second}`.trim()
}

/** The description in a language of BCP 47. That of the skill itself, if it has none in this language or the language is not known. */
export function descriptionIn(
  { description, descriptions }: Pick<SkillSummary, 'description' | 'descriptions'>,
  language: string | undefined,
): string {
  if (!descriptions || !language) return description
  const near = Object.keys(descriptions).find(tag => tag.startsWith(language.slice(0, 2)))
  return descriptions[language] ?? descriptions[near ?? ''] ?? description
}
