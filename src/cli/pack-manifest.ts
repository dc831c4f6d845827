import { appendFile, lstat, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../core/concurrency.js'
import { trySafePath } from '../core/paths.js'
import { commandError } from './errors.js'
import { writeWhole } from './paths.js'

/** Where the record stands in --out. */
export const MANIFEST_FILE = '.skillshelf-pack'
/** The first 16 hex digits of the digest, and the path. */
const LINE = /^([0-9a-f]{16}) (\.well-known\/.+|_headers|\.nojekyll)$/

/**
 * What packs have put under names that do not tell the bytes, as files named by digest do. It is written before the file is, so a pack that
 * is stopped leaves nothing behind that the next one does not know for its own.
 */
export interface PackManifest {
  /** Whether a pack has put a file here. */
  has(path: string): boolean
  /** Whether a pack has put these bytes here. */
  holds(path: string, digest: string): boolean
  paths(): readonly string[]
  /** Takes down what is about to be put. */
  note(path: string, digest: string): Promise<void>
  /** Forgets all other paths. */
  settle(keep: ReadonlySet<string>): Promise<void>
}

/**
 * Reads the record of a folder; one that is not there is empty.
 * @throws where it is somebody else's file, or a link
 */
export async function openManifest(root: string): Promise<PackManifest> {
  const file = join(root, MANIFEST_FILE)
  const before = await textOf(file)
  // What follows the last line break is a line that was cut off.
  let text = before.slice(0, before.lastIndexOf('\n') + 1)
  if (!/^(?:[0-9a-f]{1,16}(?: .*)?)?$/.test(before.slice(text.length))) throw foreign(file)
  const known = new Map<string, Set<string>>()
  const add = (path: string, digest: string): void => void known.set(path, (known.get(path) ?? new Set()).add(digest))
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digest = '', path = ''] = LINE.exec(line) ?? []
    if (trySafePath(path) !== path) throw foreign(file)
    add(path, digest)
  }
  const noted = new Map<string, string>()
  const turn = createQueue()
  let cut = text !== before
  return {
    has: path => known.has(path),
    holds: (path, digest) => known.get(path)?.has(digest) === true,
    paths: () => [...known.keys()],
    note: (path, digest) =>
      turn(async () => {
        noted.set(path, digest)
        if (known.get(path)?.has(digest)) return
        add(path, digest)
        const line = `${digest} ${path}\n`
        text += line
        await (cut ? writeWhole(file, new TextEncoder().encode(text)) : appendFile(file, line))
        cut = false
      }),
    async settle(keep) {
      for (const path of known.keys()) if (!keep.has(path)) known.delete(path)
      const lines = [...known].flatMap(([path, digests]) =>
        // Of what was put just now only that stands there.
        [noted.get(path) ?? [...digests]].flat().map(digest => `${digest} ${path}\n`),
      )
      const settled = lines.sort().join('')
      if (settled === before) return
      if (settled === '') await unlink(file)
      else await writeWhole(file, new TextEncoder().encode(settled))
    },
  }
}

function foreign(file: string): Error {
  return commandError(`${file} was not written by pack`, 'move it away, or give another --out')
}

async function textOf(file: string): Promise<string> {
  const info = await lstat(file).catch(() => undefined)
  if (!info) return ''
  if (!info.isFile()) throw foreign(file)
  return readFile(file, 'utf8')
}
