import { isSkillshelfError, type SkillSource } from 'skillshelf'
import { bundled } from 'skillshelf/model'
import { remember } from './choice.js'
import type { Folder } from './folder.js'
import { sourceOf } from './folder-source.js'
import { archiveTrouble, messageOf, type Trouble } from './opening.js'
import { type Mine, openMine } from './store.js'

/** How many skills were kept that were not there, and how many in place of one. */
export interface Kept {
  added: number
  replaced: number
}

export interface KeepOptions {
  signal: AbortSignal
  onProgress(done: number, total: number): void
}

/**
 * Keeps every skill of a folder or archive in this browser: all, or none.
 * @param source What it was opened as, where it was.
 * @throws SkillshelfError `aborted`, or the signal's reason
 */
export function keep(
  folder: Folder,
  options: KeepOptions,
  source: SkillSource = sourceOf(folder),
): Promise<Kept | { trouble: Trouble }> {
  const { signal } = options
  // A disk that does not answer holds nobody up who has had enough.
  const stopped = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
  return Promise.race([install(folder.name, source, options), stopped])
}

async function install(
  where: string,
  source: SkillSource,
  { signal, onProgress }: KeepOptions,
): Promise<Kept | { trouble: Trouble }> {
  let amount: number
  try {
    amount = (await source.list?.({ signal }))?.length ?? 0
  } catch (error) {
    signal.throwIfAborted()
    return { trouble: archiveTrouble(error, where) }
  }
  const mine = await writable()
  try {
    const { added, changed } = await mine.install(source, {
      signal,
      onProgress: ({ phase, done, total }) => phase === 'write' && onProgress(done, total),
    })
    remember('kept', 'yes')
    // Nothing waits for the answer, and nothing hangs on it.
    void mine.persist()
    return { added: added.length, replaced: changed.length }
  } catch (error) {
    signal.throwIfAborted()
    if (isSkillshelfError(error, 'skill-not-found'))
      return { trouble: { kind: 'no-skills', where, amount, diagnostics: [] } }
    return { trouble: storeTrouble(error, where) }
  } finally {
    await mine.close()
  }
}

/** What is kept, to be changed: what is put in gets the vectors of the bundled model, as far as that can be loaded. */
export async function writable(): Promise<Mine> {
  const model = await bundled().catch(() => undefined)
  return openMine(model && { ...model, prepare: async text => model.prepare?.(text).catch(() => {}) })
}

/** Why this browser would not keep something, or do something else with what it keeps. */
export function storeTrouble(error: unknown, where: string, otherwise: 'not-kept' | 'not-done' = 'not-kept'): Trouble {
  const kind = isSkillshelfError(error, 'storage-full')
    ? 'no-room'
    : isSkillshelfError(error, 'unsupported')
      ? 'no-store'
      : otherwise
  return { kind, where, detail: messageOf(error) }
}
