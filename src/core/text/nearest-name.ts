import { foldText } from './fold.js'

// "Did you mean ...?" is asked of two kinds of names, and each needs its own measure. Names of skills are chosen freely and are remembered
// by their words: "slides" for "make-slides" shares letter pairs, though many letters differ. Names of fields are a closed list of short
// words: "nam" is a typing error of "name", though half of its letter pairs differ.

/** Longer names come from a model or a request, and are cut. In UTF-16 units. */
const MAX_NAME = 1_024
/** Characters of a name that are compared, after folding. */
const MAX_COMPARED = 200
/** Minimum share of common letter pairs. */
const MIN_SIMILARITY = 0.3
/** Length of a name from which two typing errors are accepted. */
const LONG_NAME = 8

/** The names that are most similar to a wrong one, by letter pairs (Dice coefficient), best first and without duplicates. */
export function similarNames(name: string, names: readonly string[], limit = 3): string[] {
  const wanted = letterPairs(foldText(name.slice(0, MAX_NAME)).slice(0, MAX_COMPARED))
  const similar = names
    .map(other => ({ other, similarity: similarityOf(wanted, letterPairs(foldText(other))) }))
    .filter(({ similarity }) => similarity >= MIN_SIMILARITY)
    .sort((a, b) => b.similarity - a.similarity || (a.other < b.other ? -1 : 1))
  return [...new Set(similar.map(({ other }) => other))].slice(0, limit)
}

/** The name that a wrong one misspells, ignoring case: one letter is wrong, missing or swapped, or two in a long name. */
export function misspelledName(name: string, names: readonly string[]): string | undefined {
  const folded = name.toLowerCase()
  const [nearest] = names
    .map(other => ({ other, edits: editDistance(folded, other.toLowerCase()) }))
    .filter(({ other, edits }) => edits <= (other.length >= LONG_NAME ? 2 : 1))
    .sort((a, b) => a.edits - b.edits)
  return nearest?.other
}

function letterPairs(text: string): Set<string> {
  const padded = ` ${text.replace(/[-_\s]+/g, ' ')} `
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)))
}

function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0
  for (const pair of a) {
    if (b.has(pair)) common++
  }
  return (2 * common) / (a.size + b.size)
}

/** Number of letters to insert, remove, replace or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
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
