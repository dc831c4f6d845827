import { appendFile, readFile, realpath, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createQueue } from '../../core/concurrency.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { invalidInput } from '../../core/errors.js'
import { dirname as parentOf, trySafePath } from '../../core/paths.js'
import { fileInfo, writeAtomic } from './paths.js'

export const MANIFEST_FILE = '.skillshelf-pack'

/** A list of the files that a command wrote into a folder. */
export interface ManifestKind {
  file: string
  /** The paths that it may list. */
  paths: RegExp
  /** The command, and what its user calls the folder. */
  command: string
  folder: string
}

const PACK_MANIFEST: ManifestKind = {
  file: MANIFEST_FILE,
  paths: /^(?:\.well-known\/.+|_headers|\.nojekyll)$/,
  command: 'pack',
  folder: '--out',
}
export const COPY_MANIFEST: ManifestKind = {
  file: '.skillshelf-copy',
  paths: /^(?:dist\/browser|model|model\/rows)\/[^/]+$/,
  command: 'copy',
  folder: 'folder',
}
/** First 16 hex digits of the digest, and the path. */
const LINE = /^([0-9a-f]{16}) (.+)$/

/**
 * The files of a folder that are not named by their digest, by its manifest. Only unchanged ones are replaced or removed: others may be foreign.
 * A manifest of an earlier version lists copies for older clients too, which are removed. A missing manifest is empty.
 * @throws if the manifest is a link or was not written by the command
 */
export async function openTrackedFiles(root: string, kind = PACK_MANIFEST) {
  const file = join(root, kind.file)
  const before = await readManifest(file, kind)
  // An interrupted pack may leave an incomplete last line.
  let text = before.slice(0, before.lastIndexOf('\n') + 1)
  let rewrite = text !== before
  /** The digests that packs wrote, by path. */
  const digests = parseManifest(text, file, kind)
  /** The digests that this pack wrote. */
  const recorded = new Map<string, string>()
  const enqueue = createQueue()
  const targetOf = (path: string): string => join(root, ...path.split('/'))

  const record = (path: string, digest: string): Promise<void> =>
    enqueue(async () => {
      recorded.set(path, digest)
      if (digests.get(path)?.has(digest)) return
      addDigest(digests, path, digest)
      const line = `${digest} ${path}\n`
      text += line
      await (rewrite ? writeAtomic(file, text) : appendFile(file, line))
      rewrite = false
    })
  /** Whether the path holds an unchanged file of a pack. Paths through links do not count, because they may leave --out. */
  const isUnchanged = async (path: string): Promise<boolean> => {
    const target = targetOf(path)
    const folder = await realpath(dirname(target)).catch(() => undefined)
    if (folder !== dirname(target) || !(await fileInfo(target))?.isFile()) return false
    return digests.get(path)?.has(shortDigest(digestOf(await readFile(target)))) === true
  }
  /** Removes an unchanged file and the empty folders above it. */
  const remove = async (path: string): Promise<boolean> => {
    if (!(await isUnchanged(path))) return false
    await unlink(targetOf(path))
    try {
      for (let folder = parentOf(path); folder !== ''; folder = parentOf(folder)) {
        await rmdir(targetOf(folder))
      }
    } catch {
      // A folder that is not empty stays.
    }
    return true
  }
  return {
    /** Whether the path is free, or holds an unchanged file of a pack. */
    isOurs: async (path: string): Promise<boolean> =>
      !(await fileInfo(targetOf(path))) || isUnchanged(path),
    /** @throws if the path holds something that pack did not write */
    async rejectForeign(path: string): Promise<void> {
      if (digests.has(path) || !(await fileInfo(targetOf(path)))) return
      throw invalidInput(
        `${path} in --out was not written by pack`,
        'move it away, choose another --out, or pack with --no-well-known',
      )
    },
    /** Remembers an unchanged file as one of this pack. */
    async confirm(path: string, bytes: Uint8Array): Promise<void> {
      const digest = shortDigest(digestOf(bytes))
      if (digests.get(path)?.has(digest)) await record(path, digest)
    },
    /** Call it before the file is written, so that an interrupted pack leaves no file that the next does not know. */
    record: (path: string, bytes: Uint8Array): Promise<void> =>
      record(path, shortDigest(digestOf(bytes))),
    /** Removes unchanged files of earlier packs that are not in `written`. Returns their number. */
    async removeOld(written: ReadonlySet<string>): Promise<number> {
      const old = [...digests.keys()].filter(path => !written.has(path))
      let removed = 0
      for (const path of old) {
        if (await remove(path)) removed++
        digests.delete(path)
      }
      const lines = [...digests].flatMap(([path, all]) =>
        [recorded.get(path) ?? [...all]].flat().map(digest => `${digest} ${path}\n`),
      )
      const after = lines.sort().join('')
      if (after !== before) await (after === '' ? unlink(file) : writeAtomic(file, after))
      return removed
    },
  }
}

async function readManifest(file: string, kind: ManifestKind): Promise<string> {
  const info = await fileInfo(file)
  if (info && !info.isFile()) throw foreignManifestError(file, kind)
  const text = info ? await readFile(file, 'utf8') : ''
  if (!/(?:^|\n)(?:[0-9a-f]{1,16}(?: .*)?)?$/.test(text)) throw foreignManifestError(file, kind)
  return text
}

function parseManifest(text: string, file: string, kind: ManifestKind): Map<string, Set<string>> {
  const digests = new Map<string, Set<string>>()
  for (const line of text.split('\n').slice(0, -1)) {
    const [, digest = '', path = ''] = LINE.exec(line) ?? []
    if (trySafePath(path) !== path || !kind.paths.test(path)) throw foreignManifestError(file, kind)
    addDigest(digests, path, digest)
  }
  return digests
}

function addDigest(digests: Map<string, Set<string>>, path: string, digest: string): void {
  digests.set(path, (digests.get(path) ?? new Set()).add(digest))
}

function foreignManifestError(file: string, { command, folder }: ManifestKind): Error {
  return invalidInput(
    `${file} was not written by ${command}`,
    `move it away, or choose another ${folder}`,
  )
}
