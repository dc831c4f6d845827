import { lstat, mkdir, readdir, readFile, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { digestOf, shortDigest } from '../core/digest.js'
import { trySafePath } from '../core/paths.js'
import { isRecord } from '../core/record.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { PackedOutput } from '../store/pack/output.js'
import { LEGACY_INDEX, SITE_INDEX } from '../store/publish/well-known.js'
import { commandError } from './errors.js'
import { openTrackedFiles } from './pack-tracked-files.js'
import { isInside, realPathOf, writeWhole } from './paths.js'

/** A folder that packed files go into. Nothing outside it is ever written or removed. */
export interface OutputFolder {
  /** Its real path. */
  root: string
  /** Writes a file, whole or not at all, unless it stands there already. `left`: a file for hosts stands there that no pack wrote. */
  put(output: PackedOutput): Promise<'written' | 'kept' | 'left'>
  /** Removes files of earlier packs that were not put since; gives their number. */
  sweep(): Promise<number>
}

/** Files whose name is the digest of their bytes. Only such files are taken for known by their size, and only such are removed. */
const BY_DIGEST = /^(?:files\/[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?|[0-9a-f]{16}\.seg)$/

/**
 * Opens the folder that a library is packed into; it is made when the first file is put.
 * @throws where it is the packed folder, or in it: the next pack would pack it too
 */
export async function openOutputFolder(
  out: string,
  packed: string,
  { wellKnown = false }: { wellKnown?: boolean | undefined } = {},
): Promise<OutputFolder> {
  const root = await realPathOf(resolve(out))
  const source = await realpath(packed)
  if (root === source || isInside(root, source))
    throw commandError(
      `--out ${out} is ${root === source ? '' : 'in '}the folder that is packed`,
      'put it elsewhere, for example beside it: the library would pack itself',
    )
  // The other way round it is fine (`pack skills --out .`), except where files would come to stand among the skills.
  const taken = ['files', '.well-known'].map(folder => join(root, folder))
  if (taken.some(folder => source === folder || isInside(source, folder)))
    throw commandError(`${packed} is where --out keeps its files`, 'give another --out')
  const existing = await lstat(root).catch(() => undefined)
  if (existing && !existing.isDirectory()) throw commandError(`--out ${out} is not a folder`)

  if (existing) await refuseForeign(join(root, CATALOG_FILE), out)
  const named = await openTrackedFiles(root)
  for (const index of wellKnown ? [LEGACY_INDEX, SITE_INDEX] : []) await named.refuseForeign(index)

  const put = new Set<string>()
  const folders = new Map<string, Promise<void>>()
  const ready = (folder: string): Promise<void> => {
    const known = folders.get(folder) ?? makeFolder(root, folder)
    folders.set(folder, known)
    return known
  }
  return {
    root,
    async put({ path, bytes, part }) {
      if (trySafePath(path) !== path) throw commandError(`A packed file would be written outside --out: ${path}`)
      put.add(path)
      const target = join(root, ...path.split('/'))
      const byName = part === 'copy' || part === 'index' || part === 'hosting'
      if (byName) await named.clearWay(path, bytes)
      await ready(dirname(target))
      if (await stands(target, bytes, BY_DIGEST.test(path))) return 'kept'
      if (byName) {
        if (part === 'hosting' && !(await named.isOurs(path))) return 'left'
        await named.refuseForeign(path)
        await named.note(path, bytes)
      }
      await writeWhole(target, bytes)
      return 'written'
    },
    async sweep() {
      let removed = await named.sweep(put)
      for (const folder of ['', 'files']) {
        const at = join(root, folder)
        const info = await lstat(at).catch(() => undefined)
        if (!info?.isDirectory()) continue
        for (const entry of await readdir(at, { withFileTypes: true })) {
          const path = folder === '' ? entry.name : `${folder}/${entry.name}`
          if (!entry.isFile() || put.has(path) || !BY_DIGEST.test(path)) continue
          // Others name files by digests too: what was not made by a pack has other bytes than its name says.
          if (!(await isNamedByDigest(join(at, entry.name)))) continue
          await unlink(join(at, entry.name))
          removed++
        }
      }
      return removed
    },
  }
}

/** How a catalog starts, also one that was cut off. */
const CATALOG_START = '{"format":"skillshelf/'

/** A `skillshelf.json` that no pack wrote is somebody's, and would be overwritten. */
async function refuseForeign(catalog: string, out: string): Promise<void> {
  const text = await readFile(catalog, 'utf8').catch(() => '')
  if (text.startsWith(CATALOG_START) || CATALOG_START.startsWith(text) || isCatalog(text)) return
  throw commandError(
    `${CATALOG_FILE} in --out ${out} was not written by pack`,
    'give another --out, or move that file away',
  )
}

/** Formatted by somebody, or written by a later version. */
function isCatalog(text: string): boolean {
  try {
    const data: unknown = JSON.parse(text)
    return isRecord(data) && String(data['format']).startsWith('skillshelf/')
  } catch {
    return false
  }
}

async function isNamedByDigest(path: string): Promise<boolean> {
  return basename(path).startsWith(shortDigest(digestOf(await readFile(path))))
}

/** Whether these bytes stand there already, as a file and not as a link to one. */
async function stands(target: string, bytes: Uint8Array, byDigest: boolean): Promise<boolean> {
  const info = await lstat(target).catch(() => undefined)
  if (!info?.isFile() || info.size !== bytes.length) return false
  return byDigest || Buffer.from(bytes).equals(await readFile(target))
}

/** Makes a folder under the root, and refuses one that is a link to somewhere else. */
async function makeFolder(root: string, folder: string): Promise<void> {
  if (folder === root) {
    await mkdir(root, { recursive: true })
    return
  }
  await makeFolder(root, dirname(folder))
  await mkdir(folder).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const real = await realpath(folder)
  if (!isInside(real, root))
    throw commandError(
      `${folder} is a link that leaves --out`,
      'remove the link; nothing is written outside --out',
      'invalid-path',
    )
}
