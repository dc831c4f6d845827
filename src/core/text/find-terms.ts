import { analyze, sequenceOf } from './analyze.js'
import { classOf, HAN, JOINED, SEPARATOR, WORD } from './character-classes.js'
import { shortenMarks } from './fold.js'

/** A range of a text in UTF-16 units, as for `text.slice(start, end)`. */
export interface TextRange {
  start: number
  end: number
}

/** A character with its combining marks. */
const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu

/**
 * Finds the terms of a match in a text, for highlighting. As in matching, case, accents and the Chinese script do not matter. A word is
 * highlighted whole, even if only one of its camelCase parts matches.
 * @param text Text to search, such as the description of a skill.
 * @param terms Terms of a match: `match.signals.terms`.
 * @returns Sorted ranges that neither overlap nor touch.
 * @example
 * ```ts
 * import { findTerms } from 'skillshelf/match'
 *
 * findTerms('Makes Slides', ['slides']) // [{ start: 6, end: 12 }]
 * ```
 */
export function findTerms(text: string, terms: readonly string[]): readonly TextRange[] {
  const words = new Set<string>()
  const grams = new Set<string>()
  for (const term of terms) {
    if (classOf(term.charCodeAt(0)) === WORD) {
      words.add(term)
    } else {
      for (const gram of pairsOf([...term])) grams.add(gram)
    }
  }
  const ranges: TextRange[] = []
  const add = (start: number, end: number): void => {
    const last = ranges.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  }
  for (const run of runsOf(text)) {
    if (run.kind === WORD && words.size > 0 && hasWord(text.slice(run.start, run.end), words)) {
      add(run.start, run.end)
    }
    if (run.kind !== WORD && grams.size > 0) {
      for (const [at, { start, folded }] of run.characters.entries()) {
        const next = run.characters[at + 1]
        if (next && grams.has(folded + next.folded)) add(start, next.end)
        else if (grams.has(folded)) add(start, run.characters[at]?.end ?? start)
      }
    }
  }
  return ranges
}

/** The pairs of neighboring characters, or a single character. */
function pairsOf(characters: readonly string[]): string[] {
  return characters.length === 1
    ? [...characters]
    : characters.slice(1).map((one, at) => `${characters[at]}${one}`)
}

function hasWord(run: string, words: ReadonlySet<string>): boolean {
  let found = false
  analyze(run, term => {
    found ||= words.has(term)
  })
  return found
}

interface Run {
  kind: number
  start: number
  end: number
  /** Filled only for scripts that are indexed as n-grams. */
  characters: { start: number; end: number; folded: string }[]
}

/** The runs that `analyze` sees, with their positions in the original text. */
function* runsOf(text: string): Generator<Run> {
  let run: Run | undefined
  for (const { 0: written, index: start } of text.matchAll(CLUSTER)) {
    const end = start + written.length
    const kind = classOf(shortenMarks(written).normalize('NFKC').charCodeAt(0))
    if (run && run.kind !== kind) {
      yield run
      run = undefined
    }
    if (kind === SEPARATOR) continue
    run ??= { kind, start, end, characters: [] }
    run.end = end
    if (kind === HAN || kind === JOINED) {
      run.characters.push({ start, end, folded: sequenceOf(written).join('') })
    }
  }
  if (run) yield run
}
