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
