import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillId } from '../../skill/types.js'
import type { OpenSkills } from './open-skills.js'
import type { Session } from './types.js'

/** The library answers, and the answer is no. After any other error it can be asked again. */
const REFUSALS = [
  'skill-not-found',
  'resource-not-found',
  'not-allowed',
  'not-loaded',
  'too-large',
  'unsupported',
  'invalid-path',
] as const

/**
 * Compares the open skills with the library: closes those that are gone or no longer allowed, and reads edited skills and
 * references again. A source that cannot be read changes nothing.
 * @returns `changed`: skills with new instructions. `isComplete`: false if a source could not be read.
 * @throws SkillshelfError `aborted`, `closed`; every error that is not a `SkillshelfError`
 */
export async function followLibrary(
  session: Session,
  open: OpenSkills,
  { signal }: AbortOptions,
): Promise<{ changed: SkillId[]; isComplete: boolean }> {
  const changed: SkillId[] = []
  let isComplete = true
  /** Returns `gone` if the library refuses, `undefined` if it cannot answer now. */
  const attempt = async <T>(action: () => Promise<T>): Promise<T | 'gone' | undefined> => {
    try {
      return await action()
    } catch (error) {
      if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
      if (isSkillshelfError(error, ...REFUSALS)) return 'gone'
      isComplete = false
      return undefined
    }
  }
  for (const { entry, by } of open.records()) {
    const { id, digest } = entry.skill
    const options = { by, signal }
    const current = await attempt(() => session.library.get(id, { signal }))
    if (current === undefined) continue
    if (current === 'gone' || current.id !== id) {
      open.closeGone(id)
      continue
    }
    if (current.digest === digest) open.replace({ ...entry, skill: current })
    else {
      const loaded = await attempt(() => session.load(id, options))
      if (loaded === 'gone') open.closeGone(id)
      if (loaded === 'gone' || loaded === undefined) continue
      changed.push(id)
    }
    for (const { path, text } of entry.references) {
      const file = await attempt(() => session.read(id, path, options))
      const now = open.get(id)?.entry
      if (!now || file === undefined || (file !== 'gone' && file.text === text)) continue
      open.replace({ ...now, references: now.references.filter(one => one.path !== path) })
      if (file !== 'gone') await attempt(() => session.loadReference(id, path, options))
    }
  }
  return { changed, isComplete }
}
