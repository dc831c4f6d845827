import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, realpath, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { CATALOG_FILE } from '../catalog/packed.js'
import type { PackedOutput } from '../pack/pack.js'
import { digestOf, shortDigest } from '../skill/digest.js'
import { isRecord } from '../skill/fields.js'
import { trySafePath } from '../skill/path.js'
import { failure } from './failure.js'

/** A folder that packed files go into. Nothing outside it is ever written or removed. */
export interface OutputFolder {
  /** Its real path. */
  root: string
  /** Writes a file, whole or not at all, unless it stands there already. */
  put(output: PackedOutput): Promise<'written' | 'kept'>
  /** Removes files of earlier packs that were not put since; gives their number. */
  sweep(): Promise<number>
}

/** Files whose name is the digest of their bytes. Only such files are taken for known by their size, and only such are removed. */
const BY_DIGEST = /^(?:files\/[0-9a-f]{16}(?:\.[a-z0-9]{1,8})?|[0-9a-f]{16}\.seg)$/

/**
 * Opens the folder that a library is packed into; it is made when the first file is put.
 * @throws where it is the packed folder, or in it: the next pack would pack it too
 */
export async function openOutputFolder(out: string, packed: string): Promise<OutputFolder> {
  const root = await realPathOf(resolve(out))
  const source = await realpath(packed)
  if (root === source || isInside(root, source))
    throw failure(
      `--out ${out} is ${root === source ? '' : 'in '}the folder that is packed`,
      'put it elsewhere, for example beside it: the library would pack itself',
    )
  // The other way round it is fine (`pack skills --out .`), except where files would come to stand among the skills.
  const files = join(root, 'files')
  if (source === files || isInside(source, files))
    throw failure(`${packed} is where --out keeps its files`, 'give another --out')
  const existing = await lstat(root).catch(() => undefined)
  if (existing && !existing.isDirectory()) throw failure(`--out ${out} is not a folder`)

  if (existing) await refuseForeign(join(root, CATALOG_FILE), out)

  const put = new Set<string>()
  const folders = new Map<string, Promise<void>>()
  const ready = (folder: string): Promise<void> => {
    const known = folders.get(folder) ?? makeFolder(root, folder)
    folders.set(folder, known)
    return known
  }
  return {
    root,
    async put({ path, bytes }) {
      if (trySafePath(path) !== path) throw failure(`A packed file would be written outside --out: ${path}`)
      put.add(path)
      const target = join(root, ...path.split('/'))
      await ready(dirname(target))
      if (await stands(target, bytes, BY_DIGEST.test(path))) return 'kept'
      await writeWhole(target, bytes)
      return 'written'
    },
    async sweep() {
      let removed = 0
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

/** A `skillshelf.json` that no pack wrote is somebody's, and would be overwritten. */
async function refuseForeign(catalog: string, out: string): Promise<void> {
  const text = await readFile(catalog, 'utf8').catch(() => '')
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    // Nothing there, or half of a catalog: it is written again.
    return
  }
  if (isRecord(data) && String(data['format']).startsWith('skillshelf/')) return
  throw failure(`${CATALOG_FILE} in --out ${out} was not written by pack`, 'give another --out, or move that file away')
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
    throw failure(
      `${folder} is a link that leaves --out`,
      'remove the link; nothing is written outside --out',
      'invalid-path',
    )
}

/** Under another name first, so that a reader never sees half a file; a link at the target is replaced, not followed. */
async function writeWhole(target: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(target), `.${basename(target)}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(bytes)
    } finally {
      await handle.close()
    }
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** The real path of what exists, with the rest as it was given. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT') || dirname(path) === path) throw error
    return join(await realPathOf(dirname(path)), basename(path))
  }
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
