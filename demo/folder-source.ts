import type { ReadResult, SkillSource } from 'skillshelf'
import type { Folder } from './folder.js'

type Listable = SkillSource & Required<Pick<SkillSource, 'list'>>

const SKILL_FILE = /(?:^|\/)skill\.md$/i

/**
 * What was chosen or dropped, as a source. One archive is unpacked as it is; beside other things each is a folder of its name.
 * Nobody who has it closes it: it is read by the library that shows it, by the one that takes its place, and by whoever keeps it.
 */
export function sourceOf(folder: Folder): Listable {
  const { name, files, archives } = folder
  const [first] = archives
  if (first && archives.length === 1 && files.size === 0) return unpacked(first)
  const taken = new Set([...files.keys()].map(path => path.replace(/\/.*$/, '')))
  const mounted = archives.map(file => {
    const name = nameOf(file)
    let own = name
    for (let number = 2; taken.has(own); number++) own = `${name}~${number}`
    taken.add(own)
    return { prefix: `${own}/`, source: unpacked(file) }
  })
  const loose = looseFiles(folder)
  return {
    name: nameOf({ name }) || 'folder',
    root: path => (path === '' ? name : `${name}/${path}`),
    async read(path, options) {
      const found = mounted.find(({ prefix }) => path.startsWith(prefix))
      return found ? found.source.read(path.slice(found.prefix.length), options) : loose.read(path, options)
    },
    async list(options) {
      const inside = await Promise.all(
        mounted.map(async ({ prefix, source }) =>
          (await source.list(options)).map(entry => ({ ...entry, path: prefix + entry.path })),
        ),
      )
      return [...(await loose.list(options)), ...inside.flat()]
    },
  }
}

/** Listed by what is known of the files, each read from disk when it is asked for; a SKILL.md, which all ask for, only once. */
function looseFiles({ files }: Folder): Pick<Listable, 'read' | 'list'> {
  const remembered = new Map<string, Promise<ReadResult>>()
  const readWhole = async (file: File): Promise<ReadResult> => ({
    bytes: new Uint8Array(await file.arrayBuffer()),
    version: versionOf(file),
  })
  return {
    async read(path, { range } = {}) {
      const file = files.get(path)
      if (!file) return undefined
      if (!range && SKILL_FILE.test(path)) {
        const reading = remembered.get(path) ?? readWhole(file)
        remembered.set(path, reading)
        // Whoever asks again after a failure has the file read again.
        reading.catch(() => remembered.delete(path))
        return reading
      }
      if (!range) return readWhole(file)
      const offset = Math.min(range.offset, file.size)
      const part = file.slice(offset, range.length === undefined ? file.size : offset + range.length)
      const bytes = new Uint8Array(await part.arrayBuffer())
      return { bytes, version: versionOf(file), partial: { offset, total: file.size } }
    },
    async list() {
      return [...files].map(([path, file]) => ({ path, size: file.size, version: versionOf(file) }))
    },
  }
}

/** It is read whole, once, when it is first needed. What unpacks it is loaded then. */
function unpacked(file: File): Listable {
  const name = nameOf(file) || 'archive'
  let opened: Promise<SkillSource> | undefined
  const open = (): Promise<SkillSource> => {
    opened ??= import('skillshelf/archive').then(({ archive }) => archive(() => file, { name }))
    return opened
  }
  return {
    name,
    read: async (path, options) => (await open()).read(path, options),
    list: async options => (await (await open()).list?.(options)) ?? [],
  }
}

function nameOf({ name }: { name: string }): string {
  return name.replace(/\.(?:tar\.gz|zip|skill|tar|tgz)$/i, '')
}

function versionOf({ lastModified, size }: File): string {
  return `${lastModified}-${size}`
}
