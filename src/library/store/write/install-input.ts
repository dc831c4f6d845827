import { withoutJunk } from '../../../core/content.js'
import { invalidInput } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { joinPath, relativePath, trySafePath } from '../../../core/paths.js'
import type { PackedVectors } from '../../../search/index/packed-vectors.js'
import { parseSkill } from '../../../skill/parse.js'
import type { ArchiveInput } from '../../../source/archive/input.js'
import { type MemoryFile, memory } from '../../../source/memory.js'
import type { ListableSource, SkillSource } from '../../../source/source.js'
import type { PackedCatalog } from '../../catalog/packed-catalog.js'
import { readStoredCatalog } from '../../catalog/stored-catalog.js'
import type { PlanOptions } from '../pack/pack-options.js'
import { type PackPlan, planTree } from '../pack/plan.js'
import { planCopy } from '../pack/plan-library.js'
import { isModelError } from '../pack/plan-segments.js'
import { VECTORS_FILE } from './vectors-upload.js'

/** Few inputs have vectors. */
const loadPackedVectors = onDemand(() => import('../../../search/index/packed-vectors.js'))
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
  // A chosen folder has what tools wrote there, too.
  const files = withoutJunk(
    [...input].map(file => ({ path: file.webkitRelativePath || file.name, file })),
  ).map(({ file }) => file)
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

interface InputPlanOptions extends PlanOptions {
  /** The folder for a skill at the root. @default its name */
  as?: string | undefined
}

/** The plan of an input, and how its skill at the root was moved. */
export interface PlannedInput {
  plan: PackPlan
  /** The folder that the skill at the root was moved to; `undefined` if there is none. */
  folder: string | undefined
  /** `allow`, with the paths in that folder. */
  allow: readonly string[] | undefined
}

/**
 * Plans what is installed or published: a folder of skills or a packed library. A skill at the root gets a folder, because a library has
 * one folder per skill.
 * @throws SkillshelfError as `planLibrary`. `isInputError` recognizes it.
 */
export async function planInput(
  source: SkillSource,
  { as, ...options }: InputPlanOptions = {},
): Promise<PlannedInput> {
  try {
    const stored = await readStoredCatalog(source, options.signal)
    const moved = stored
      ? moveRootEntry(stored.catalog, as, source.name)
      : await moveRootSkill(source, as, options.signal)
    const allow = allowedInFolder(options.allow, moved.folder)
    const plan =
      'catalog' in moved
        ? await planCopy(source, moved.catalog, { ...options, allow })
        : await planTree(moved.source, {
            ...{ ...options, allow, named: moved.folder },
            given: moved.hasVectors ? await readVectors(source, options.signal) : undefined,
          })
    return { plan, folder: moved.folder, allow }
  } catch (error) {
    if (typeof error === 'object' && error !== null && !isModelError(error)) inputErrors.add(error)
    throw error
  }
}

/** A file that holds something else is as none: another program may have written it. */
async function readVectors(
  source: SkillSource,
  signal: AbortSignal | undefined,
): Promise<PackedVectors | undefined> {
  const found = await source.read(VECTORS_FILE, { signal })
  if (typeof found !== 'object') return undefined
  return (await loadPackedVectors()).readPackedVectors(found.bytes)
}

const inputErrors = new WeakSet<object>()

/** Whether an error is of an input that could not be planned, not of the library that it was meant for. */
export function isInputError(error: unknown): boolean {
  return inputErrors.has(error as object)
}

/** Moves a skill at the root of a packed library into a folder. */
function moveRootEntry(
  catalog: PackedCatalog,
  as: string | undefined,
  name: string,
): { catalog: PackedCatalog; folder: string | undefined } {
  const root = catalog.skills.find(({ path }) => path === '')
  if (!root) return { catalog, folder: undefined }
  const folder = as ?? folderName(root.name, name)
  const skills = catalog.skills.map(entry => (entry === root ? { ...entry, path: folder } : entry))
  return { catalog: { ...catalog, skills }, folder }
}

/** Moves a skill at the root of a tree into a folder. `hasVectors`: beside folders of skills is a file of vectors. */
async function moveRootSkill(
  source: SkillSource,
  as: string | undefined,
  signal: AbortSignal | undefined,
): Promise<{ source: SkillSource; folder: string | undefined; hasVectors: boolean }> {
  const files = (await source.list?.({ signal })) ?? []
  const file = files.find(({ path }) => path.toLowerCase() === 'skill.md')
  const found = file && (await source.read(file.path, { signal }))
  if (typeof found !== 'object') {
    const hasVectors = files.some(({ path }) => path === VECTORS_FILE)
    return { source, folder: undefined, hasVectors }
  }
  const { metadata } = await parseSkill(found.bytes, { folder: '' })
  const folder = as ?? folderName(metadata.name, source.name)
  return { source: inFolder(source, folder), folder, hasVectors: false }
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
