import { SkillshelfError } from '../core/errors.js'
import type { PermissionRequest, SessionOptions } from './types.js'

/** Throws `not-allowed` where a skill or file must not be given to whoever asks. */
export function createPermissionCheck({
  allow,
  trust,
}: Pick<SessionOptions, 'allow' | 'trust'>): (request: PermissionRequest, isOpen?: boolean) => Promise<void> {
  return async (request, isOpen = false) => {
    const { skill, by, path } = request
    const what = path === undefined ? skill.name : `${path} of ${skill.name}`
    const refuse = (why: string, hint: string): SkillshelfError =>
      new SkillshelfError('not-allowed', `${what} ${why}`, { subject: skill.id, hint })
    // Whoever opened it for the model gave it the files too.
    if (by === 'model' && skill.disableModelInvocation && !isOpen)
      throw refuse('is opened by people only', 'ask the user to open it')
    if (by === 'user' && skill.userInvocable === false)
      throw refuse('is no command for people', 'the model opens it where it is needed')
    const trusted = trust && Object.hasOwn(trust, skill.id) ? trust[skill.id] : undefined
    if (trusted === skill.digest) return
    if (trusted !== undefined && !allow)
      throw refuse('is not as it was when it was trusted', 'look at it, and trust it again')
    if (allow && !(await allow(trusted === undefined ? request : { ...request, trustedDigest: trusted })))
      throw refuse('was not allowed', 'go on without it')
  }
}
