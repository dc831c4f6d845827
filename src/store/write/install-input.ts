import { SkillshelfError } from '../../core/errors.js'
import { trySafePath } from '../../core/paths.js'
import { archive } from '../../source/archive/archive.js'
import type { ArchiveInput } from '../../source/archive/input.js'
import { type MemoryFile, memory } from '../../source/memory.js'
import type { SkillSource } from '../../source/types.js'

/** A file of a picker or of a drop: any platform's `File` fits. */
export interface ChosenFile {
  readonly name: string
  /** Its path in the folder that was chosen, which comes first; `''` for a file that was chosen itself. */
  readonly webkitRelativePath?: string
  arrayBuffer(): Promise<ArrayBuffer>
}

/** What can be installed: an archive, files by path, the files of a picker, or another source. */
export type InstallInput = SkillSource | Readonly<Record<string, MemoryFile>> | Iterable<ChosenFile> | ArchiveInput

/** @throws SkillshelfError `invalid-input` */
export function toSource(input: InstallInput, signal?: AbortSignal): SkillSource {
  if (typeof input === 'function' || isArchive(input)) return archive(input, signal ? { signal } : {})
  if (typeof input !== 'object' || input === null)
    throw new SkillshelfError('invalid-input', `Nothing can be installed from ${String(input)}`, {
      hint: 'give an archive, files by path, chosen files, or a source; for an address: http(address)',
    })
  if ('read' in input && typeof input.read === 'function') return input as SkillSource
  if (Symbol.iterator in input) return chosen(input as Iterable<ChosenFile>)
  return memory(input as Record<string, MemoryFile>, { name: 'files' })
}

function isArchive(input: InstallInput): input is Exclude<ArchiveInput, (...args: never[]) => unknown> {
  return (
    input instanceof ArrayBuffer ||
    ArrayBuffer.isView(input) ||
    (typeof input === 'object' && input !== null && ('getReader' in input || 'stream' in input || 'body' in input))
  )
}

function chosen(files: Iterable<ChosenFile>): SkillSource {
  const all = [...files]
  const [first] = all
  if (all.length === 1 && first && /\.(?:zip|tar|tgz|tar\.gz)$/i.test(first.name))
    return archive(async () => first.arrayBuffer(), { name: first.name.replace(/\.[^.]+$/, '') })
  const paths = all.map(file => file.webkitRelativePath || file.name)
  // A picker puts the chosen folder before every path.
  const roots = new Set(paths.map(path => path.slice(0, path.indexOf('/') + 1)))
  const root = roots.size === 1 ? ([...roots][0] ?? '') : ''
  const inner = paths.map(path => path.slice(root.length))
  const good = all.flatMap((file, at): [string, MemoryFile][] => {
    const path = inner[at] as string
    return trySafePath(path) === undefined ? [] : [[path, async () => new Uint8Array(await file.arrayBuffer())]]
  })
  const held = memory(Object.fromEntries(good), { name: root.slice(0, -1) || 'files' })
  // One name that cannot be a path keeps no other file out: it is listed, and whoever reads the listing says so.
  const refused = inner.filter(path => trySafePath(path) === undefined).map(path => ({ path }))
  return { ...held, list: async at => [...((await held.list?.(at)) ?? []), ...refused] }
}
