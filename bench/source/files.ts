import { readFile } from 'node:fs/promises'
import { archive } from '../../src/exports/archive.js'
import { openLibrary, type SkillSource } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'
import { counted } from './counted.js'
import type { Opened, Place } from './place.js'

/** A folder on disk, packed or not: each file that is read is a read, and so is the walk that lists it. */
export function folderPlace(folder: string): Place {
  const { source, counts } = counted(directory(folder))
  return { open: () => opened(source), counts }
}

/** A zip on disk, read whole. */
export function zipPlace(file: string): Place {
  let bytes = 0
  let reads = 0
  const read = async () => {
    const content = await readFile(file)
    reads++
    bytes += content.length
    return content
  }
  return {
    // 10,000 files are the limit where none is given.
    open: () => opened(archive(read, { limits: { files: 20_000 } })),
    counts() {
      const then = { reads, bytes }
      reads = 0
      bytes = 0
      return then
    },
  }
}

export async function opened(source: SkillSource): Promise<Opened> {
  const library = await openLibrary(source, { strict: false })
  const { skills, diagnostics } = library.snapshot
  const failed = diagnostics.find(({ code }) => code === 'source-missing' || code === 'source-unreadable')
  if (failed) throw new Error(failed.message)
  return { skills: skills.length, held: library, close: () => library.close() }
}
