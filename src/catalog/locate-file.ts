import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import { trySafePath } from '../core/paths.js'
import type { Addressed, Listable } from '../source/kinds.js'
import { memory } from '../source/memory.js'
import type { FetchResult, FileEntry } from '../source/types.js'
import { type FileKind, fileKindOf } from './locate-kind.js'

/**
 * The tree in the file that stands at a source's own address. Each listing but the first asks for it again, on condition that it changed;
 * what was good stays until the new one is.
 * @param found The file, and what it is.
 * @param notes What else is wrong with the place: listed beside what is there.
 */
export async function fileTree(
  source: Addressed,
  found: FetchResult,
  kind: TreeKind,
  notes: readonly FileEntry[],
): Promise<Listable> {
  const { name } = source
  let held = { ...(await openFile(name, found, kind)), version: found.version }
  let fresh = true

  const look = async (signal: AbortSignal | undefined): Promise<readonly FileEntry[]> => {
    const at = signal ? { signal } : {}
    throwIfAborted(signal)
    const latest = fresh
      ? 'unchanged'
      : await source.fetch('', { ...(held.version === undefined ? {} : { ifVersion: held.version }), ...at })
    if (latest === 'unchanged') {
      const listing = await held.tree.list(at)
      fresh = false
      return [...listing, ...held.refused]
    }
    const next = latest && fileKindOf(latest)
    if (!next || next.kind === 'index')
      throw new SkillshelfError(
        latest ? 'format' : 'source-not-found',
        latest ? `${latest.url} holds no skills any more` : `There is nothing at the address of ${name} any more`,
        { subject: name },
      )
    const opened = { ...(await openFile(name, latest, next)), version: latest.version }
    const listing = await opened.tree.list(at)
    held = opened
    return [...listing, ...held.refused]
  }

  return {
    name,
    list: async ({ signal } = {}) => [...(await look(signal)), ...notes],
    read: (path, reading) => held.tree.read(path, reading),
    close: async () => source.close?.(),
  }
}

/** A file that is a tree in itself. */
export type TreeKind = Exclude<FileKind, { kind: 'index' }>

interface Opened {
  tree: Listable
  /** Entries that cannot be used, and why. */
  refused: readonly FileEntry[]
}

async function openFile(name: string, { bytes }: FetchResult, kind: TreeKind): Promise<Opened> {
  if (kind.kind === 'bundle') return openBundle(name, kind.files)
  if (kind.kind === 'skill') return { tree: memory({ 'SKILL.md': bytes }, { name }) as Listable, refused: [] }
  const { archive } = await import('../source/archive/archive.js')
  return { tree: archive(bytes, { name }) as Listable, refused: [] }
}

/** One bad entry never voids the others. */
function openBundle(name: string, files: Readonly<Record<string, unknown>>): Opened {
  const good = new Map<string, string>()
  const refused: FileEntry[] = []
  for (const [number, [path, text]] of Object.entries(files).entries()) {
    const safe = trySafePath(path)
    const refuse = (why: string): void =>
      void refused.push({ path: `bundle.json/${number}`, unreadable: `${JSON.stringify(path.slice(0, 100))} ${why}` })
    if (safe === undefined) refuse('is no path in a folder')
    else if (typeof text !== 'string') refuse('has no text')
    else good.set(safe, text)
  }
  return { tree: memory(Object.fromEntries(good), { name }) as Listable, refused }
}
