import type { SkillLibrary } from '../../library/skill-library.js'
import type { SkillId } from '../../skill/skill.js'
import { createActivities } from './activity.js'
import { createSessionLearning } from './learning.js'
import type { SessionMessage } from './messages.js'
import { createOpenSkills } from './open-skills.js'
import { resolveOptions, type SessionOptions } from './options.js'
import type { Session } from './types.js'

/** The state of a session, and the session itself, for dialects. */
export type Conversation = ReturnType<typeof createState> & { readonly session: Session }

/** @throws SkillshelfError `invalid-input` */
export function createState(library: SkillLibrary, options: SessionOptions) {
  return {
    ...resolveOptions(library, options),
    library,
    activities: createActivities(),
    /** Set with the option `learn`. */
    learning: options.learn ? createSessionLearning(library) : undefined,
    open: createOpenSkills(library),
    /** The skill that was requested last. It may be closed. */
    latest: undefined as SkillId | undefined,
    /** Revision of the library that the open skills were compared with. */
    followedRevision: library.snapshot.revision,
    messages: [] as readonly SessionMessage[],
    /** Where the user works, from the last `prepare`. */
    place: {} as Session['place'],
    isObserved: false,
    /** Tokens of tool results since the last `observe`. */
    addedTokens: 0,
    /** Tokens of the last catalog. It depends on the revision and the open skills only. */
    catalog: { key: '', tokens: 0 },
    /** Whether the last `prepare` was for a model without tools, which gets no catalog. */
    withoutTools: false,
  }
}
