import type { SkillSummary } from 'skillshelf'
import type { Library } from './desk.js'
import { writable } from './keeping.js'
import { type Mine, openMine } from './store.js'

/** What can be done with what is kept in this browser, beside adding to it. */

/** A skill that was removed, to be put back as it was. */
export interface Removed {
  id: string
  name: string
  /** By their paths in the library. */
  files: Readonly<Record<string, Uint8Array>>
}

/**
 * Gives what it takes to put the skill back; `undefined` where it could not be read, and so is gone for good.
 * @throws SkillshelfError where it cannot be removed
 */
export async function removeKept(library: Library, skill: SkillSummary): Promise<Removed | undefined> {
  const { id, name, displayName = name } = skill
  const files = await filesOf(library, skill).catch(() => undefined)
  await withMine(openMine(), mine => mine.remove(id))
  return files && { id, name: displayName, files }
}

/** @throws SkillshelfError where there is no room for it, say */
export async function putBack({ files }: Removed): Promise<void> {
  await withMine(await writable(), mine => mine.install(files))
}

/** All of them with all their files, as a zip. */
export function exportKept(): Promise<Uint8Array<ArrayBuffer>> {
  return withMine(openMine(), mine => mine.export())
}

/** `persisted`: the browser clears them only where it is told to. */
export async function roomOfKept(): Promise<{ bytes: number; persisted: boolean }> {
  const { bytes, persisted = false } = await withMine(openMine(), mine => mine.usage())
  return { bytes, persisted }
}

async function withMine<T>(mine: Mine, work: (mine: Mine) => Promise<T>): Promise<T> {
  try {
    return await work(mine)
  } finally {
    await mine.close()
  }
}

async function filesOf(library: Library, { id, path }: SkillSummary): Promise<Removed['files']> {
  const { file, files } = await library.get(id)
  const found: Record<string, Uint8Array> = {}
  for (const one of [file, ...files.map(({ path: inner }) => inner)])
    found[`${path}/${one}`] = (await library.read(id, one)).bytes
  return found
}
