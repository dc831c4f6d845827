import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isLocked } from '../../core/content.js'
import { digestOf } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import { plainLine } from '../../core/sanitize.js'
import { fileInfo, isBelow } from './paths.js'

/**
 * A digest of everything in the folder of a skill (S12).
 *
 * Each entry is one line of JSON: its path, its kind, and what it holds. A file has the digest of its content and its executable bit, a
 * link its target, and what it leads to if that is in the folder that is locked. Lines are sorted by path. No two folders that differ give
 * the same lines, and the same folder gives them on every machine: in any locale, and with CRLF or LF in text.
 *
 * What no checkout carries is left out, unless a link of the skill leads there: caches, environments, files of desktops and
 * editors, what `isIgnored` says, and in a clone what Git writes as it works.
 */

/** The content of a folder, to make digests of. */
export interface FolderContent {
  lines: readonly FolderLine[]
  /** Paths of links that lead out of the locked folder. The files that they lead to are not covered. */
  outside: readonly string[]
}

interface FolderLine {
  path: string
  kind: 'file' | 'link' | 'folder' | 'other'
  /** Digest of a file, target of a link, first path of a linked folder. */
  value: string
  executable?: boolean
}

interface ReadOptions {
  /** Real path of the folder that is locked. */
  root: string
  /** Real path of a file that is not covered: the lock itself. */
  except: string
  /** Files that Git ignores, by their path in the folder. @default none */
  isIgnored?: ((path: string) => boolean) | undefined
  signal?: AbortSignal | undefined
}

/** S3: larger files are refused. */
const MAX_BYTES = 1_073_741_824
const CHUNK = 1_048_576
/** Windows has no executable bit. */
export const HAS_MODES = process.platform !== 'win32'
/** In `.git`, what changes without a change of what Git does or runs. */
const GIT_STATE =
  /^(?:HEAD|[A-Z_]+_HEAD|[A-Z_]+_MSG|index|objects|refs|logs|packed-refs|shallow|gc\.\w+|description|lfs|worktrees)$/

export async function readFolder(
  folder: string,
  { root, except, isIgnored, signal }: ReadOptions,
): Promise<FolderContent> {
  const lines: FolderLine[] = []
  const outside: string[] = []
  const real = await realpath(folder)
  /** The path of each folder that was read, by its real path. Links to one lead there. */
  const read = new Map([[real, '']])

  /** Whether a file or folder is in the folder of the skill, and has lines of its own or those of what is in it. */
  const isCovered = (file: string): boolean => {
    if (!isBelow(file, real)) return false
    const path = relative(real, file).split(sep).join('/')
    const names = path.split('/')
    const isState = names.some((name, index) => names[index - 1] === '.git' && GIT_STATE.test(name))
    return names.every(isLocked) && !isState && !isIgnored?.(path)
  }
  const addFile = async (path: string, file: string): Promise<void> => {
    if (file === except) return
    const content = await digestFile(path, file)
    if (content) {
      lines.push({ path, kind: 'file', value: content.digest, executable: content.executable })
    } else lines.push({ path, kind: 'other', value: '' })
  }
  const addLink = async (path: string, link: string): Promise<void> => {
    const target = (await readlink(link)).split(sep).join('/')
    lines.push({ path, kind: 'link', value: target })
    // A link to nothing, or to itself.
    const leadsTo = await realpath(link).catch(() => undefined)
    if (leadsTo === undefined || isCovered(leadsTo)) return
    // S2: what is outside is not read.
    if (!isBelow(leadsTo, root)) {
      outside.push(path)
      return
    }
    const info = await stat(leadsTo)
    if (!info.isDirectory()) return addFile(path, leadsTo)
    const before = read.get(leadsTo)
    if (before !== undefined) lines.push({ path, kind: 'folder', value: before })
    else {
      read.set(leadsTo, path)
      await addFolder(path, leadsTo)
    }
  }
  const addFolder = async (path: string, at: string): Promise<void> => {
    const entries = await readdir(at, { withFileTypes: true })
    const isClone =
      /(?:^|\/)\.git$/.test(path) &&
      ['HEAD', 'objects', 'refs'].every(one => entries.some(({ name }) => name === one))
    // One after the other, so that the first path of a linked folder is the same everywhere.
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted()
      const { name } = entry
      if (!isLocked(name) || (isClone && GIT_STATE.test(name))) continue
      const [child, file] = [joinPath(path, name), join(at, name)]
      if (name.includes('\ufffd') && !(await fileInfo(file))) throw notUtf8(child)
      if (!entry.isDirectory() && isIgnored?.(child)) continue
      if (entry.isSymbolicLink()) await addLink(child, file)
      else if (entry.isDirectory()) await addFolder(child, file)
      else if (entry.isFile()) await addFile(child, file)
      // S3: pipes, sockets and devices are not opened.
      else lines.push({ path: child, kind: 'other', value: '' })
    }
  }
  await addFolder('', real)
  return { lines, outside }
}

