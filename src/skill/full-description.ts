import type { SkillSummary } from './skill.js'

const ENDED = /[.!?…。！？][)"'”’」』）\]]*$/

/** What a model chooses a skill by: its description, then when to use it. */
export function fullDescription({
  description,
  whenToUse = '',
}: Pick<SkillSummary, 'description' | 'whenToUse'>): string {
  const [what, when] = [description.trim(), whenToUse.trim()]
  if (when === '' || what.includes(when)) return description
  return `${what}${ENDED.test(what) || what === '' ? '' : '.'} ${when}`.trim()
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
