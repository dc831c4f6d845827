import type { SkillSource } from 'skillshelf'
import type { ReadResult } from 'skillshelf/sources'
import type { Folder } from './folder.js'

type ListableSource = SkillSource & Required<Pick<SkillSource, 'list'>>

const SKILL_FILE = /(?:^|\/)skill\.md$/i

/**
 * A source of the files that were chosen or dropped. A single archive is the root; next to other files, each archive is a folder with its
 * name. The source needs no closing.
 */
export function folderSource(folder: Folder): ListableSource {
  const { name, files, archives } = folder
  const [archive] = archives
  if (archive && archives.length === 1 && files.size === 0) return archiveSource(archive)
  const taken = new Set([...files.keys()].map(path => path.replace(/\/.*$/, '')))
  const mounts = archives.map(file => {
    const base = withoutExtension(file.name)
    let unique = base
    for (let number = 2; taken.has(unique); number++) unique = `${base}~${number}`
    taken.add(unique)
    return { prefix: `${unique}/`, source: archiveSource(file) }
  })
  const loose = fileSource(folder)
  return {
    name: withoutExtension(name) || 'folder',
    root: path => (path === '' ? name : `${name}/${path}`),
    async read(path, options) {
      const mount = mounts.find(({ prefix }) => path.startsWith(prefix))
      return mount
        ? mount.source.read(path.slice(mount.prefix.length), options)
        : loose.read(path, options)
    },
    async list(options) {
      const unpacked = await Promise.all(
        mounts.map(async ({ prefix, source }) =>
          (await source.list(options)).map(entry => ({ ...entry, path: prefix + entry.path })),
        ),
      )
      return [...(await loose.list(options)), ...unpacked.flat()]
    },
  }
}

/** Reads files from disk on demand. A SKILL.md is read once, because opening, ranking and installing all need it. */
function fileSource({ files }: Folder): Pick<ListableSource, 'read' | 'list'> {
  const cache = new Map<string, Promise<ReadResult>>()
  const readWhole = async (file: File): Promise<ReadResult> => ({
    bytes: new Uint8Array(await file.arrayBuffer()),
    version: versionOf(file),
  })
  return {
    async read(path, { range } = {}) {
      const file = files.get(path)
      if (!file) return undefined
      if (!range && SKILL_FILE.test(path)) {
        const reading = cache.get(path) ?? readWhole(file)
        cache.set(path, reading)
        // A failed read is not cached.
        reading.catch(() => cache.delete(path))
        return reading
      }
      if (!range) return readWhole(file)
      const offset = Math.min(range.offset, file.size)
      const part = file.slice(
        offset,
        range.length === undefined ? file.size : offset + range.length,
      )
      const bytes = new Uint8Array(await part.arrayBuffer())
      return { bytes, version: versionOf(file), partial: { offset, total: file.size } }
    },
    async list() {
      return [...files].map(([path, file]) => ({ path, size: file.size, version: versionOf(file) }))
    },
  }
}

/** Unpacks an archive on the first read. The unpacking code loads then too. */
function archiveSource(file: File): ListableSource {
  const name = withoutExtension(file.name) || 'archive'
  let opened: Promise<SkillSource> | undefined
  const open = (): Promise<SkillSource> => {
    opened ??= import('skillshelf/sources').then(({ archive }) => archive(() => file, { name }))
    return opened
  }
  return {
    name,
    read: async (path, options) => (await open()).read(path, options),
    list: async options => (await (await open()).list?.(options)) ?? [],
  }
}

function withoutExtension(name: string): string {
  return name.replace(/\.(?:tar\.gz|zip|skill|tar|tgz)$/i, '')
}

function versionOf({ lastModified, size }: File): string {
  return `${lastModified}-${size}`
}
