import type { SkillLibrary } from '../../library/skill-library.js'
import type { SkillId } from '../../skill/skill.js'
import type { Activities } from './activity.js'
import type { SessionLearning } from './learning.js'
import type { SessionMessage } from './messages.js'
import type { OpenSkills } from './open-skills.js'
import type { ResolvedOptions } from './options.js'
import type { Session } from './types.js'

export interface Conversation extends ResolvedOptions {
  readonly library: SkillLibrary
  /** The session itself, for dialects. */
  readonly session: Session
  readonly activities: Activities
  /** Set with the option `learn`. */
  readonly learning: SessionLearning | undefined
  readonly open: OpenSkills
  /** The skill that was requested last. It may be closed. */
  latest: SkillId | undefined
  /** Revision of the library that the open skills were compared with. */
  followedRevision: string
  messages: readonly SessionMessage[]
  /** Where the user works, from the last `prepare`. */
  place: Session['place']
  isObserved: boolean
  /** Tokens of tool results since the last `observe`. */
  addedTokens: number
  /** Tokens of the last catalog. It depends on the revision and the open skills only. */
  catalog: { key: string; tokens: number }
  /** Whether the last `prepare` was for a model without tools, which gets no catalog. */
  withoutTools: boolean
}
