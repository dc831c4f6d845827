import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { mapParallel } from '../../src/core/concurrency.js'
import { memory } from '../../src/exports/index.js'
import { type PackOptions, pack } from '../../src/exports/store.js'
import { writeArchive } from '../../src/source/archive/write.js'
import { readSkillFiles } from '../speed/documents.js'
import { openBucket } from './bucket.js'
import { PACKED, TREE } from './r2.js'

export type Files = Record<string, Uint8Array<ArrayBuffer>>

/** The same skills in every form that is stored on disk. */
export interface OnDisk {
  tree: string
  packed: string
  zip: string
  bucket: string
  remove(): Promise<void>
}

/** Real SKILL.md files as a tree, as a packed library and as a zip. */
export interface Skills {
  tree: Files
  /** Only the files that opening reads. */
  packed: Files
  zip: Uint8Array<ArrayBuffer>
}

const PARALLEL = 32

export async function makeSkills(count: number): Promise<Skills> {
  const tree = readSkillFiles(count)
  return {
    tree,
    packed: await packFiles(tree, opened),
    zip: await writeArchive(tree, { format: 'zip' }),
  }
}

/** The wanted files of a packed library. */
export async function packFiles(
  files: Files,
  wanted: (path: string) => boolean = () => true,
  wellKnown: PackOptions['wellKnown'] = false,
): Promise<Files> {
  const made: Files = {}
  for await (const { path, bytes } of pack(memory(files, { name: 'skills' }), { wellKnown })) {
    if (wanted(path)) made[path] = bytes
  }
  return made
}

/** A skill site, without the packed library. */
export async function siteFiles(files: Files): Promise<Files> {
  return packFiles(files, path => /^(?:\.well-known\/agent-skills|files)\//.test(path), true)
}

export async function putOnDisk({ tree, packed, zip }: Skills): Promise<OnDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'skillshelf-source-'))
  const at = {
    tree: join(folder, 'tree'),
    packed: join(folder, 'packed'),
    zip: join(folder, 'skills.zip'),
    bucket: join(folder, 'bucket'),
  }
  await writeAll(at.tree, tree)
  await writeAll(at.packed, packed)
  await writeFile(at.zip, zip)
  const { bucket, close } = openBucket(at.bucket)
  const objects = [
    ...Object.entries(tree).map(([path, bytes]) => ({ key: TREE + path, bytes })),
    ...Object.entries(packed).map(([path, bytes]) => ({ key: PACKED + path, bytes })),
  ]
  await mapParallel(objects, PARALLEL, ({ key, bytes }) => bucket.put(key, bytes))
  await close()
  return { ...at, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Whether opening a packed library reads this file. */
function opened(path: string): boolean {
  return !path.includes('/')
}

async function writeAll(folder: string, files: Files): Promise<void> {
  await mapParallel(Object.entries(files), PARALLEL, async ([path, bytes]) => {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  })
}
