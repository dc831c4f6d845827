import type { AbortOptions } from '../../core/abort.js'
import { lazy } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { joinPath, relativePath } from '../../core/paths.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { owningFolder } from '../../library/catalog/discover.js'
import { createLookup } from '../../library/catalog/lookup.js'
import { digestOfOpened } from '../../library/query/skill-digest.js'
import type { Skill, SkillFile, SkillId, SkillSummary } from '../../skill/skill.js'
import { checkFits, fits, shortenMessages, tooLarge, unloadUnused } from './context.js'
import type { Conversation } from './conversation.js'
import { isHeld } from './instructions.js'
import type { LoadReferenceResult, LoadResult, OpenSkill, Requester } from './open-skills.js'
import type { PermissionRequest } from './options.js'

interface RequestOptions extends AbortOptions {
  by?: Requester | undefined
}

interface LoadOptions extends RequestOptions {
  /** The model sees no more tokens of the instructions than this. */
  maxTokens?: number
}

/** Implements `Session.load`. */
export function load(
  conversation: Conversation,
  name: string,
  options: LoadOptions = {},
): Promise<LoadResult> {
  const action = () => openSkill(conversation, name, options)
  return conversation.activities.run({ type: 'load', skill: name }, action, loadDetails)
}

async function openSkill(
  conversation: Conversation,
  name: string,
  { by = 'host', signal, maxTokens = Number.POSITIVE_INFINITY }: LoadOptions,
): Promise<LoadResult> {
  const { library, open, budgets, countTokens, learning } = conversation
  const skill = await library.get(name, { signal })
  await checkPermission(conversation, { kind: 'skill', skill, by }, { opened: skill, signal })
  const previous = open.get(skill.id)
  if (previous?.entry.skill.digest === skill.digest && isHeld(conversation, previous, by)) {
    conversation.latest = skill.id
    const status = conversation.repeatsInstructions ? 'loaded' : 'already-loaded'
    return { skill, status, tokens: previous.entry.tokens, unloaded: [] }
  }
  const tokens = Math.min(countTokens(skill.instructions), maxTokens)
  if (tokens >= budgets.skill) {
    throw tooLarge(
      `${skill.name} exceeds the skill budget`,
      { skill: tokens, budget: budgets.skill },
      'raise `budgets.skill` of createSession, or shorten the skill',
    )
  }
  open.close(skill.id)
  try {
    const unloaded = unloadUnused(conversation, tokens, skill.id)
    if (conversation.compact && !fits(conversation, tokens)) {
      await shortenMessages(conversation, tokens, signal)
    }
    checkFits(conversation, skill.name, tokens, unloaded)
    open.set({
      entry: { skill, tokens, references: previous?.entry.references ?? [] },
      by: previous?.by ?? by,
      heldBy: by === 'model' ? 'model' : 'host',
    })
    conversation.latest = skill.id
    if (by === 'model' && !previous) await learning?.opened(skill.id)
    return { skill, status: 'loaded', tokens, unloaded }
  } catch (error) {
    if (previous) open.set(previous)
    throw error
  }
}

/** Implements `Session.loadReference`. */
export function loadReference(
  conversation: Conversation,
  name: string,
  path: string,
  options: RequestOptions = {},
): Promise<LoadReferenceResult> {
  const action = () => openReference(conversation, name, path, options)
  return conversation.activities.run(
    { type: 'load-reference', skill: name, path },
    action,
    result => ({
      ...loadDetails(result),
      path: result.file.path,
    }),
  )
}

async function openReference(
  conversation: Conversation,
  name: string,
  path: string,
  options: RequestOptions,
): Promise<LoadReferenceResult> {
  const { open, countTokens } = conversation
  if (conversation.opensForReferences) await load(conversation, name, options)
  const { id } = findOpen(conversation, name).skill
  const file = await read(conversation, id, path, options)
  // After each `await` the skill can be closed, or another call can have added the same file.
  const findReference = (entry: OpenSkill) => entry.references.find(one => one.path === file.path)
  const before = findOpen(conversation, id)
  const { skill } = before
  const added = findReference(before)
  if (added) return { skill, file, status: 'already-loaded', tokens: added.tokens, unloaded: [] }
  const { text } = file
  if (text === undefined) {
    throw new SkillshelfError('unsupported', `${file.path} of ${skill.name} is not text`, {
      subject: file.path,
    })
  }
  const tokens = countTokens(text)
  const unloaded = unloadUnused(conversation, tokens, id)
  if (!fits(conversation, tokens)) await shortenMessages(conversation, tokens, options.signal)
  const entry = findOpen(conversation, id)
  const existing = findReference(entry)
  if (existing) {
    return { skill: entry.skill, file, status: 'already-loaded', tokens: existing.tokens, unloaded }
  }
  checkFits(conversation, `${file.path} of ${skill.name}`, tokens, unloaded)
  open.replace({ ...entry, references: [...entry.references, { path: file.path, tokens, text }] })
  return { skill, file, status: 'loaded', tokens, unloaded }
}

