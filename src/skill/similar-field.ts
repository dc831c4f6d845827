import { FIELD_NAMES } from './fields.js'

const KNOWN = [...new Set([...FIELD_NAMES, 'metadata'])]
/** Shorter names are one edit away from too many other words. */
const MIN_LENGTH = 4
const MAX_LENGTH = 32

/** The known field that an unknown one probably misspells: other case, one wrong or swapped letter, or two in a long name. */
export function similarField(key: string): string | undefined {
  if (key.length < MIN_LENGTH - 1 || key.length > MAX_LENGTH || KNOWN.includes(key)) return undefined
  const folded = key.toLowerCase()
  return KNOWN.map(name => ({ name, edits: editDistance(folded, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= (name.length >= 8 ? 2 : name.length >= MIN_LENGTH ? 1 : 0))
    .sort((a, b) => a.edits - b.edits)[0]?.name
}

/** Number of letters to insert, remove, replace or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
        swapped ? (before[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = current
  }
  return last[b.length] as number
}
