import type { LibraryChange } from '../catalog/types.js'

/** One listener that fails keeps no other from hearing. */
export function tell(listeners: Iterable<(change: LibraryChange) => void>, change: LibraryChange): void {
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
