import { lazy } from '../../core/concurrency.js'
import { sequenceOf } from '../../core/text/analyze.js'
import { isSpaced } from '../../core/text/character-classes.js'
import type { SpacedLanguage, UnspacedMatchingData } from '../../core/text/language/language.js'
import { SPACED_LANGUAGES, UNSPACED_LANGUAGES } from '../../core/text/language/matching.js'

const spaced = Object.entries(SPACED_LANGUAGES).map(
  ([language, { functionWords }]) =>
    [language as SpacedLanguage, new Set(functionWords.split(' '))] as const,
)
/** Made by the first message that needs them, because that takes as long as a match. */
const loadRuns = lazy(() => {
  const runs = new Set(Object.values(UNSPACED_LANGUAGES).flatMap(functionRuns))
  return { runs, longest: Math.max(...[...runs].map(run => run.length)) }
})

/** The function words of a language, with and without a particle. */
function functionRuns({ functionWords, particles }: UnspacedMatchingData): string[] {
  const endings = particles === undefined ? [''] : ['', ...particles.split(' ')]
  return functionWords.split(' ').flatMap(word => {
    const run = sequenceOf(word).join('')
    return endings.map(ending => run + ending)
  })
}

/** True if a text consists of function words. @param sequence Its words and single characters, in order. */
export function isFunctional(sequence: readonly string[]): boolean {
  let run = ''
  for (const token of sequence) {
    if (!isSpaced(token)) {
      run += token
      continue
    }
    if (!spaced.some(([, words]) => words.has(token)) || !isCovered(run)) return false
    run = ''
  }
  return isCovered(run)
}

function isCovered(run: string): boolean {
  if (run === '') return true
  const { runs, longest } = loadRuns()
  const reached = [true]
  for (let start = 0; start < run.length; start++) {
    if (!reached[start]) continue
    const last = Math.min(run.length, start + longest)
    for (let end = start + 1; end <= last; end++) {
      if (runs.has(run.slice(start, end))) reached[end] = true
    }
    if (reached.length <= start + 1) return false
  }
  return reached[run.length] === true
}

/** The languages whose function words occur most often in a message. Empty if it has none. */
export function languagesOf(sequence: readonly string[]): readonly SpacedLanguage[] {
  const counts = spaced.map(([, words]) => sequence.filter(token => words.has(token)).length)
  const most = Math.max(...counts)
  return most === 0
    ? []
    : spaced.filter((_, index) => counts[index] === most).map(([language]) => language)
}
