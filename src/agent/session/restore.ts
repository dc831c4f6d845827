import type { AbortOptions } from '../../core/abort.js'
import { SkillshelfError } from '../../core/errors.js'
import { isRecord, isStrings } from '../../core/plain-data.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import type { SkillId } from '../../skill/skill.js'
import type { SessionState } from './open-skills.js'
import type { SessionOptions } from './options.js'
import { openConversation } from './session.js'
import type { Session } from './types.js'

/** Result of `restoreSession`. */
export interface RestoredSession {
  session: Session
  /** Skills that could not be opened again, with the reason: removed, refused, too large, or only for people. */
  lost: readonly { id: SkillId; reason: string }[]
}

/**
 * Restores a session from JSON. Its skills are opened again in their current version, as by the model: `allow` and `trust` of
 * the options decide again, and skills for people stay closed. The instructions count as missing until `observe` or `prepare`
 * finds them in the conversation.
 * @param state The result of `session.toJSON()`.
 * @param options As for `createSession`, and `signal`.
 * @throws SkillshelfError `format` if `state` is not a session; `invalid-input`, `aborted`
 * @example
 * ```ts
 * const state = JSON.parse(localStorage.getItem('session') ?? 'null')
 * const { session, lost } = await restoreSession(library, state)
 * for (const { id, reason } of lost) console.warn(id, reason)
 * ```
 */
export async function restoreSession(
  library: SkillLibrary,
  state: SessionState,
  options: SessionOptions & AbortOptions = {},
): Promise<RestoredSession> {
  if (!isSessionState(state)) {
    throw new SkillshelfError('format', '"state" must be a session state', {
      hint: 'pass the result of session.toJSON()',
    })
  }
  // A stored state can be forged, so skills are opened as the model would open them.
  const by = { by: 'model', signal: options.signal } as const
  const { session, open } = openConversation(library, options)
  const lost: { id: SkillId; reason: string }[] = []
  const attempt = async (id: SkillId, action: () => Promise<unknown>): Promise<boolean> => {
    try {
      await action()
      return true
    } catch (error) {
      if (!(error instanceof SkillshelfError) || error.code === 'aborted') throw error
      lost.push({ id, reason: error.message })
      return false
    }
  }
  const opened: SkillId[] = []
  for (const { id, references } of state.open) {
    if (!(await attempt(id, () => session.load(id, by)))) continue
    opened.push(id)
    for (const path of references) await attempt(id, () => session.loadReference(id, path, by))
  }
  for (const id of opened) {
    if (!open.get(id)) {
      lost.push({ id, reason: `${id} was closed to make room for skills opened after it` })
    }
  }
  // The conversation is not known yet. `observe` finds the instructions that are in it.
  for (const record of open.records()) record.heldBy = undefined
  return { session, lost }
}

function isSessionState(state: unknown): state is SessionState {
  if (
    !isRecord(state) ||
    state['format'] !== 'skillshelf-session/1' ||
    !Array.isArray(state['open'])
  ) {
    return false
  }
  return state['open'].every(
    entry =>
      isRecord(entry) &&
      typeof entry['id'] === 'string' &&
      typeof entry['digest'] === 'string' &&
      isStrings(entry['references']),
  )
}
