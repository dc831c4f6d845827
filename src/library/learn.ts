import type { AbortOptions } from '../core/abort.js'
import { isSkillshelfError, SkillshelfError } from '../core/errors.js'
import type { SkillId } from '../skill/skill.js'
import type { Learning } from './learning/learning.js'
import type { ForgetOptions, LearnedMessage } from './learning/types.js'
import { checkOpen, type LibraryState, type OpenLibrary } from './state.js'

export async function learn(
  library: OpenLibrary,
  message: string,
  skill: string,
  options: AbortOptions = {},
): Promise<void> {
  const learning = learningOf(library, options)
  const { state } = library
  await learning.learn(message, state.lookup.find(skill).id, id => isGone(state, id))
}

export async function forget(
  library: OpenLibrary,
  { skill, message, all = false }: ForgetOptions = {},
): Promise<number> {
  const learning = learningOf(library)
  if (all === (skill !== undefined || message !== undefined))
    throw new SkillshelfError('invalid-input', '"forget" needs a skill, a message or both, or else "all: true"')
  return learning.forget({ skill: skill === undefined ? undefined : idOf(library, skill), message })
}

export async function learned(library: OpenLibrary): Promise<readonly LearnedMessage[]> {
  return learningOf(library).list()
}

export async function importLearned(library: OpenLibrary, messages: readonly LearnedMessage[]): Promise<void> {
  await learningOf(library).import(messages)
}

/** @throws SkillshelfError `unsupported`, `closed`, `aborted` */
function learningOf(library: OpenLibrary, options: AbortOptions = {}): Learning {
  checkOpen(library, options)
  if (library.learning) return library.learning
  throw new SkillshelfError('unsupported', 'This library does not learn', {
    hint: 'open it with openLibrary(…, { learn: true })',
  })
}

/** Removed skills are known by their ids only. */
function idOf({ state }: OpenLibrary, skill: string): SkillId {
  try {
    return state.lookup.find(skill).id
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) return skill
    throw error
  }
}

/** Whether a source that was read no longer has a skill. Skills of other libraries with the same store are not gone. */
function isGone({ sources }: LibraryState, id: SkillId): boolean {
  const source = sources.find(({ origin }) => id === origin || id.startsWith(`${origin}/`))
  return source !== undefined && !source.failure && !source.loaded.byPath.has(id.slice(source.origin.length + 1))
}
