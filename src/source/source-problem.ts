import type { Diagnostic } from '../skill/diagnostics.js'
import type { SkillSource } from './source.js'

/** Key of `SourceWithProblem`. A symbol, so that sources that wrap another one hand it on. */
export const PROBLEM: unique symbol = Symbol('problem of a source that answers')

/** A source that may answer in spite of a problem, such as an offline copy that cannot be stored. */
export interface SourceWithProblem extends SkillSource {
  [PROBLEM]?(): Diagnostic | undefined
}

/** The problem of a source that answers. */
export function problemOf(source: SourceWithProblem): Diagnostic | undefined {
  return source[PROBLEM]?.()
}

/** What a source that wraps another one adds, so that the problem stays known. */
export function handOnProblem(source: SourceWithProblem): Pick<SourceWithProblem, typeof PROBLEM> {
  return PROBLEM in source ? { [PROBLEM]: () => problemOf(source) } : {}
}
