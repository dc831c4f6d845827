import { mapParallel } from '../../core/concurrency.js'
import { withoutJunk } from '../../core/content.js'
import { joinPath, trySafePath } from '../../core/paths.js'
import { isCount, isRecord } from '../../core/plain-data.js'
import type { FileEntry } from '../source.js'

/** A file of a commit. */
export interface CommitEntry extends FileEntry {
  /** Its path in the repository. That of a link is the path of its target. */
  file: string
}

/** The files of a folder of a commit, by their path in the folder. */
export type CommitEntries = ReadonlyMap<string, CommitEntry>

const LINK_MODE = '120000'
/** Links that are resolved: each is a request. */
const MAX_LINKS = 100
/** Files that links may add. */
const MAX_LINKED_FILES = 20_000
const PARALLEL = 6
/** Longest target of a link that is read, in characters. */
const MAX_TARGET = 1_024
const SKILL_FILE = /(?:^|\/)skill\.md$/i

/** An entry of the tree that GitHub sends, with its path in the repository. */
interface TreeEntry {
  path: string
  kind: 'file' | 'link' | 'submodule'
  version: string
  size?: number
}

/** @param readLink Reads a link: its content is the path that it leads to. */
export async function entriesOf(
  tree: readonly unknown[],
  folder: string,
  readLink: (path: string) => Promise<string | undefined>,
): Promise<CommitEntries> {
  const all = new Map(tree.flatMap(readEntry).map(entry => [entry.path, entry]))
  const prefix = folder === '' ? '' : `${folder}/`
  const inFolder = [...all.values()].filter(({ path }) => path.startsWith(prefix))
  const below = withoutJunk(
    inFolder.map(entry => ({ path: entry.path.slice(prefix.length), entry })),
  )
  const entries = new Map<string, CommitEntry>()
  for (const { path, entry } of below) {
    const unreadable = UNREADABLE[entry.kind]
    entries.set(path, {
      path,
      file: entry.path,
      version: entry.version,
      ...(entry.size === undefined ? {} : { size: entry.size }),
      ...(unreadable === undefined ? {} : { unreadable }),
    })
  }
  const links = below
    .map(({ entry }) => entry)
    .filter(({ kind }) => kind === 'link')
    .slice(0, MAX_LINKS)
  const targets = await mapParallel(links, PARALLEL, async link => {
    // A link that cannot be read hides no other file.
    const text = await readLink(link.path).catch(() => undefined)
    return text === undefined ? undefined : targetOf(link.path, text)
  })
  for (const [index, link] of links.entries()) {
    const target = targets[index]
    if (target !== undefined) followLink(link.path, target, { all, entries, prefix })
  }
  return new Map(withoutJunk([...entries.values()]).map(entry => [entry.path, entry]))
}

const UNREADABLE: Readonly<Record<TreeEntry['kind'], string | undefined>> = {
  file: undefined,
  link: 'it is a link to something that is not in the repository',
  submodule: 'it is a submodule: open its own repository',
}

function readEntry(one: unknown): TreeEntry[] {
  const { path, type, mode, size, sha } = isRecord(one) ? one : {}
  if (typeof path !== 'string' || typeof sha !== 'string' || trySafePath(path) !== path) return []
  if (type === 'commit') return [{ path, kind: 'submodule', version: sha }]
  if (type !== 'blob') return []
  const kind = mode === LINK_MODE ? 'link' : 'file'
  return [{ path, kind, version: sha, ...(isCount(size) ? { size } : {}) }]
}

/** The path in the repository that a link leads to. `undefined` if it leaves the repository. */
function targetOf(link: string, text: string): string | undefined {
  const target = text.trim()
  if (target === '' || target.length > MAX_TARGET || target.startsWith('/')) return undefined
  const parts = link.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  const path = parts.join('/')
  return path === '' || trySafePath(path) !== path ? undefined : path
}

interface Links {
  all: ReadonlyMap<string, TreeEntry>
  entries: Map<string, CommitEntry>
  /** The folder that is listed, with a slash. */
  prefix: string
}

/**
 * A link to a file is that file. A link to a folder has the files of the folder, unless they are skills that are listed at their own path:
 * then the link is left out, as `directory` does. Links in linked folders are not followed.
 */
function followLink(link: string, target: string, { all, entries, prefix }: Links): void {
  const path = link.slice(prefix.length)
  const add = (at: string, { path: file, version, size }: TreeEntry): void => {
    entries.set(at, { path: at, file, version, ...(size === undefined ? {} : { size }) })
  }
  const file = all.get(target)
  if (file?.kind === 'file') {
    add(path, file)
    return
  }
  const inside = [...all.values()].filter(
    entry => entry.kind === 'file' && entry.path.startsWith(`${target}/`),
  )
  if (file || inside.length === 0 || link.startsWith(`${target}/`)) return
  entries.delete(path)
  const isListed = target.startsWith(prefix)
  if (isListed && inside.some(one => SKILL_FILE.test(one.path))) return
  for (const entry of inside.slice(0, MAX_LINKED_FILES - entries.size)) {
    add(joinPath(path, entry.path.slice(target.length + 1)), entry)
  }
}
