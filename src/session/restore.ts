import { SkillshelfError } from '../core/errors.js'
import type { SkillLibrary } from '../library/types.js'
import type { SkillId } from '../skill/types.js'
import { createSessionWith } from './session.js'
import type { RestoredSession, SessionOptions, SessionState } from './types.js'

/**
 * Goes on with a session that was kept as JSON: its skills are opened again, as they are now.
 * @throws SkillshelfError `format` for what is no session, `aborted`
 */
export async function restoreSession(
  library: SkillLibrary,
  state: SessionState,
  options: SessionOptions & { signal?: AbortSignal | undefined } = {},
): Promise<RestoredSession> {
  if (!isState(state))
    throw new SkillshelfError('format', 'This is no session', { hint: 'give what session.toJSON() gave' })
  const at = { signal: options.signal }
  const trust = { ...Object.fromEntries(state.open.map(({ id, digest }) => [id, digest])), ...options.trust }
  // Their instructions were said before: where the messages hold them no more, they are given again.
  const seen = new Set<SkillId>()
  const session = createSessionWith(library, options.allow || options.trust ? { ...options, trust } : options, seen)
  const lost: { id: SkillId; reason: string }[] = []
  const attempt = async (id: SkillId, work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (error) {
      if (!(error instanceof SkillshelfError) || error.code === 'aborted') throw error
      lost.push({ id, reason: error.message })
      return false
    }
  }
  const opened: SkillId[] = []
  for (const { id, references } of state.open) {
    if (!(await attempt(id, () => session.load(id, at)))) continue
    opened.push(id)
    seen.add(id)
    for (const path of references) await attempt(id, () => session.loadReference(id, path, at))
  }
  const open = new Set(session.open.map(({ skill }) => skill.id))
  for (const id of opened)
    if (!open.has(id)) lost.push({ id, reason: `${id} was closed again to make room for those that were opened later` })
  return { session, lost }
}

function isState(state: unknown): state is SessionState {
  const { format, open } = (state ?? {}) as Partial<Record<keyof SessionState, unknown>>
  const isOpened = (one: unknown): boolean => {
    const { id, digest, references } = (one ?? {}) as Record<string, unknown>
    return (
      typeof id === 'string' &&
      typeof digest === 'string' &&
      Array.isArray(references) &&
      references.every(path => typeof path === 'string')
    )
  }
  return format === 'skillshelf-session/1' && Array.isArray(open) && open.every(isOpened)
}
