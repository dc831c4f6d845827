/** Files that were chosen or dropped. Their contents are read on demand. */
export interface Folder {
  name: string
  files: ReadonlyMap<string, File>
  /** Archives that were chosen or dropped directly. They are unpacked; archives inside a folder are not. */
  archives: readonly File[]
}

/** Names that the command line ignores too. */
const IGNORED = new Set(['.git', 'node_modules', '.DS_Store', '__MACOSX', '__pycache__'])
const ARCHIVE = /\.(?:zip|skill|tar|tgz|tar\.gz)$/i

/** The `accept` attribute of file inputs: archives, and a single SKILL.md. */
export const ACCEPTED_FILES = '.zip,.skill,.tar,.tgz,.gz,.md'

/** The files chosen with a file or folder input. */
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

/** The files that were dropped, at every depth. A single folder is the root; several entries are children of an unnamed root. */
export async function droppedFolder(
  entries: readonly FileSystemEntry[],
  { signal, onFound }: { signal: AbortSignal; onFound(files: number): void },
): Promise<Folder> {
  const files = new Map<string, File>()
  const archives: File[] = []
  const [first] = entries
  const root =
    entries.length === 1 && first?.isDirectory ? (first as FileSystemDirectoryEntry) : undefined

  // A reader returns up to 100 entries at a time. Its files are read in parallel, its folders in sequence: reading everything in parallel
  // settles in one long task that freezes the page.
  const walk = async (batch: readonly FileSystemEntry[], prefix: string): Promise<void> => {
    signal.throwIfAborted()
    const kept = batch.filter(entry => !IGNORED.has(entry.name))
    await Promise.all(
      kept
        .filter(entry => entry.isFile)
        .map(async entry =>
          files.set(prefix + entry.name, await readFile(entry as FileSystemFileEntry)),
        ),
    )
    onFound(files.size)
    for (const entry of kept) {
      if (entry.isDirectory) {
        await walkFolder(entry as FileSystemDirectoryEntry, `${prefix}${entry.name}/`)
      }
    }
  }
  const walkFolder = async (folder: FileSystemDirectoryEntry, prefix: string): Promise<void> => {
    const reader = folder.createReader()
    for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
      await walk(batch, prefix)
    }
  }
  if (root) await walkFolder(root, '')
  else {
    const isArchive = (entry: FileSystemEntry): boolean => entry.isFile && ARCHIVE.test(entry.name)
    for (const entry of entries.filter(isArchive)) {
      archives.push(await readFile(entry as FileSystemFileEntry))
    }
    await walk(
      entries.filter(entry => !isArchive(entry)),
      '',
    )
  }
  return { name: root?.name ?? first?.name ?? '', files, archives }
}

function readBatch(reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> {
  return new Promise((resolve, reject) => reader.readEntries(resolve, reject))
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}
