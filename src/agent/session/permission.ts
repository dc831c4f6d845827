import type { AbortOptions } from '../../core/abort.js'
import { lazy } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { digestOfOpened } from '../../library/query/skill-digest.js'
import type { Skill, SkillFile, SkillId } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import { isForPeople } from './offered.js'
import type { PermissionRequest } from './options.js'

/** What the requester gets if it is allowed, so that its digest is that of the same bytes. */
interface Requested extends AbortOptions {
  opened?: Skill
  read?: Pick<SkillFile, 'path' | 'bytes'>
}

/** @throws SkillshelfError `not-allowed` if the requester must not have the skill or file */
export async function checkPermission(
  conversation: Conversation,
  request: Omit<PermissionRequest, 'digest'>,
  requested: Requested,
): Promise<void> {
  const { allow, open } = conversation
  const { kind, skill, by, path } = request
  const subject = path === undefined ? skill.name : `${path} of ${skill.name}`
  const refuse = (reason: string, hint: string): SkillshelfError =>
    new SkillshelfError('not-allowed', `${subject} ${reason}`, { subject: skill.id, hint })
  // Opening a skill for the model grants its files too.
  const isGranted = kind === 'file' && open.get(skill.id) !== undefined
  if (by === 'model' && isForPeople(conversation, skill) && !isGranted) {
    throw refuse('can only be opened by people', 'ask the user to open it')
  }
  if (by === 'user' && skill.userInvocable === false) {
    throw refuse('can only be opened by the model', 'the model opens it when needed')
  }
  const remember = (): void => {
    if (kind === 'skill' && by === 'model') conversation.refused.set(skill.id, skill.digest)
  }
  const trustedDigest = trustedDigestOf(conversation, skill.id)
  const digest = lazy(() => digestOfRequested(conversation, skill.id, requested))
  // S12: of every file, read now.
  if (trustedDigest !== undefined && (await isTrusted(trustedDigest, digest))) return
  if (trustedDigest !== undefined && !allow) {
    remember()
    throw refuse(
      'has changed since it was trusted, or its digest is that of its SKILL.md alone',
      'review it and update `trust` with skillDigest()',
    )
  }
  const asked: PermissionRequest = {
    ...request,
    ...(trustedDigest === undefined ? {} : { trustedDigest }),
    digest: async () => (await digest()).whole,
  }
  if (allow && !(await allow(asked))) {
    remember()
    throw refuse('was not allowed', 'continue without it')
  }
  if (kind === 'skill') conversation.refused.delete(skill.id)
}

/** The digest that the application trusts. */
function trustedDigestOf({ trust }: Conversation, id: SkillId): string | undefined {
  return trust && Object.hasOwn(trust, id) ? trust[id] : undefined
}

interface SkillDigests {
  whole: string
  /** Of the SKILL.md, if that is all of the skill. */
  alone: string | undefined
}

async function digestOfRequested(
  { library }: Conversation,
  id: SkillId,
  { opened, read, signal }: Requested,
): Promise<SkillDigests> {
  const skill = opened ?? (await library.get(id, { signal }))
  const whole = await digestOfOpened(library, skill, { read, signal })
  const isAlone = skill.files.length === 0
  const alone =
    isAlone && read?.path === skill.file ? await digestOfLarge(read.bytes) : skill.digest
  return { whole, alone: isAlone ? alone : undefined }
}

async function isTrusted(trusted: string, digest: () => Promise<SkillDigests>): Promise<boolean> {
  const { whole, alone } = await digest()
  return trusted === whole || trusted === alone
}

/** Whether a skill that is open needs to be allowed again: its digest in `trust` is no longer its own. */
export async function isChangedSinceTrusted(
  conversation: Conversation,
  skill: Skill,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const trusted = trustedDigestOf(conversation, skill.id)
  if (trusted === undefined) return false
  return !(await isTrusted(trusted, () =>
    digestOfRequested(conversation, skill.id, { opened: skill, signal }),
  ))
}
