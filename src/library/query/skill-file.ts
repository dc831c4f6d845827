import { SkillshelfError } from '../../core/errors.js'
import { basename, joinPath, listPaths, relativePath, safePath } from '../../core/paths.js'
import { deepFreeze } from '../../core/plain-data.js'
import { decodeUtf8 } from '../../skill/decode.js'
import { describeFile } from '../../skill/media-types.js'
import type { FileInfo, Skill, SkillFile, SkillSummary } from '../../skill/skill.js'
import type { SkillSource } from '../../source/source.js'
import type { ReadFileOptions } from '../api/backend.js'
import { owningFolder } from '../catalog/discover.js'
import { noLongerThere, readPackedFile, verifyPackedFile } from '../catalog/packed-files.js'
import { skillId } from '../catalog/snapshot.js'
import type { OpenedSkill, SourceIndex } from '../indexing/source-index.js'
import { type LibraryState, locationOf, sourceOf } from '../state/state.js'
import { checkRange, cutRange, type RangeResult } from './byte-range.js'

/** Files of a folder that an error names: a model lists a folder by reading it. */
const LISTED_PATHS = 200

/** An opened skill as `get` returns it, frozen. */
export function createSkill(
  summary: SkillSummary,
  {
    digest,
    tokens = summary.tokens,
    text,
    body,
    details,
  }: Omit<OpenedSkill, 'current' | 'version'>,
  root: string,
): Skill {
  const { unread: _, ...known } = summary
  return deepFreeze({
    ...known,
    tokens,
    digest,
    metadata: details.metadata,
    instructions: body.trim(),
    text,
    frontmatter: details.frontmatter,
    file: details.file,
    files: details.files.map(describeFile),
    ...(details.messages ? { messages: details.messages } : {}),
    ...(details.notMessages ? { notMessages: details.notMessages } : {}),
    root,
    diagnostics: details.diagnostics,
  })
}

/** Reads a file of a skill, or a range of it. */
export async function readSkillFile(
  state: LibraryState,
  name: string,
  path: string,
  options: ReadFileOptions,
): Promise<SkillFile> {
  const summary = state.lookup.find(name)
  const { source, entry: outer } = sourceOf(state, summary)
  const { byPath } = source.loaded
  const fullPath = joinPath(outer.path, safePath(path))
  // A file of a nested skill belongs to that skill and can be read through the outer one too.
  const entry = byPath.get(owningFolder(fullPath, byPath) ?? '') ?? outer
  const innerPath = relativePath(entry.path, fullPath)
  const opened = state.cache.get(skillId(source.origin, entry.path))?.skill
  const { file, files } = opened ?? (await source.loaded.files(entry, options.signal))
  const digest = opened?.digest ?? (entry.unread ? undefined : entry.digest)
  const info =
    innerPath === file
      ? { path: file, ...(digest === undefined ? {} : { digest }) }
      : files.find(one => one.path === innerPath)
  if (!info || entry.enabled === false) throw fileNotFound(summary, path, files)
  const { loaded } = source
  const place = { source: loaded.source, locate: (file: FileInfo) => loaded.locate(entry, file) }
  const read = await readFile(place, info, options)
  return createSkillFile(info, read, {
    path: relativePath(outer.path, fullPath),
    skill: summary.id,
    location: locationOf(source, fullPath),
  })
}

/** A file as `read` returns it. */
export function createSkillFile(
  info: FileInfo,
  { bytes, range, total }: FileContent,
  { path, ...place }: Pick<SkillFile, 'path' | 'skill' | 'location'>,
): SkillFile {
  const text = decodeUtf8(bytes)
  return {
    ...describeFile({ ...info, path, size: total }),
    ...place,
    bytes,
    ...(text === undefined ? {} : { text }),
    ...(range ? { range } : {}),
  }
}

type FileContent = Pick<RangeResult, 'bytes'> & Partial<RangeResult> & { total: number }

/** Checks the bytes of a whole packed file against its digest. */
export async function readFile(
  {
    source,
    locate,
  }: { source: SkillSource; locate: (file: FileInfo) => ReturnType<SourceIndex['locate']> },
  file: FileInfo,
  { signal, range }: ReadFileOptions,
): Promise<FileContent> {
  checkRange(range)
  const { path, digest } = locate(file)
  if (!range && digest !== undefined) {
    const bytes = await readPackedFile(source, path, digest, signal)
    return { bytes, total: bytes.length }
  }
  const result = await source.read(path, { signal, range })
  if (result === undefined || result === 'unchanged') {
    throw noLongerThere(source, path)
  }
  if (!range) return { bytes: result.bytes, total: result.bytes.length }
  // A source that does not read ranges returns the whole file.
  if (digest !== undefined && !result.partial) await verifyPackedFile(source, path, digest, result)
  const part = cutRange(result, range)
  if (!part) {
    throw new SkillshelfError(
      'source-failed',
      `${source.name} returned a different range of ${path}`,
      {
        subject: path,
      },
    )
  }
  return { ...part, total: part.range.total }
}

export function fileNotFound(
  { name }: SkillSummary,
  path: string,
  files: readonly FileInfo[],
): SkillshelfError {
  const paths = files.map(file => file.path)
  const folder = `${path.replace(/[\\/]+$/, '')}/`
  const inFolder = paths.filter(one => one.startsWith(folder))
  if (inFolder.length > 0) {
    const listed = inFolder.slice(0, LISTED_PATHS)
    return new SkillshelfError('resource-not-found', `${path} of ${name} is a folder`, {
      subject: path,
      candidates: listed,
      hint: `it has ${listPaths(listed, inFolder.length)}`,
    })
  }
  const fileName = basename(path).toLowerCase()
  const similar = paths.filter(one => one.toLowerCase().endsWith(fileName))
  const candidates = (similar.length > 0 ? similar : paths).slice(0, 5)
  return new SkillshelfError('resource-not-found', `Resource not found: ${name} has no ${path}`, {
    subject: path,
    candidates,
    hint:
      candidates.length > 0
        ? `it has ${listPaths(candidates, paths.length)}`
        : 'it has no files beside its SKILL.md',
  })
}
