import type { AbortOptions } from '../../core/abort.js'
import { invalidInput, isSkillshelfError } from '../../core/errors.js'
import { checkOptionNames, ONLY_SIGNAL, type OptionNames } from '../../core/text/option-names.js'
import type { SkillId } from '../../skill/skill.js'
import type { ForgetOptions } from '../api/learned-messages.js'
import type { LocalLibrary } from '../api/skill-library.js'
import type { Learning } from '../learning/learning.js'
import type { LibraryState } from '../state/state.js'
import type { LibraryIndex } from './library-index.js'

export { openLearning } from '../learning/learning.js'

const FORGET = { skill: 1, message: 1, all: 1 } satisfies OptionNames<ForgetOptions>

export function learningMethods(
  index: LibraryIndex,
  learning: Learning,
): Pick<
  LocalLibrary,
  'learns' | 'learn' | 'noteUnused' | 'forget' | 'learned' | 'importLearned' | 'report'
> {
  learning.follow(
    index.lifetime,
    () => index.state.snapshot,
    id => isGone(index.state, id),
  )
  /** @throws SkillshelfError `closed`, `aborted` */
  const open = (options?: AbortOptions): Learning => {
    index.lifetime.check(options)
    return learning
  }
  return {
    learns: true,
    async learn(message, skill, options) {
      checkOptionNames(options, ONLY_SIGNAL)
      const opened = open(options)
      const { state } = index
      await opened.learn(message, state.lookup.find(skill).id, id => isGone(state, id))
    },
    noteUnused: async (message, result) => open().note(message, result),
    report: async () => open().report(index.state.snapshot.skills.map(({ id }) => id)),
    async forget(selection = {}) {
      checkOptionNames(selection, FORGET)
      const { skill, message, all = false } = selection
      const opened = open()
      if (all === (skill !== undefined || message !== undefined)) {
        throw invalidInput('"forget" needs a skill, a message or both, or else "all: true"')
      }
      return opened.forget(skill === undefined ? undefined : idOf(index.state, skill), message)
    },
    learned: async () => open().list(),
    importLearned: async messages => open().import(messages),
  }
}

/** Removed skills are known by their ids only. */
function idOf({ lookup }: LibraryState, skill: string): SkillId {
  try {
    return lookup.find(skill).id
  } catch (error) {
    if (isSkillshelfError(error, 'skill-not-found')) return skill
    throw error
  }
}

/** Whether a source that was read no longer has a skill. Skills of other libraries with the same store are not gone. */
function isGone({ sources }: LibraryState, id: SkillId): boolean {
  const source = sources.find(({ origin }) => id === origin || id.startsWith(`${origin}/`))
  return (
    source !== undefined &&
    !source.failure &&
    !source.loaded.byPath.has(id.slice(source.origin.length + 1))
  )
}
