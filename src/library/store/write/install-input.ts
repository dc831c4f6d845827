import { invalidInput } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { joinPath, relativePath, trySafePath } from '../../../core/paths.js'
import { parseSkill } from '../../../skill/parse.js'
import type { ArchiveInput } from '../../../source/archive/input.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import { type MemoryFile, memory } from '../../../source/memory.js'
import type { ListableSource, SkillSource } from '../../../source/source.js'
import { writeCatalog } from '../../catalog/packed-catalog.js'
import { readStoredCatalog } from '../../catalog/packed-files.js'

const loadArchive = onDemand(() => import('../../../source/archive/archive.js'))

/** A file of a file input or a drop. Any `File` fits. */
export interface ChosenFile {
  readonly name: string
  /** The path, which starts with the chosen folder; `''` for a file that was chosen by itself. */
  readonly webkitRelativePath?: string
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Input of `install`: an archive, files by path or chosen, another source, or one SKILL.md as text, bytes, `File` or `Response`. */
export type InstallInput =
  | SkillSource
  | Readonly<Record<string, MemoryFile>>
  | Iterable<ChosenFile>
  | ArchiveInput
  | string

const MARKDOWN = /\.(?:md|markdown)$/i

/** @throws SkillshelfError `invalid-input`, `module-failed` */
export async function toSource(input: InstallInput, signal?: AbortSignal): Promise<SkillSource> {
  if (typeof input === 'string') return textSource(input)
  if (isSkillFile(input)) return chosenFiles([input])
  if (typeof input === 'function' || isArchive(input)) {
    return (await loadArchive()).archive(input, { signal })
  }
  if (typeof input !== 'object' || input === null) {
    throw invalidInput(
      `Cannot install skills from ${String(input)}`,
      'pass an archive, files by path, chosen files, the text of a SKILL.md, or a source such as http(url)',
    )
  }
  if ('read' in input && typeof input.read === 'function') return input as SkillSource
  if (Symbol.iterator in input) return chosenFiles(input)
  return memory(input as Record<string, MemoryFile>, { name: 'files' })
}

function textSource(text: string): SkillSource {
  // An address or a path is a line.
  if (text.includes('\n')) return memory({ 'SKILL.md': text }, { name: 'files' })
  throw invalidInput(
    `Cannot install skills from the text ${JSON.stringify(text.slice(0, 100))}`,
    'pass the text of a SKILL.md; for an address, pass http(url)',
  )
}

/** A `File` with Markdown, which may lack frontmatter. */
function isSkillFile(input: InstallInput): input is ChosenFile & InstallInput {
  if (typeof input !== 'object' || input === null || !('arrayBuffer' in input)) return false
  const { name } = input
  return typeof name === 'string' && MARKDOWN.test(name)
}

function isArchive(
  input: InstallInput,
): input is Exclude<ArchiveInput, (...args: never[]) => unknown> {
  return (
    input instanceof ArrayBuffer ||
    ArrayBuffer.isView(input) ||
    (typeof input === 'object' &&
      input !== null &&
      ('getReader' in input || 'stream' in input || 'body' in input))
  )
}

async function chosenFiles(input: Iterable<ChosenFile>): Promise<SkillSource> {
  const files = [...input]
  const [first] = files
  if (files.length === 1 && first && /\.(?:zip|tar|tgz|tar\.gz)$/i.test(first.name)) {
    const { archive } = await loadArchive()
    return archive(async () => first.arrayBuffer(), { name: first.name.replace(/\.[^.]+$/, '') })
  }
  if (files.length === 1 && first && MARKDOWN.test(first.name) && !first.webkitRelativePath) {
    return memory(
      { 'SKILL.md': async () => new Uint8Array(await first.arrayBuffer()) },
      { name: 'files' },
    )
  }
  const paths = files.map(file => file.webkitRelativePath || file.name)
  // A file input puts the chosen folder before every path.
  const folders = new Set(paths.map(path => path.slice(0, path.indexOf('/') + 1)))
  const folder = folders.size === 1 ? ([...folders][0] ?? '') : ''
  const contents: [string, MemoryFile][] = []
  const unsafePaths: string[] = []
  for (const [index, file] of files.entries()) {
    const path = (paths[index] as string).slice(folder.length)
    if (trySafePath(path) === undefined) unsafePaths.push(path)
    else contents.push([path, async () => new Uint8Array(await file.arrayBuffer())])
  }
  const source = memory(Object.fromEntries(contents), { name: folder.slice(0, -1) || 'files' })
  // Listed, so that reading the listing reports them.
  const unsafeEntries = unsafePaths.map(path => ({ path }))
  return {
    ...source,
    list: async options => [...((await source.list?.(options)) ?? []), ...unsafeEntries],
  }
}

/** A source whose skill at the root may have been moved into a folder. */
type MovedSource = SkillSource & { folder?: string }

/** Moves a skill at the root of a source into a folder, by default with its name: a library has one folder per skill. */
export async function moveRootSkill(
  source: SkillSource,
  folder: string | undefined,
  signal?: AbortSignal,
): Promise<MovedSource> {
  const stored = await readStoredCatalog(source, signal)
  if (stored) {
    const root = stored.catalog.skills.find(({ path }) => path === '')
    if (!root) return source
    const moved = folder ?? folderName(root.name, source.name)
    const skills = stored.catalog.skills.map(entry =>
      entry === root ? { ...entry, path: moved } : entry,
    )
    const bytes = await writeCatalog({ ...stored.catalog, skills })
    return {
      name: source.name,
      folder: moved,
      read: async (path, options) =>
        path === CATALOG_FILE ? { bytes } : source.read(path, options),
    }
  }
  const files = (await source.list?.({ signal })) ?? []
  const file = files.find(({ path }) => path.toLowerCase() === 'skill.md')
  const found = file && (await source.read(file.path, { signal }))
  if (typeof found !== 'object') return source
  const { metadata } = await parseSkill(found.bytes, { folder: '' })
  const moved = folder ?? folderName(metadata.name, source.name)
  return { ...inFolder(source, moved), folder: moved }
}

/** Paths as the caller names them, and as they are in the folder that the skill was moved to. */
export function allowedInFolder(
  allow: readonly string[] | undefined,
  folder = '',
): readonly string[] | undefined {
  return folder === '' ? allow : allow?.flatMap(path => [path, joinPath(folder, path)])
}

function folderName(skillName: string, sourceName: string): string {
  const names = [skillName, sourceName].map(name => name.trim().replaceAll(/[/\\]+/g, '-'))
  return names.find(name => trySafePath(name) === name) ?? 'skill'
}

/** Prefixes every path of a source with a folder. */
export function inFolder(source: SkillSource, folder: string): ListableSource {
  return {
    name: source.name,
    read: async (path, options) =>
      path.startsWith(`${folder}/`) ? source.read(relativePath(folder, path), options) : undefined,
    async list({ signal } = {}) {
      const entries = (await source.list?.({ signal })) ?? []
      return entries.map(entry => ({ ...entry, path: joinPath(folder, entry.path) }))
    },
  }
}
