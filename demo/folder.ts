/** What a person chose or dropped: a folder on this computer, or files. They are read when they are needed. */
export interface Folder {
  name: string
  files: ReadonlyMap<string, File>
  /** Archives that were chosen or dropped themselves: what is in them counts, not they. */
  archives: readonly File[]
}

/** Names that are passed over, as the command line does. */
const IGNORED = new Set(['.git', 'node_modules', '.DS_Store', '__MACOSX', '__pycache__'])
const ARCHIVE = /\.(?:zip|skill|tar|tgz|tar\.gz)$/i

/** What a picker of files may show: archives, and a SKILL.md by itself. */
export const PICKED = '.zip,.skill,.tar,.tgz,.gz,.md'

/** What a person chose in a picker of folders, or of files. */
export function chosenFolder(chosen: Iterable<File>): Folder {
  const files = new Map<string, File>()
  const archives: File[] = []
  let name = ''
  for (const file of chosen) {
    const [root = '', ...rest] = file.webkitRelativePath.split('/')
    name ||= root || file.name
    if (rest.length > 0) {
      if (!rest.some(part => IGNORED.has(part))) files.set(rest.join('/'), file)
    } else if (ARCHIVE.test(file.name)) archives.push(file)
    else files.set(file.name, file)
  }
  return { name, files, archives }
}

/** What was dropped, at any depth. One folder is the root itself; several things lie beside each other in it. */
export async function droppedFolder(
  entries: readonly FileSystemEntry[],
  { signal, onFound }: { signal: AbortSignal; onFound(amount: number): void },
): Promise<Folder> {
  const files = new Map<string, File>()
  const archives: File[] = []
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
  else {
    const isArchive = (entry: FileSystemEntry): boolean => entry.isFile && ARCHIVE.test(entry.name)
    for (const entry of entries.filter(isArchive)) archives.push(await fileOf(entry as FileSystemFileEntry))
    await walk(
      entries.filter(entry => !isArchive(entry)),
      '',
    )
  }
  return { name: lone?.name ?? first?.name ?? '', files, archives }
}

function nextOf(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject))
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}
