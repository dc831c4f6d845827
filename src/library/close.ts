import { SkillshelfError } from '../core/errors.js'
import type { OpenLibrary } from './state.js'

/** Closes the library, its matcher and its sources. Later calls do nothing. */
export async function close(library: OpenLibrary, unwatch: readonly (() => void)[]): Promise<void> {
  if (library.closed) return
  library.closed = true
  library.listeners.clear()
  for (const stop of unwatch) stop()
  await stopUpgrade(library)
  await library.matcher.close()
  await Promise.all(library.state.sources.map(({ source }) => source.close?.()))
}

/** Aborts the current upgrade and closes its embedder. */
export async function stopUpgrade(library: OpenLibrary): Promise<void> {
  const { upgrade, upgradeAbort } = library
  library.upgrade = undefined
  upgradeAbort?.abort(new SkillshelfError('closed', 'The embedder was replaced or the library was closed'))
  await upgrade?.close()
}
