import { SkillshelfError } from '../../core/errors.js'
import { joinPath, relativePath } from '../../core/paths.js'
import { owningFolder } from '../../library/catalog/discover.js'
import type { SkillLibrary } from '../../library/types.js'
import type { SkillSummary } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import type { PermissionRequest } from './options.js'

/** @throws SkillshelfError `not-allowed` if the requester must not have the skill or file */
export async function checkPermission({ allow, trust, open }: Conversation, request: PermissionRequest): Promise<void> {
  const { kind, skill, by, path } = request
  const subject = path === undefined ? skill.name : `${path} of ${skill.name}`
  const refuse = (reason: string, hint: string): SkillshelfError =>
    new SkillshelfError('not-allowed', `${subject} ${reason}`, { subject: skill.id, hint })
  // Opening a skill for the model grants its files too.
  const isGranted = kind === 'file' && open.get(skill.id) !== undefined
  if (by === 'model' && skill.disableModelInvocation && !isGranted)
    throw refuse('can only be opened by people', 'ask the user to open it')
  if (by === 'user' && skill.userInvocable === false)
    throw refuse('can only be opened by the model', 'the model opens it when needed')
  const trustedDigest = trust && Object.hasOwn(trust, skill.id) ? trust[skill.id] : undefined
  if (trustedDigest === skill.digest) return
  if (trustedDigest !== undefined && !allow)
    throw refuse('has changed since it was trusted', 'review it and update `trust`')
  if (allow && !(await allow(trustedDigest === undefined ? request : { ...request, trustedDigest })))
    throw refuse('was not allowed', 'continue without it')
}

/** Finds the nested skill that contains a file of the outer skill. Its permissions apply too. */
export function nestedSkillOf(
  { snapshot }: SkillLibrary,
  outer: SkillSummary,
  path: string,
): { skill: SkillSummary; path: string } | undefined {
  const byPath = new Map(snapshot.skills.filter(({ origin }) => origin === outer.origin).map(one => [one.path, one]))
  const fullPath = joinPath(outer.path, path)
  const skill = byPath.get(owningFolder(fullPath, byPath) ?? outer.path)
  return skill && skill.id !== outer.id ? { skill, path: relativePath(skill.path, fullPath) } : undefined
}
