import { analyze, sequenceOf } from './analyze.js'
import { classOf, HAN, JOINED, SEPARATOR, WORD } from './character-classes.js'

/** Part of a text, in UTF-16 units: `text.slice(start, end)`. */
export interface TextRange {
  start: number
  end: number
}

/** A character with its combining marks. */
const clusters = /\P{M}\p{M}*|\p{M}+/gu

/**
 * Where a text has the terms of a match (`match.signals.terms`), to light them up: whole words, also where one of their
 * camelCase parts is meant; of ideographs every two neighbours of a term. Accents, case and script do not matter, as in
 * matching.
 * @returns Sorted ranges that do not overlap or touch.
 */
export function findTerms(text: string, terms: readonly string[]): readonly TextRange[] {
  const words = new Set<string>()
  const grams = new Set<string>()
  for (const term of terms) {
    if (classOf(term.charCodeAt(0)) === WORD) words.add(term)
    else for (const gram of gramsOf([...term])) grams.add(gram)
  }
  const ranges: TextRange[] = []
  const add = (start: number, end: number): void => {
    const last = ranges.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else ranges.push({ start, end })
  }
  for (const run of runsOf(text)) {
    if (run.kind === WORD && words.size > 0 && hasWord(text.slice(run.start, run.end), words)) add(run.start, run.end)
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

/** Two neighbours each; one alone stands for itself. */
function gramsOf(characters: readonly string[]): string[] {
  return characters.length === 1 ? [...characters] : characters.slice(1).map((one, at) => `${characters[at]}${one}`)
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
  /** Of scripts that are read in n-grams. */
  characters: { start: number; end: number; folded: string }[]
}

/** The runs that the analyzer sees, where they stand in the text as it is written. */
function* runsOf(text: string): Generator<Run> {
  let run: Run | undefined
  for (const { 0: written, index: start } of text.matchAll(clusters)) {
    const end = start + written.length
    const kind = classOf(written.normalize('NFKC').charCodeAt(0))
    if (run && run.kind !== kind) {
      yield run
      run = undefined
    }
    if (kind === SEPARATOR) continue
    run ??= { kind, start, end, characters: [] }
    run.end = end
    if (kind === HAN || kind === JOINED) run.characters.push({ start, end, folded: sequenceOf(written).join('') })
  }
  if (run) yield run
}
