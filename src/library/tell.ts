import type { LibraryChange } from '../catalog/types.js'
import { SkillshelfError } from '../core/errors.js'

type Listener = (change: LibraryChange) => void

/** @throws SkillshelfError `invalid-input` */
export function listen(listeners: Set<Listener>, event: string, listener: Listener): () => void {
  if (event !== 'change' || typeof listener !== 'function')
    throw new SkillshelfError('invalid-input', `Nobody listens to ${JSON.stringify(event)}`, {
      hint: "give 'change' and a function",
    })
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** One listener that fails keeps no other from hearing. */
export function tell(listeners: Iterable<Listener>, change: LibraryChange): void {
  const failures: unknown[] = []
  for (const listener of [...listeners]) {
    try {
      listener(change)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
