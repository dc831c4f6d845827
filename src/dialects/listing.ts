import { plainLine } from '../core/sanitize.js'
import { shortenDescription } from '../session/prompt/catalog-section.js'
import { promptNames } from '../session/prompt/listing.js'
import type { Session } from '../session/types.js'
import type { SkillId, SkillSummary } from '../skill/types.js'

/** A skill as a line tells of it: every text fits on one. */
export interface ListedSkill {
  id: SkillId
  /** Its name while no other has it, else its id. */
  name: string
  displayName?: string
  description: string
}

/** How a document lists its skills. */
export interface ListingForm {
  head?: string
  line(skill: ListedSkill): string
  foot?: string
}

/** What a session offers, a line each, however many there are. `''` where there is none. */
export function listing(session: Session, form: ListingForm): string {
  return textOf(session.offered, form, nameOf(session))
}

/** The same within the session's `catalogTokens`: over it descriptions are shortened, then skills left out, those that are open last. */
export function boundedListing(session: Session, form: ListingForm): string {
  const { offered, open, catalogTokens, countTokens } = session
  const name = nameOf(session)
  const fits = (text: string): boolean => countTokens(text) <= catalogTokens
  const full = textOf(offered, form, name)
  if (fits(full)) return full
  const short = offered.map(skill => ({ ...skill, description: shortenDescription(skill.description) }))
  const shortened = textOf(short, form, name)
  if (fits(shortened)) return shortened

  const used = new Set(open.map(({ skill }) => skill.id))
  const order = [...short.filter(({ id }) => used.has(id)), ...short.filter(({ id }) => !used.has(id))]
  const some = (amount: number): string => {
    const kept = new Set(order.slice(0, amount))
    return textOf(
      short.filter(skill => kept.has(skill)),
      form,
      name,
      short.length - amount,
    )
  }
  // The largest number that fits; that others are there is said in any case.
  let [most, tooMany] = [0, short.length]
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1
    if (fits(some(middle))) most = middle
    else tooMany = middle
  }
  return some(most)
}

/** What the model may call a skill: look-ups know all skills, so a name that any other has is none. */
export function nameOf({ library }: Session): (skill: SkillSummary) => string {
  return promptNames(library.snapshot.skills)
}

function textOf(
  skills: readonly SkillSummary[],
  { head, line, foot }: ListingForm,
  name: (skill: SkillSummary) => string,
  rest = 0,
): string {
  if (skills.length + rest === 0) return ''
  const lines = skills.map(skill =>
    line({
      id: skill.id,
      name: plainLine(name(skill)),
      ...(skill.displayName === undefined ? {} : { displayName: plainLine(skill.displayName) }),
      description: plainLine(skill.description),
    }),
  )
  return [head, ...lines, rest > 0 ? `- … and ${rest} more` : undefined, foot]
    .filter(part => part !== undefined)
    .join('\n')
}
