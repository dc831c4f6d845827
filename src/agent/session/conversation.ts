import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import { type Activities, createActivities } from './activity.js'
import { createSessionLearning, type SessionLearning } from './learning.js'
import type { MessageMatches } from './matches.js'
import type { SessionMessage } from './messages.js'
import type { SkillOffer } from './offer.js'
import { offersOf } from './offer.js'
import { createOpenSkills, type OpenSkill, type OpenSkills } from './open-skills.js'
import { type ResolvedOptions, resolveOptions, type SessionOptions } from './options.js'
import { partOf } from './part.js'
import type { Session } from './types.js'

/**
 * The state of one session. `Session` is what hosts and dialects see of it; the functions of this folder take the state, and its mutable
 * fields are changed by them only.
 */
export interface Conversation extends ResolvedOptions {
  /** The session over this state. */
  readonly session: Session
  readonly library: SkillLibrary
  /** How the session offers a skill. `undefined`: like any other. */
  readonly offerOf: (skill: Pick<SkillSummary, 'id' | 'name'>) => SkillOffer | undefined
  /** Skills that `allow` or `trust` refused to the model, with the digest of the refused version. They are not offered again. */
  readonly refused: Map<SkillId, string | undefined>
  /** Manual skills that messages of the user have named. */
  readonly named: Set<SkillId>
  /** Reports what the session does to its listeners. */
  readonly activities: Activities
  /** Learns which skill a message needs. `undefined` without the option `learn`. */
  readonly learning: SessionLearning | undefined
  /** The open skills. */
  readonly open: OpenSkills
  /** The skill that was requested last. It may be closed. */
  latest: SkillId | undefined
  /** Revision of the library that the open skills were compared with. */
  followedRevision: string
  /** The conversation as text, from the last `observe`, shortened if room was made. */
  messages: readonly SessionMessage[]
  /** The last turn: another step of it finds the same skills, and gives the same instructions. */
  turn:
    | { message: string; revision: string; found: MessageMatches; changed: readonly SkillId[] }
    | undefined
  /** What the user said in the last turns, oldest first: a conversation that is shortened lacks what a message leans on. */
  heard: readonly string[]
  /** Closed skills whose instructions are still in the conversation. */
  outdated: readonly OpenSkill[]
  /** Where the user works, from the last `prepare`. */
  place: Session['place']
  /** Whether the host called `observe`, so that old tool results leave the count. */
  isObserved: boolean
  /** Tokens of tool results since the last `observe`. */
  addedTokens: number
  /** Tokens of the last catalog and tools. They depend on the revision and the open skills only, which `key` has. */
  offer: { key: string; catalog: number; tools: number }
  /** Whether the last `prepare` was for a model without tools, which gets no catalog. */
  withoutTools: boolean
  /**
   * What was requested since the host last took it, for a host that cannot know whether the model still has it: requests of open skills and
   * references are answered in full again. `undefined`: the model has what is open.
   */
  requested: RequestedPart[] | undefined
  /** Whether `loadReference` opens its skill, for a host whose sessions last for one request. */
  opensForReferences: boolean
}

/** The instructions of a skill, or with `path` a reference of it. */
export interface RequestedPart {
  skill: SkillId
  path?: string
}

/**
 * Creates the state of a session, and the session.
 * @param createSession Makes the session. It may keep the state, but reads it only when the session is used.
 * @throws SkillshelfError `invalid-input`
 */
export function createConversation(
  whole: SkillLibrary,
  options: SessionOptions,
  createSession: (conversation: Conversation) => Session,
): Conversation {
  const resolved = resolveOptions(whole, options)
  const library = options.only === undefined ? whole : partOf(whole, options.only)
  const conversation: Conversation = {
    ...resolved,
    offerOf: offersOf(options.skills),
    refused: new Map(),
    named: new Set(),
    get session() {
      return session
    },
    library,
    activities: createActivities(),
    learning: options.learn ? createSessionLearning(library) : undefined,
    open: createOpenSkills(library),
    latest: undefined,
    followedRevision: library.snapshot.revision,
    messages: [],
    turn: undefined,
    heard: [],
    outdated: [],
    place: {},
    isObserved: false,
    addedTokens: 0,
    offer: { key: '', catalog: 0, tools: 0 },
    withoutTools: false,
    requested: undefined,
    opensForReferences: false,
  }
  const session = createSession(conversation)
  return conversation
}
