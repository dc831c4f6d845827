import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { trySafePath } from '../../core/paths.js'
import { memory } from '../../source/memory.js'
import type { FetchableSource, FetchResult, FileEntry, ListableSource } from '../../source/source.js'
import { type Container, detectContainer } from './container.js'

const loadArchive = onDemand(() => import('../../source/archive/archive.js'))

/** A container with files in it. */
type FileContainer = Exclude<Container, { kind: 'index' }>

/**
 * Wraps an archive, bundle or SKILL.md at an address as a source with `list`. Each listing after the first sends a conditional request;
 * the files already opened stay readable until a newer version is opened.
 * @param found The file that was fetched.
 * @param container The kind of that file.
 * @param problems Entries added to every listing, to report other candidates that could not be used.
 */
export async function containerTree(
  source: FetchableSource,
  found: FetchResult,
  container: FileContainer,
  problems: readonly FileEntry[],
): Promise<ListableSource> {
  const { name } = source
  let current = { ...(await openContainer(name, found, container)), version: found.version }
  let isFirst = true

  const list = async (signal: AbortSignal | undefined): Promise<readonly FileEntry[]> => {
    throwIfAborted(signal)
    const latest = isFirst ? 'unchanged' : await source.fetch('', { ifVersion: current.version, signal })
    if (latest === 'unchanged') {
      const listing = await current.tree.list({ signal })
      isFirst = false
      return [...listing, ...current.refused]
    }
    const next = latest && detectContainer(latest)
    if (!next || next.kind === 'index')
      throw new SkillshelfError(
        latest ? 'format' : 'source-not-found',
        latest ? `${latest.url} no longer holds skills` : `Nothing found at the address of ${name} any more`,
        { subject: name },
      )
    const opened = { ...(await openContainer(name, latest, next)), version: latest.version }
    const listing = await opened.tree.list({ signal })
    current = opened
    return [...listing, ...current.refused]
  }

  return {
    name,
    list: async ({ signal } = {}) => [...(await list(signal)), ...problems],
    read: (path, options) => current.tree.read(path, options),
    close: async () => source.close?.(),
  }
}

interface OpenContainer {
  tree: ListableSource
  /** Entries that cannot be used, each with its reason. */
  refused: readonly FileEntry[]
}

async function openContainer(name: string, { bytes }: FetchResult, container: FileContainer): Promise<OpenContainer> {
  if (container.kind === 'bundle') return openBundle(name, container.files)
  if (container.kind === 'skill')
    return { tree: memory({ 'SKILL.md': bytes }, { name }) as ListableSource, refused: [] }
  const { archive } = await loadArchive()
  return { tree: archive(bytes, { name }) as ListableSource, refused: [] }
}

/** Opens the valid entries of a bundle and reports the others. */
function openBundle(name: string, files: Readonly<Record<string, unknown>>): OpenContainer {
  const valid = new Map<string, string>()
  const refused: FileEntry[] = []
  for (const [number, [path, text]] of Object.entries(files).entries()) {
    const safe = trySafePath(path)
    const refuse = (reason: string): void =>
      void refused.push({
        path: `bundle.json/${number}`,
        unreadable: `${JSON.stringify(path.slice(0, 100))} ${reason}`,
      })
    if (safe === undefined) refuse('is not a valid relative path')
    else if (typeof text !== 'string') refuse('is not text')
    else valid.set(safe, text)
  }
  return { tree: memory(Object.fromEntries(valid), { name }) as ListableSource, refused }
}
