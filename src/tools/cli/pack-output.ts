import { mkdir, readdir, readFile, realpath, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { digestOf, shortDigest } from '../../core/digest.js'
import { invalidInput, SkillshelfError } from '../../core/errors.js'
import { joinPath, dirname as parentOf, trySafePath } from '../../core/paths.js'
import { isRecord, parseJson } from '../../core/plain-data.js'
import { NAMED_BY_DIGEST } from '../../library/catalog/packed-files.js'
import type { PackedOutput } from '../../library/store/pack/pack.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { INDEX_V2 } from '../../source/well-known/site-paths.js'
import { MANIFEST_FILE, openTrackedFiles } from './pack-manifest.js'
import {
  makeFolder as createFolder,
  fileInfo,
  isBelow,
  resolveLinks,
  writeAtomic,
} from './paths.js'

/** The folder that a pack is written to. Nothing outside it is written or removed. */
export interface OutputFolder {
  /** Its real path. */
  root: string
  /** Writes a file atomically. `kept`: it has this content already. `left`: a hosting file that pack did not write. */
  write(output: PackedOutput): Promise<'written' | 'kept' | 'left'>
  /** Removes files of earlier packs that this pack did not write. Returns their number. */
  removeOld(): Promise<number>
}

/**
 * Opens the `--out` folder, created with the first file. Nothing outside it is written or removed. Throws for the root of the file system,
 * and if it is, or is in, the packed folder: the next would include it.
 */
export async function openOutputFolder(
  out: string,
  packed: string,
  { wellKnown = false }: { wellKnown?: boolean | undefined } = {},
): Promise<OutputFolder> {
  const root = await resolveLinks(resolve(out))
  if (dirname(root) === root) {
    throw invalidInput(
      `--out ${out} is the root of the file system`,
      'give a folder of its own; check whether a shell variable is unset',
    )
  }
  const source = await resolveLinks(packed)
  if (root === source || isBelow(root, source)) {
    throw invalidInput(
      `--out ${out} is ${root === source ? '' : 'inside '}the folder that is packed`,
      'choose a folder outside it: the next pack would include the library',
    )
  }
  // The packed folder may be inside --out (`pack skills --out .`), but not where packed files go.
  const reserved = ['files', '.well-known'].map(folder => join(root, folder))
  if (reserved.some(folder => source === folder || isBelow(source, folder))) {
    throw invalidInput(`${packed} is a folder that --out writes to`, 'choose another --out')
  }
  const existing = await fileInfo(root)
  if (existing && !existing.isDirectory()) throw invalidInput(`--out ${out} is not a folder`)

  if (existing) await rejectForeignCatalog(join(root, CATALOG_FILE), out)
  const tracked = await openTrackedFiles(root)
  if (wellKnown) await tracked.rejectForeign(INDEX_V2)

  const written = new Set<string>()
  const folders = new Map<string, Promise<void>>()
  const ensureFolder = (folder: string): Promise<void> => {
    const pending = folders.get(folder) ?? makeFolderIn(root, folder)
    folders.set(folder, pending)
    return pending
  }
  return {
    root,
    async write({ path, bytes, part }) {
      if (trySafePath(path) !== path) {
        throw invalidInput(`Packed file refused because it leaves --out: ${path}`)
      }
      written.add(path)
      const target = join(root, ...path.split('/'))
      const isTracked = part === 'index' || part === 'hosting'
      if (isTracked) await tracked.confirm(path, bytes)
      await ensureFolder(dirname(target))
      // Files named by digest are compared by size alone.
      if (await hasContent(target, bytes, NAMED_BY_DIGEST.test(path))) return 'kept'
      if (isTracked) {
        if (part === 'hosting' && !(await tracked.isOurs(path))) return 'left'
        await tracked.rejectForeign(path)
        await tracked.record(path, bytes)
      }
      await writeAtomic(target, bytes)
      return 'written'
    },
    async removeOld() {
      let removed = await tracked.removeOld(written)
      for (const folder of new Set(['', 'files', ...[...written].map(parentOf)])) {
        const parent = join(root, ...folder.split('/'))
        if (!(await fileInfo(parent))?.isDirectory()) continue
        for (const entry of await readdir(parent, { withFileTypes: true })) {
          const path = joinPath(folder, entry.name)
          if (!entry.isFile() || written.has(path)) continue
          const target = path.replace(TEMPORARY, '')
          const isOurs =
            written.has(target) || target === MANIFEST_FILE || NAMED_BY_DIGEST.test(target)
          const isTemporary = target !== path && isOurs
          // Other programs name files by digest too. Only files whose content matches their name are ours.
          const isOld =
            NAMED_BY_DIGEST.test(path) && (await isNamedByDigest(join(parent, entry.name)))
          if (!isTemporary && !isOld) continue
          await unlink(join(parent, entry.name))
          removed++
        }
      }
      return removed
    },
  }
}

/** Ending of the file that an atomic write replaces its target with. A pack that is killed leaves it. */
const TEMPORARY = /\.\d{5,10}$/

const CATALOG_START = '{"format":"skillshelf/'

/** @throws if a `skillshelf.json` exists that pack did not write */
async function rejectForeignCatalog(catalog: string, out: string): Promise<void> {
  const text = await readFile(catalog, 'utf8').catch(() => '')
  const data = parseJson(text)
  // A catalog may be truncated, reformatted, or written by a later version.
  const isCatalog = isRecord(data) && String(data['format']).startsWith('skillshelf/')
  if (text.startsWith(CATALOG_START) || CATALOG_START.startsWith(text) || isCatalog) return
  throw invalidInput(
    `${CATALOG_FILE} in --out ${out} was not written by pack`,
    'choose another --out, or move the file away',
  )
}

/** Whether the name of a file starts with the digest of its content. */
export async function isNamedByDigest(path: string): Promise<boolean> {
  return basename(path).startsWith(shortDigest(digestOf(await readFile(path))))
}

/** Whether a regular file already has this content. Links do not count. */
export async function hasContent(
  target: string,
  bytes: Uint8Array,
  namedByDigest: boolean,
): Promise<boolean> {
  const info = await fileInfo(target)
  if (!info?.isFile() || info.size !== bytes.length) return false
  return namedByDigest || Buffer.from(bytes).equals(await readFile(target))
}

/** Creates a folder below the root. Refuses a link that leaves the root. */
export async function makeFolderIn(root: string, folder: string): Promise<void> {
  if (folder === root) {
    await createFolder(root)
    return
  }
  await makeFolderIn(root, dirname(folder))
  await mkdir(folder).catch(error => {
    if (error.code !== 'EEXIST') throw error
  })
  const real = await realpath(folder)
  if (!isBelow(real, root)) {
    throw new SkillshelfError('invalid-path', `${folder} is a link that leaves ${root}`, {
      hint: 'remove the link; nothing outside that folder is written',
    })
  }
}
