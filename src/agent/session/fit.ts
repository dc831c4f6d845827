import type { SkillId } from '../../skill/skill.js'

/** Characters of a description in a line, and of the shortest one that helps to choose a skill. */
export const LINE_DESCRIPTION = 120
const SHORT_DESCRIPTION = 30

/** Ends of sentences and lines, then of clauses, then of words. An abbreviation is not followed by an upper-case letter. */
const ENDS = [
  /(?<=[^\s\d])[.!?…]["'”’)\]]*(?=\s+[^\s\p{Ll}])|[。！？।؟]["'”’」』）]*|\n/gu,
  /[,;:–—](?=\s)|[，；：、،؛]/gu,
  /\S(?=\s)/gu,
]

/** Where to cut a text to at most `length` characters: after the last sentence, clause or word of the second half, else anywhere. */
export function cutOffset(text: string, length: number): number {
  if (text.length <= length) return text.length
  // Whether a sentence ends depends on the characters around the mark.
  const start = Math.max(0, (length >> 1) - 1)
  const window = text.slice(start, length + 3)
  for (const ends of ENDS) {
    const found = [...window.matchAll(ends)].map(
      ({ 0: mark, index }) => start + index + mark.length,
    )
    const end = found.findLast(end => end <= length)
    if (end !== undefined) return end
  }
  return /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length
}

/** Cuts a description after a sentence, else after a clause, else after a word. */
export function shortenDescription(text: string, length: number): string {
  const line = text.trim().replace(/\s+/g, ' ')
  if (line.length <= length) return line
  return `${line.slice(0, cutOffset(line, length)).replace(/[\s,;:，；：、]+$/, '')}…`
}

/** Formats skills with the longest descriptions that fit: whole, or all cut to one length. `undefined`: not even short ones fit. */
export function fitDescriptions<Described extends { description: string }>(
  skills: readonly Described[],
  format: (skills: readonly Described[], isCut: boolean) => string,
  fits: (text: string) => boolean,
  shortest = SHORT_DESCRIPTION,
): string | undefined {
  const cut = (length: number): string =>
    format(
      skills.map(skill => ({
        ...skill,
        description: shortenDescription(skill.description, length),
      })),
      true,
    )
  const full = format(skills, false)
  if (fits(full)) return full
  if (!fits(cut(shortest))) return undefined
  const longest = skills.reduce(
    (length, { description }) => Math.max(length, description.length),
    shortest,
  )
  return cut(shortest + largestFitting(longest - shortest, more => fits(cut(shortest + more))))
}

/** Formats as many skills as fit, in the given order; `preferred` ones are dropped last. Formats none if no skill fits. */
export function fitSkills<Listed extends { id: SkillId }>(
  skills: readonly Listed[],
  preferred: ReadonlySet<SkillId>,
  format: (selection: readonly Listed[]) => string,
  fits: (text: string) => boolean,
): { text: string; listed: number } {
  const ranked = [
    ...skills.filter(({ id }) => preferred.has(id)),
    ...skills.filter(({ id }) => !preferred.has(id)),
  ]
  const textOfFirst = (amount: number): string => {
    const selected = new Set(ranked.slice(0, amount))
    return format(skills.filter(skill => selected.has(skill)))
  }
  const listed = largestFitting(skills.length, amount => fits(textOfFirst(amount)))
  return { text: textOfFirst(listed), listed }
}

/** Finds the largest amount below `end` that fits. 0 counts as fitting. */
export function largestFitting(end: number, fits: (amount: number) => boolean): number {
  let fitting = 0
  let tooMany = end
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1
    if (fits(middle)) fitting = middle
    else tooMany = middle
  }
  return fitting
}
