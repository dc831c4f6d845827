/** One case of a file of trigger tests. */
export interface TriggerCase {
  /** Message to match. */
  message: string
  /** Names of the skills that may rank first. `undefined`: the skill of the file's folder. Empty: no skill may match. */
  skills: readonly string[] | undefined
  /** The skill must not match: a near miss. Another skill may. */
  rejects?: boolean
  /** Path of the file. */
  file: string
  /** Line of the case, from 1. */
  line: number
}

/** A problem in a file of trigger tests. */
export interface TriggerProblem {
  /** Path of the file. */
  file: string
  /** Line of the problem, from 1. */
  line?: number
  /** One sentence on the problem. */
  message: string
}
