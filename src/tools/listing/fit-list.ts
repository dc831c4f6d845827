import type { SkillSummary } from '../../skill/skill.js'
import type { HostListing } from './host-listings.js'

/** What a host shows of a skill: characters of its description, `0` for the name only, `undefined` if it is not listed. */
export type Shown = number | undefined

/** How a host shows a skill. */
export type ShownAs = 'whole' | 'cut' | 'named' | 'unlisted'

type ListedSkill = Pick<SkillSummary, 'name' | 'description'>

const CHARACTERS_PER_TOKEN = 4
/** `- name: ` and the line break. */
const LINE = 5

/** The skills that a host lists: those that the model may load. */
export function listedSkills<Skill extends Pick<SkillSummary, 'disableModelInvocation'>>(
  skills: readonly Skill[],
): Skill[] {
  return skills.filter(({ disableModelInvocation }) => !disableModelInvocation)
}

/** Characters that a host gives to its list. @param context Size of the model's context in tokens. */
export function listCharacters({ share }: HostListing, context: number): number {
  return Math.floor((context * share * CHARACTERS_PER_TOKEN) / 100)
}

/** Shows what fits: every name if possible, and as much of each description as there is room for. */
export function fitList(
  skills: readonly ListedSkill[],
  listing: HostListing,
  context: number,
): Shown[] {
  const { maxDescription = Number.POSITIVE_INFINITY } = listing
  const lengths = skills.map(({ description }) => Math.min(description.length, maxDescription))
  let room = listCharacters(listing, context)
  const shown: Shown[] = []
  for (const [index, { name }] of skills.entries()) {
    room -= name.length + LINE
    shown[index] = room < 0 ? undefined : 0
  }
  if (room < 0) return shown
  // Short descriptions leave their room to the long ones.
  const byLength = lengths
    .map((length, index) => ({ length, index }))
    .sort((a, b) => a.length - b.length)
  for (const [done, { length, index }] of byLength.entries()) {
    const part = Math.min(length, Math.floor(room / (byLength.length - done)))
    shown[index] = part
    room -= part
  }
  return shown
}

export function shownAs(shown: Shown, { description }: ListedSkill): ShownAs {
  if (shown === undefined) return 'unlisted'
  if (shown >= description.length) return 'whole'
  return shown === 0 ? 'named' : 'cut'
}

/** How many skills are shown in each way. */
export function countShown(
  skills: readonly ListedSkill[],
  shown: readonly Shown[],
): Record<ShownAs, number> {
  const counts = { whole: 0, cut: 0, named: 0, unlisted: 0 }
  for (const [index, skill] of skills.entries()) counts[shownAs(shown[index], skill)]++
  return counts
}
