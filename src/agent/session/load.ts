import type { AbortOptions } from '../../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { createLookup } from '../../library/catalog/lookup.js'
import type { SkillFile, SkillId } from '../../skill/skill.js'
import { checkFits, fits, shortenMessages, tooLarge, unloadUnused } from './context.js'
import type { Conversation, RequestedPart } from './conversation.js'
import { isHeld } from './instructions.js'
import { nestedSkillOf } from './nested-skill.js'
import type { LoadReferenceResult, LoadResult, OpenSkill, Requester } from './open-skills.js'
import { checkPermission } from './permission.js'

/** Few skills require others. */
const loadRequired = onDemand(() => import('./required-skill.js'))

interface RequestOptions extends AbortOptions {
  by?: Requester | undefined
}

interface LoadOptions extends RequestOptions {
  /** The model sees no more tokens of the skill than this. */
  maxTokens?: number
  /** Set for a skill that others require: those that are being opened, the one that requires it last. */
  requiredBy?: readonly SkillId[]
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
  options: LoadOptions,
): Promise<LoadResult> {
  const { by = 'host', signal, maxTokens = Number.POSITIVE_INFINITY, requiredBy = [] } = options
  const { library, open, budgets, learning, dialect } = conversation
  const skill = await library.get(name, { signal })
  await checkPermission(conversation, { kind: 'skill', skill, by }, { opened: skill, signal })
  const previous = open.get(skill.id)
  if (previous?.entry.skill.digest === skill.digest && isHeld(conversation, previous, by)) {
    conversation.latest = skill.id
    if (requiredBy.length === 0) previous.requiredBy = undefined
    return {
      skill,
      status: repeatedStatus(conversation, { skill: skill.id }),
      tokens: previous.entry.tokens,
      unloaded: [],
    }
  }
  const tokens = Math.min(tokensOf(conversation, skill), maxTokens)
  if (tokens >= budgets.skill) {
    throw tooLarge(
      `${skill.name} exceeds the skill budget`,
      { skill: tokens, budget: budgets.skill },
      'raise `budgets.skill` of createSession, or shorten the skill',
    )
  }
  open.close(skill.id)
  const { required, missing } = await openRequired(conversation, skill, options)
  try {
    const keep = [skill.id, ...requiredBy, ...required.map(({ id }) => id)]
    const unloaded = unloadUnused(conversation, tokens, keep)
    if (conversation.compact && !fits(conversation, tokens)) {
      await shortenMessages(conversation, tokens, signal)
    }
    checkFits(conversation, skill.name, tokens, unloaded)
    open.set({
      entry: { skill, tokens, references: previous?.entry.references ?? [] },
      by: previous?.by ?? by,
      heldBy: heldAtFirst(options, dialect),
      requiredBy: requiredBy.length > 0 ? requiredBy.slice(-1) : undefined,
    })
    conversation.latest = skill.id
    conversation.requested?.push({ skill: skill.id })
    // What a skill requires was not found for the message.
    if (by === 'model' && !previous && requiredBy.length === 0) await learning?.opened(skill.id)
    return {
      ...{ skill, status: 'loaded', tokens, unloaded },
      ...(required.length > 0 ? { required } : {}),
      ...(missing.length > 0 ? { missing } : {}),
    }
  } catch (error) {
    if (previous) open.set(previous)
    else open.closeRequired(skill.id)
    throw error
  }
}

/** Who has the instructions of a skill that is opened. The next `prepare` reminds a model that has not got those of a required one. */
function heldAtFirst(
  { by, requiredBy = [] }: LoadOptions,
  { givesRequired = false }: Conversation['dialect'],
): 'model' | 'host' | undefined {
  if (requiredBy.length > 0 && !(by === 'model' && givesRequired)) return undefined
  return by === 'model' ? 'model' : 'host'
}

/** Opens what a skill requires, and what that requires, each once. What is refused or does not fit is left out. */
async function openRequired(
  conversation: Conversation,
  skill: OpenSkill['skill'],
  { by, signal, requiredBy = [] }: LoadOptions,
): Promise<{ required: OpenSkill['skill'][]; missing: string[] }> {
  const { library, open } = conversation
  const required: OpenSkill['skill'][] = []
  const missing: string[] = []
  const names = skill.metadata.requires ?? []
  if (names.length === 0) return { required, missing }
  const { requiredSkill } = await loadRequired()
  for (const name of names) {
    const found = await requiredSkill(library, skill, name, { signal })
    // One that is being opened requires this one: a circle.
    if (found && requiredBy.includes(found.id)) continue
    const known = found && open.get(found.id)
    if (known) {
      if (known.requiredBy) known.requiredBy = [...known.requiredBy, skill.id]
      continue
    }
    const before = [...requiredBy, ...required.map(({ id }) => id), skill.id]
    const result =
      found &&
      (await undefinedIfRefused(load(conversation, found.id, { by, signal, requiredBy: before })))
    if (result) required.push(...(result.required ?? []), result.skill)
    else missing.push(name)
  }
  return { required, missing }
}

/** The status of what is open already, and is requested again. */
function repeatedStatus({ requested }: Conversation, part: RequestedPart): LoadResult['status'] {
  requested?.push(part)
  return requested ? 'loaded' : 'already-loaded'
}

/** Tokens of a skill as the dialect shows it, with its lists of files. */
export function tokensOf(
  { dialect, session, countTokens }: Conversation,
  skill: OpenSkill['skill'],
): number {
  return countTokens(dialect.skillText(session, { skill, tokens: 0, references: [] }))
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
  const part = { skill: id, path: file.path }
  if (added) {
    return {
      skill,
      file,
      status: repeatedStatus(conversation, part),
      tokens: added.tokens,
      unloaded: [],
    }
  }
  const { text } = file
  if (text === undefined) {
    throw new SkillshelfError('unsupported', `${file.path} of ${skill.name} is not text`, {
      subject: file.path,
    })
  }
  const tokens = countTokens(text)
  const unloaded = unloadUnused(conversation, tokens, [id])
  if (!fits(conversation, tokens)) await shortenMessages(conversation, tokens, options.signal)
  const entry = findOpen(conversation, id)
  const existing = findReference(entry)
  if (existing) {
    const status = repeatedStatus(conversation, part)
    return { skill: entry.skill, file, status, tokens: existing.tokens, unloaded }
  }
  checkFits(conversation, `${file.path} of ${skill.name}`, tokens, unloaded)
  open.replace({ ...entry, references: [...entry.references, { path: file.path, tokens, text }] })
  conversation.requested?.push(part)
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
        const { open } = conversation
        const closed = open.close(findOpen(conversation, name).skill.id)?.entry
        if (closed) open.closeRequired(closed.skill.id)
        return closed
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
