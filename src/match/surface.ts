import { isAscii, sequenceOf } from '../text/analyze.js'

/** Finds how the message itself writes a term: 調研 where the term is 调研, AI where it is ai. The term where it cannot be told. */
export function surfacesOf(message: string): (term: string) => string {
  let runs: { folded: string; written: string }[] | undefined
  return term => {
    runs ??= [...message.matchAll(isAscii(message) ? /[a-z0-9]+/gi : /[\p{L}\p{N}\p{M}]+/gu)]
      .map(([written]) => ({ written, folded: sequenceOf(written).join('') }))
      .filter(({ folded, written }) => folded.length === written.length)
    const run = runs.find(({ folded }) => folded === term) ?? runs.find(({ folded }) => folded.includes(term))
    if (!run) return term
    const at = run.folded.indexOf(term)
    return run.written.slice(at, at + term.length)
  }
}
