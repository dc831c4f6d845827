import type { SkillLibrary } from 'skillshelf'
import { nextTask } from './next-task.js'

/** The longest time in ms that searches may block the page. */
const MAX_BLOCKING = 30

/** Wraps a library so that a long series of searches yields to the page. */
export function yielding(library: SkillLibrary): SkillLibrary {
  let last = performance.now()
  return Object.create(library, {
    search: {
      async value(...args: Parameters<SkillLibrary['search']>) {
        if (performance.now() - last > MAX_BLOCKING) {
          await nextTask()
          last = performance.now()
        }
        return library.search(...args)
      },
    },
  }) as SkillLibrary
}
