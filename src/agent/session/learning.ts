import { errorMessage, invalidInput, isSkillshelfError } from '../../core/errors.js'
import type { MatchResult } from '../../library/api/match-result.js'
import type { LocalLibrary, SkillLibrary } from '../../library/api/skill-library.js'
import { loadMessageLanguage } from '../../search/match/corpus-statistics.js'
import { THRESHOLD } from '../../search/match/score.js'
import type { SkillId } from '../../skill/skill.js'

/** What `match` found for a message. */
export type FoundSkills = Pick<MatchResult, 'matches' | 'maybe'>

/** Learns from a conversation which skill a message needs. */
export interface SessionLearning {
  /** Starts a turn. Until `hear`, nothing is learned: skills that `prepare` opens come from the match alone. */
  startTurn(): Promise<void>
  /**
   * Notes the message of this turn. If no skill is opened before the next turn, the report has what was found.
   * @param isFollowUp Whether it may refer to the message before it, such as "yes, do that".
   */
  hear(message: string, isFollowUp: boolean, found: FoundSkills): void
  /** Called when the model opens a skill that was not open. Never rejects. */
  opened(skill: SkillId): Promise<void>
}

/** @throws SkillshelfError `invalid-input` if the library does not learn */
export function createSessionLearning(library: SkillLibrary): SessionLearning {
  if (!isLearning(library)) {
    throw invalidInput(
      '"learn" needs a library that learns',
      'open it with openLibrary(…, { learn: true })',
    )
  }
  let heard: { message: string; isFollowUp: boolean; found: FoundSkills } | undefined
  let hasWarned = false
  const isServed = async (message: string): Promise<boolean> => {
    // Not `match`, which may call a reranker.
    const { matches } = await library.search(message, { limit: 1 })
    return (matches[0]?.score ?? 0) > THRESHOLD
  }
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      // A long message, or a library that was closed meanwhile.
      if (hasWarned || isSkillshelfError(error, 'invalid-input', 'closed')) return
      hasWarned = true
      console.warn(`skillshelf: a message could not be learned: ${errorMessage(error)}`)
    }
  }
  return {
    async startTurn() {
      const last = heard
      heard = undefined
      if (!last) return
      const { message, isFollowUp, found } = last
      await attempt(async () => {
        // A short message may be a request of its own: "cut a video clip".
        const { standsAlone } = await loadMessageLanguage()
        if (isFollowUp && !standsAlone(message) && !(await isServed(message))) return
        await library.noteUnused(message, found)
      })
    },
    hear(message, isFollowUp, found) {
      heard = { message, isFollowUp, found }
    },
    async opened(skill) {
      if (!heard) return
      const { message, isFollowUp } = heard
      // The instructions of the first skill may send the model to the next one.
      heard = undefined
      await attempt(async () => {
        // Without the conversation, "yes, do that" asks for nothing.
        if (isFollowUp && !(await isServed(message))) return
        await library.learn(message, skill)
      })
    },
  }
}

/** A remote library has no `learns`: messages stay on this device. */
function isLearning(library: SkillLibrary): library is LocalLibrary {
  return library.learns === true
}
