import { appendFile, lstat, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue } from '../../core/concurrency.js'
import { trySafePath } from '../../core/paths.js'
import { commandError } from './errors.js'
import { writeAtomic } from './paths.js'

/** Name of the manifest in `--out`. */
export const MANIFEST_FILE = '.skillshelf-pack'
/** First 16 hex digits of the digest, and the path. */
const LINE = /^([0-9a-f]{16}) (\.well-known\/.+|_headers|\.nojekyll)$/

/**
 * List of the files that packs wrote under names other than their digest. Each line is written before its file, so an interrupted pack
 * leaves no file that the next pack does not recognize.
 */
export interface PackManifest {
  /** Whether a pack wrote this path. */
  has(path: string): boolean
  /** Whether a pack wrote this path with this content. */
  hasContent(path: string, digest: string): boolean
  paths(): readonly string[]
  /** Adds a file that is about to be written. */
  record(path: string, digest: string): Promise<void>
  /** Removes all paths that are not in `keep`, and older digests of recorded files. */
  finish(keep: ReadonlySet<string>): Promise<void>
}

/**
 * Reads the manifest of a folder. A missing one is empty.
 * @throws if the file is a link or was not written by pack
 */
export async function openManifest(root: string): Promise<PackManifest> {
  const file = join(root, MANIFEST_FILE)
  const before = await readManifest(file)
  // An interrupted pack may leave an incomplete last line.
  let text = before.slice(0, before.lastIndexOf('\n') + 1)
  if (!/^(?:[0-9a-f]{1,16}(?: .*)?)?$/.test(before.slice(text.length))) throw foreignFileError(file)
  const digests = new Map<string, Set<string>>()
  const add = (path: string, digest: string): void =>
    void digests.set(path, (digests.get(path) ?? new Set()).add(digest))
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digest = '', path = ''] = LINE.exec(line) ?? []
    if (trySafePath(path) !== path) throw foreignFileError(file)
    add(path, digest)
  }
  const recorded = new Map<string, string>()
  const enqueue = createQueue()
  let rewrite = text !== before
  return {
    has: path => digests.has(path),
    hasContent: (path, digest) => digests.get(path)?.has(digest) === true,
    paths: () => [...digests.keys()],
    record: (path, digest) =>
      enqueue(async () => {
        recorded.set(path, digest)
        if (digests.get(path)?.has(digest)) return
        add(path, digest)
        const line = `${digest} ${path}\n`
        text += line
        await (rewrite ? writeAtomic(file, text) : appendFile(file, line))
        rewrite = false
      }),
    async finish(keep) {
      for (const path of digests.keys()) if (!keep.has(path)) digests.delete(path)
      const lines = [...digests].flatMap(([path, all]) =>
        [recorded.get(path) ?? [...all]].flat().map(digest => `${digest} ${path}\n`),
      )
      const after = lines.sort().join('')
      if (after === before) return
      if (after === '') await unlink(file)
      else await writeAtomic(file, after)
    },
  }
}

function foreignFileError(file: string): Error {
  return commandError(`${file} was not written by pack`, 'move it away, or choose another --out')
}

async function readManifest(file: string): Promise<string> {
  const info = await lstat(file).catch(() => undefined)
  if (!info) return ''
  if (!info.isFile()) throw foreignFileError(file)
  return readFile(file, 'utf8')
}