/** @param executable Paths of executable files, where the system has no such bit. @default those that the system says */
export function digestOfFolder({ lines }: FolderContent, executable?: readonly string[]): string {
  const isExecutable = (line: FolderLine): boolean =>
    executable?.includes(line.path) ?? line.executable === true
  const rows = lines.map(line => {
    const { path, kind, value } = line
    // Systems differ in how they compose the letters of a name.
    return [
      path.normalize('NFC'),
      kind,
      value,
      ...(kind === 'file' ? [isExecutable(line)] : []),
      path,
    ] as const
  })
  rows.sort(
    (a, b) =>
      compare(a[0], b[0]) || compare(a[1], b[1]) || compare(String(a.at(-1)), String(b.at(-1))),
  )
  return digestOf(
    ['skillshelf-folder/1', ...rows.map(row => JSON.stringify(row.slice(0, -1)))].join('\n'),
  )
}

/** Paths of files with the executable bit, sorted. */
export function executableFiles({ lines }: FolderContent): string[] {
  return lines
    .filter(({ executable }) => executable)
    .map(({ path }) => path)
    .sort()
}

/** Order by UTF-16 code units, which no locale changes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Names that differ in such bytes only would be the same path. */
function notUtf8(path: string): SkillshelfError {
  return new SkillshelfError('invalid-path', `The name of ${plainLine(path)} is not UTF-8`, {
    subject: path,
    hint: 'rename it',
  })
}

/** @returns `undefined` if it is no longer a regular file @throws SkillshelfError `too-large` */
async function digestFile(
  path: string,
  file: string,
): Promise<{ digest: string; executable: boolean } | undefined> {
  // S3: a pipe that took the place of the file does not block.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const info = await handle.stat()
    if (!info.isFile()) return undefined
    if (info.size > MAX_BYTES) {
      throw new SkillshelfError(
        'too-large',
        `${path} has ${info.size.toLocaleString('en')} bytes`,
        {
          subject: path,
          hint: `at most ${MAX_BYTES.toLocaleString('en')} are read; keep it out of the skill`,
        },
      )
    }
    return { digest: await digestContent(handle), executable: (info.mode & 0o100) !== 0 }
  } finally {
    await handle.close()
  }
}

/** SHA-256 of a file, with LF for CRLF if it is text: without a NUL, as for Git. */
async function digestContent(handle: FileHandle): Promise<string> {
  const raw = createHash('sha256')
  /** Set once they differ. */
  let text: Hash | undefined
  let isText = true
  let heldReturn = false
  const buffer = Buffer.allocUnsafe(CHUNK)
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, null)
    if (bytesRead === 0) break
    const chunk = buffer.subarray(0, bytesRead)
    isText &&= !chunk.includes(0)
    if (isText && (heldReturn || chunk.includes(0x0d))) {
      text ??= raw.copy()
      const start: string = heldReturn ? '\r' : ''
      const all: string = start + chunk.toString('latin1')
      // The last one may belong to a line feed in the next chunk.
      heldReturn = all.endsWith('\r')
      text.update((heldReturn ? all.slice(0, -1) : all).replaceAll('\r\n', '\n'), 'latin1')
    } else text?.update(chunk)
    raw.update(chunk)
  }
  if (heldReturn) text?.update('\r')
  return `sha256:${(isText && text ? text : raw).digest('hex')}`
}
