import { type Dirent, opendirSync } from 'node:fs'

/** Lists entries of a folder, at most `limit`. S6: a folder of a million entries is not listed whole. @throws if it cannot be read */
export function listFolder(folder: string, limit: number): Dirent[] {
  const entries: Dirent[] = []
  const listing = opendirSync(folder, { bufferSize: 256 })
  try {
    while (entries.length < limit) {
      const entry = listing.readSync()
      if (entry === null) break
      entries.push(entry)
    }
  } finally {
    listing.closeSync()
  }
  return entries
}
