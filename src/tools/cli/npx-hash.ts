import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isJunk } from '../../core/content.js'

/*
 * The hash that `npx skills` writes: SHA-256 over the path and the content of each file, in the order of their paths. That program sorts by
 * the locale of the machine, and hashes the bytes of a checkout and what tools left there. So the same skill has several hashes.
 */

/** Folders that `npx skills` leaves out. */
const NOT_HASHED: ReadonlySet<string> = new Set(['.git', 'node_modules'])

interface HashedFile {
  /** Relative to the folder of the skill. */
  path: string
  bytes: Buffer
}

/** The hash of `npx skills`, in the order of English everywhere. */
export async function npxHash(folder: string): Promise<string> {
  return hashOf(await readFiles(folder), 'en')
}

/** Whether `npx skills` could have written a hash for this skill: in the locale of this machine, with other line ends, before tools ran. */
export async function isNpxHash(hash: string, folder: string): Promise<boolean> {
  const files = await readFiles(folder)
  const content = files.filter(({ path }) => !isJunk(path))
  const contents = [files, content].flatMap(some => [
    some,
    some.map(file => withLineEnds(file, '\n')),
    some.map(file => withLineEnds(file, '\r\n')),
  ])
  return contents.some(some => ['en', undefined].some(locale => hashOf(some, locale) === hash))
}

/** @param locale `undefined` for that of this machine */
function hashOf(files: readonly HashedFile[], locale: string | undefined): string {
  const { compare } = new Intl.Collator(locale)
  const hash = createHash('sha256')
  for (const { path, bytes } of files.toSorted((a, b) => compare(a.path, b.path))) {
    hash.update(path)
    hash.update(bytes)
  }
  return hash.digest('hex')
}

/** A file as a checkout with other line ends has it. A file with a NUL is no text. */
function withLineEnds({ path, bytes }: HashedFile, end: '\n' | '\r\n'): HashedFile {
  if (bytes.includes(0)) return { path, bytes }
  const text = bytes.toString('latin1').replaceAll('\r\n', '\n').replaceAll('\n', end)
  return { path, bytes: Buffer.from(text, 'latin1') }
}

async function readFiles(folder: string): Promise<HashedFile[]> {
  const files: HashedFile[] = []
  for (const file of await listFiles(folder)) {
    files.push({
      path: relative(folder, file).split(sep).join('/'),
      bytes: await readFile(file),
    })
  }
  return files
}

async function listFiles(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) files.push(path)
    else if (entry.isDirectory() && !NOT_HASHED.has(entry.name)) {
      files.push(...(await listFiles(path)))
    }
  }
  return files
}
