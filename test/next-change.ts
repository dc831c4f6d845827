import type { LibraryChange, SkillLibrary } from '../src/exports/index.js'

/** Resolves with the next change of a library. */
export const nextChange = (library: SkillLibrary): Promise<LibraryChange> =>
  new Promise(resolve => {
    const stop = library.on('change', change => {
      stop()
      resolve(change)
    })
  })
