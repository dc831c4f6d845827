import { taglessLine } from '../../core/sanitize.js'
import type { SkillSummary } from '../../skill/skill.js'
import { fitDescriptions, fitSkills, LINE_DESCRIPTION, shortenDescription } from '../session/fit.js'
import { promptNames } from '../session/prompt.js'
import type { Dialect, Session } from '../session/types.js'

/** The format of a listing: a line per skill, between an optional head and foot. */
export interface ListingFormat {
  head?: string
  /** Formats a skill whose texts are one line each. Its name is the id if several skills have the name. */
  line(skill: Pick<SkillSummary, 'id' | 'name' | 'displayName' | 'description'>): string
  foot?: string
  /** What `line` gets as the description. @default the description alone */
  describe?(skill: SkillSummary): string
}

export const NAME_AND_DESCRIPTION: ListingFormat = {
  line: ({ name, description }) => `- ${name}: ${description}`,
}

/** Says that the tool restores instructions that are no longer in the conversation. */
export function reminderToCall(tool: string): Dialect['reminder'] {
  return skill =>
    `The skill ${taglessLine(skill.name)} was left out of this conversation: call ${tool} to restore it.`
}

/** Lists all offered skills. `''` without skills. */
export function fullListing(session: Session, format: ListingFormat): string {
  return formatListing(described(session, format), format, listedName(session))
}

/** Lists offered skills in `session.catalogTokens`: shorter descriptions for all first, then fewer skills; pinned and open ones go last. */
export function boundedListing(session: Session, format: ListingFormat): string {
  return fitListing(session, format).text
}

/**
 * As `boundedListing`, with the number of listed skills.
 * @param isAllowed What else the text must meet.
 */
export function fitListing(
  session: Session,
  format: ListingFormat,
  isAllowed: (text: string) => boolean = () => true,
): { text: string; listed: number } {
  const { preferred, catalogTokens, countTokens } = session
  const offered = described(session, format)
  const fits = (text: string): boolean => isAllowed(text) && countTokens(text) <= catalogTokens
  const name = listedName(session)
  const whole = fitDescriptions(offered, listed => formatListing(listed, format, name), fits)
  if (whole !== undefined) return { text: whole, listed: offered.length }
  const short = offered.map(skill => ({
    ...skill,
    description: shortenDescription(skill.description, LINE_DESCRIPTION),
  }))
  const partial = (selection: readonly SkillSummary[]): string =>
    formatListing(selection, format, name, short.length - selection.length)
  return fitSkills(short, new Set(preferred), partial, fits)
}

/** The offered skills with the descriptions that a listing shows. */
function described({ offered }: Session, { describe }: ListingFormat): readonly SkillSummary[] {
  return describe ? offered.map(skill => ({ ...skill, description: describe(skill) })) : offered
}

/** Returns the name that the model uses for a skill: its name if it is unique in the library, else its id. */
export function listedName({ library }: Session): (skill: SkillSummary) => string {
  return promptNames(library.snapshot.skills)
}

function formatListing(
  skills: readonly SkillSummary[],
  { head, line, foot }: ListingFormat,
  name: (skill: SkillSummary) => string,
  omitted = 0,
): string {
  if (skills.length + omitted === 0) return ''
  const lines = skills.map(skill =>
    line({
      id: skill.id,
      name: taglessLine(name(skill)),
      ...(skill.displayName === undefined ? {} : { displayName: taglessLine(skill.displayName) }),
      description: taglessLine(skill.description),
    }).replace(/:\s*$/, ''),
  )
  return [head, ...lines, omitted > 0 ? `- … and ${omitted} more` : undefined, foot]
    .filter(part => part !== undefined)
    .join('\n')
}
