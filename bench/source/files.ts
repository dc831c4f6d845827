import { readFile } from 'node:fs/promises'
import { openLibrary, type SkillSource } from '../../src/exports/index.js'
import { archive } from '../../src/exports/sources.js'
import { directory } from '../../src/source/directory/directory.js'
import { countReads } from './counted.js'
import type { OpenedTarget, Target } from './types.js'

/** A folder on disk, packed or not. Each file and each listing counts as a read. */
export function folderTarget(folder: string): Target {
  const { source, counts } = countReads(directory(folder))
  return { open: () => openTarget(source), counts }
}

/** A zip on disk, read whole. */
export function zipTarget(file: string): Target {
  let bytes = 0
  let reads = 0
  const read = async () => {
    const content = await readFile(file)
    reads++
    bytes += content.length
    return content
  }
  return {
    // The default limit is 10,000 files.
    open: () => openTarget(archive(read, { limits: { files: 20_000 } })),
    counts() {
      const then = { reads, bytes }
      reads = 0
      bytes = 0
      return then
    },
  }
}

export async function openTarget(source: SkillSource): Promise<OpenedTarget> {
  const library = await openLibrary(source, { strict: false, embedder: false })
  const { skills, diagnostics } = library.snapshot
  const failed = diagnostics.find(
    ({ code }) => code === 'source-missing' || code === 'source-unreadable',
  )
  if (failed) throw new Error(failed.message)
  return { skills: skills.length, held: library, close: () => library.close() }
}