/** What is reported of a load. A skill that was open adds no tokens. */
function loadDetails({ skill, status, tokens, unloaded }: LoadResult) {
  return { skill: skill.id, tokens: status === 'loaded' ? tokens : 0, skills: unloaded }
}

/** Implements `Session.unload`. */
export function unload(conversation: Conversation, name: string): OpenSkill | undefined {
  return conversation.activities.run(
    { type: 'unload', skill: name },
    () => {
      try {
        return conversation.open.close(findOpen(conversation, name).skill.id)?.entry
      } catch {
        return undefined
      }
    },
    closed => (closed ? { skill: closed.skill.id, tokens: closed.tokens } : {}),
  )
}

/** Implements `Session.read`. */
export function read(
  conversation: Conversation,
  name: string,
  path: string,
  { by = 'host', signal }: RequestOptions = {},
): Promise<SkillFile> {
  const { library } = conversation
  return conversation.activities.run(
    { type: 'read', skill: name, path },
    async () => {
      const file = await library.read(name, path, { signal })
      const skill =
        library.snapshot.skills.find(({ id }) => id === file.skill) ??
        (await library.get(file.skill))
      const nested = nestedSkillOf(library, skill, file.path)
      const read = { path: file.path, bytes: file.bytes }
      await checkPermission(
        conversation,
        { kind: 'file', skill, path: file.path, by },
        { read, signal },
      )
      if (nested) {
        const inner = { path: nested.path, bytes: file.bytes }
        await checkPermission(
          conversation,
          { kind: 'file', ...nested, by },
          { read: inner, signal },
        )
      }
      return file
    },
    ({ skill, path }) => ({ skill, path }),
  )
}

/** @throws SkillshelfError `not-loaded` */
function findOpen({ open }: Conversation, name: string): OpenSkill {
  const entries = open.entries()
  const skills = entries.map(({ skill }) => skill)
  try {
    const { id } = createLookup(skills, new Map()).find(name)
    return entries.find(({ skill }) => skill.id === id) as OpenSkill
  } catch (error) {
    const details = {
      subject: name,
      candidates: skills.map(skill => skill.name),
      hint: 'load it first',
    }
    throw new SkillshelfError('not-loaded', `${name} is not open`, details, error)
  }
}

/** Awaits `promise`, and returns `undefined` if the library or a permission refuses. */
export async function undefinedIfRefused<T>(promise: Promise<T>): Promise<T | undefined> {
  return promise.catch(error => {
    if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
    return undefined
  })
}

/** What the requester gets if it is allowed, so that its digest is that of the same bytes. */
interface Requested extends AbortOptions {
  opened?: Skill
  read?: Pick<SkillFile, 'path' | 'bytes'>
}

/** @throws SkillshelfError `not-allowed` if the requester must not have the skill or file */
async function checkPermission(
  conversation: Conversation,
  request: Omit<PermissionRequest, 'digest'>,
  requested: Requested,
): Promise<void> {
  const { allow, trust, open } = conversation
  const { kind, skill, by, path } = request
  const subject = path === undefined ? skill.name : `${path} of ${skill.name}`
  const refuse = (reason: string, hint: string): SkillshelfError =>
    new SkillshelfError('not-allowed', `${subject} ${reason}`, { subject: skill.id, hint })
  // Opening a skill for the model grants its files too.
  const isGranted = kind === 'file' && open.get(skill.id) !== undefined
  if (by === 'model' && skill.disableModelInvocation && !isGranted) {
    throw refuse('can only be opened by people', 'ask the user to open it')
  }
  if (by === 'user' && skill.userInvocable === false) {
    throw refuse('can only be opened by the model', 'the model opens it when needed')
  }
  const trustedDigest = trust && Object.hasOwn(trust, skill.id) ? trust[skill.id] : undefined
  const digest = lazy(() => digestOfRequested(conversation, skill.id, requested))
  // S12: of every file, read now.
  if (trustedDigest !== undefined && (await isTrusted(trustedDigest, digest))) return
  if (trustedDigest !== undefined && !allow) {
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
  if (allow && !(await allow(asked))) throw refuse('was not allowed', 'continue without it')
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
  const { trust } = conversation
  const trusted = trust && Object.hasOwn(trust, skill.id) ? trust[skill.id] : undefined
  if (trusted === undefined) return false
  return !(await isTrusted(trusted, () =>
    digestOfRequested(conversation, skill.id, { opened: skill, signal }),
  ))
}

/** Finds the nested skill that contains a file of the outer skill. Its permissions apply too. */
function nestedSkillOf(
  { snapshot }: SkillLibrary,
  outer: SkillSummary,
  path: string,
): { skill: SkillSummary; path: string } | undefined {
  const byPath = new Map(
    snapshot.skills.filter(({ origin }) => origin === outer.origin).map(one => [one.path, one]),
  )
  const fullPath = joinPath(outer.path, path)
  const skill = byPath.get(owningFolder(fullPath, byPath) ?? outer.path)
  return skill && skill.id !== outer.id
    ? { skill, path: relativePath(skill.path, fullPath) }
    : undefined
}
