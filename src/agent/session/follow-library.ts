import { mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { isSkillshelfError } from '../../core/errors.js'
import type { SkillId } from '../../skill/skill.js'
import type { Conversation } from './conversation.js'
import { load, loadReference, read, tokensOf, undefinedIfRefused } from './load.js'
import type { OpenSkill } from './open-skills.js'
import { isChangedSinceTrusted } from './permission.js'

/** How changes of the library affect the open skills. */
export interface LibraryEffects {
  /** Skills that were closed. */
  closed: readonly OpenSkill[]
  /** Closed skills whose instructions are still in the conversation. */
  outdated: readonly OpenSkill[]
  /** Skills with new instructions. */
  changed: readonly OpenSkill[]
}

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
 * Compares the open skills with the library if it has changed: closes those that are gone or no longer allowed, and reads edited skills
 * and references again. A source that cannot be read changes nothing.
 * @throws SkillshelfError `aborted`, `closed`; every error that is not a `SkillshelfError`
 */
export async function followLibrary(
  conversation: Conversation,
  signal: AbortSignal | undefined,
): Promise<LibraryEffects> {
  const { library, open, latest } = conversation
  await checkFiles(conversation, signal)
  const { revision } = library.snapshot
  let changed: SkillId[] = []
  if (revision !== conversation.followedRevision) {
    const result = await updateOpenSkills(conversation, signal)
    // Opening a skill again makes it the latest, but nobody asked for it.
    conversation.latest = latest
    changed = result.changed
    // `prepare` repeats their instructions.
    for (const id of changed) {
      const record = open.get(id)
      if (record) record.heldBy = 'model'
    }
    if (result.isComplete) conversation.followedRevision = revision
  }
  const closed = open.takeGone()
  return {
    closed: closed.map(({ entry }) => entry),
    outdated: closed.filter(({ heldBy }) => heldBy !== undefined).map(({ entry }) => entry),
    changed: open.entries().filter(({ skill }) => changed.includes(skill.id)),
  }
}

/** Lets the library notice what has changed in the files of the open skills, without a source that is watched. */
async function checkFiles(
  { library, open }: Conversation,
  signal: AbortSignal | undefined,
): Promise<void> {
  const skills = open.entries().map(({ skill }) => skill)
  await mapParallel(skills, PARALLEL_READS, ({ id }) =>
    undefinedIfRefused(library.get(id, { signal })),
  )
}

/** @returns `changed`: skills with new instructions. `isComplete`: false if a source could not be read. */
async function updateOpenSkills(
  conversation: Conversation,
  signal: AbortSignal | undefined,
): Promise<{ changed: SkillId[]; isComplete: boolean }> {
  const { library, open } = conversation
  const changed: SkillId[] = []
  let isComplete = true
  /** Returns `gone` if the library refuses, `undefined` if it cannot answer now. */
  const attempt = <T>(answer: Promise<T>): Promise<T | 'gone' | undefined> =>
    answer.catch(error => {
      if (!isSkillshelfError(error) || isSkillshelfError(error, 'aborted', 'closed')) throw error
      if (isSkillshelfError(error, ...REFUSALS)) return 'gone'
      isComplete = false
      return undefined
    })
  for (const { entry, by } of open.records()) {
    const { id, digest } = entry.skill
    const options = { by, signal }
    const current = await attempt(library.get(id, { signal }))
    if (current === undefined) continue
    if (current === 'gone' || current.id !== id) {
      open.closeGone(id)
      continue
    }
    const isSame = current.digest === digest
    // S12: another file of the skill may have changed.
    const mustAsk = isSame && (await attempt(isChangedSinceTrusted(conversation, current, signal)))
    if (mustAsk === undefined) continue
    // The files of the skill may be others, and with them the lists that the dialect adds.
    const tokens = conversation.withoutTools ? entry.tokens : tokensOf(conversation, current)
    if (isSame && !mustAsk) open.replace({ ...entry, skill: current, tokens })
    else {
      const loaded = await attempt(load(conversation, id, options))
      if (loaded === 'gone') open.closeGone(id)
      if (loaded === 'gone' || loaded === undefined) continue
      if (isSame) open.replace({ ...entry, skill: current, tokens })
      else changed.push(id)
    }
    for (const { path, text } of entry.references) {
      const file = await attempt(read(conversation, id, path, options))
      const now = open.get(id)?.entry
      if (!now || file === undefined || (file !== 'gone' && file.text === text)) continue
      open.replace({ ...now, references: now.references.filter(one => one.path !== path) })
      if (file !== 'gone') await attempt(loadReference(conversation, id, path, options))
    }
  }
  return { changed, isComplete }
}
