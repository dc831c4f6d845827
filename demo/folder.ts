import type { SkillSource } from 'skillshelf'

/** A folder on this computer that was chosen or dropped. Its files are read when they are needed. */
export interface Folder {
  name: string
  files: ReadonlyMap<string, File>
}

/** Names that are passed over, as the command line does. */
const IGNORED = new Set(['.git', 'node_modules', '.DS_Store', '__MACOSX', '__pycache__'])

/** What a person chose in a folder picker. */
export function chosenFolder(files: Iterable<File>): Folder {
  const found = new Map<string, File>()
  let name = ''
  for (const file of files) {
    const [root = '', ...rest] = file.webkitRelativePath.split('/')
    name ||= root
    if (!rest.some(part => IGNORED.has(part))) found.set(rest.join('/'), file)
  }
  return { name, files: found }
}

/** What was dropped, at any depth. One folder is the root itself; several things lie beside each other in it. */
export async function droppedFolder(
  entries: readonly FileSystemEntry[],
  { signal, onFound }: { signal: AbortSignal; onFound(amount: number): void },
): Promise<Folder> {
  const files = new Map<string, File>()
  const [first] = entries
  const lone = entries.length === 1 && first?.isDirectory ? (first as FileSystemDirectoryEntry) : undefined

  // A reader gives a hundred entries at a time: its files are asked for together, its folders one by one. All at once, their
  // answers come in one long task that freezes the page.
  const walk = async (some: readonly FileSystemEntry[], prefix: string): Promise<void> => {
    signal.throwIfAborted()
    const wanted = some.filter(entry => !IGNORED.has(entry.name))
    await Promise.all(
      wanted
        .filter(entry => entry.isFile)
        .map(async entry => files.set(prefix + entry.name, await fileOf(entry as FileSystemFileEntry))),
    )
    onFound(files.size)
    for (const entry of wanted)
      if (entry.isDirectory) await walkFolder(entry as FileSystemDirectoryEntry, `${prefix}${entry.name}/`)
  }
  const walkFolder = async (folder: FileSystemDirectoryEntry, prefix: string): Promise<void> => {
    const reader = folder.createReader()
    // None at the end.
    for (let some = await nextOf(reader); some.length > 0; some = await nextOf(reader)) await walk(some, prefix)
  }
  if (lone) await walkFolder(lone, '')
  else await walk(entries, '')
  return { name: lone?.name ?? first?.name ?? '', files }
}

function nextOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject))
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

/** A folder as a source: listed by what is known of its files, each read from disk when the library asks for it. */
export function folderSource({ name, files }: Folder): SkillSource {
  return {
    name: name || 'folder',
    root: path => (path === '' ? name : `${name}/${path}`),
    async read(path, { range } = {}) {
      const file = files.get(path)
      if (!file) return undefined
      const version = versionOf(file)
      if (!range) return { bytes: new Uint8Array(await file.arrayBuffer()), version }
      const offset = Math.min(range.offset, file.size)
      const part = file.slice(offset, range.length === undefined ? file.size : offset + range.length)
      return { bytes: new Uint8Array(await part.arrayBuffer()), version, partial: { offset, total: file.size } }
    },
    async list() {
      return [...files].map(([path, file]) => ({ path, size: file.size, version: versionOf(file) }))
    },
  }
}

function versionOf({ lastModified, size }: File): string {
  return `${lastModified}-${size}`
}
