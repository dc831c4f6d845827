import { isAscii, sequenceOf } from '../../core/text/analyze.js'

/** A run of letters and digits of a message. */
export interface WrittenRun {
  /** As the analysis folds it: lower case, without accents, in Simplified Chinese. As long as `written`. */
  folded: string
  written: string
}

/** The runs of a message, except those whose length changes when they are folded. */
export function writtenRuns(message: string): WrittenRun[] {
  const runs = message.matchAll(isAscii(message) ? /[a-z0-9]+/gi : /[\p{L}\p{N}\p{M}]+/gu)
  return [...runs]
    .map(([written]) => ({ written, folded: sequenceOf(written).join('') }))
    .filter(({ folded, written }) => folded.length === written.length)
}

/** A term as the message writes it (調研 for 调研, AI for ai), or the term itself if the message does not contain it as a run. */
export function writtenForm(runs: readonly WrittenRun[], term: string): string {
  const run =
    runs.find(({ folded }) => folded === term) ?? runs.find(({ folded }) => folded.includes(term))
  if (!run) return term
  const start = run.folded.indexOf(term)
  return run.written.slice(start, start + term.length)
}
