import { owningFolder } from '../catalog/discover.js'
import { readPackedFile } from '../catalog/packed-files.js'
import { skillId } from '../catalog/snapshot.js'
import type { CatalogEntry } from '../catalog/types.js'
import { SkillshelfError } from '../core/errors.js'
import { joinPath, relativePath, safePath } from '../core/paths.js'
import { decodeUtf8 } from '../skill/decode.js'
import { describeFile } from '../skill/media-types.js'
import type { FileInfo, SkillFile, SkillSummary } from '../skill/types.js'
import type { ByteRange } from '../source/types.js'
import { checkRange, cutPart } from './range.js'
import { rootOf, type Stand, type State, whereIs } from './state.js'
import type { AbortOptions } from './types.js'

/** Reads a file of a skill, or a part of it. */
export async function readSkillFile(
  state: State,
  name: string,
  path: string,
  at: AbortOptions & { range?: ByteRange | undefined },
): Promise<SkillFile> {
  const summary = state.lookup.find(name)
  const asked = whereIs(state, summary)
  const wanted = joinPath(asked.entry.path, safePath(path))
  // A file of a nested skill is that skill's, and can be read through the outer one too.
  const { byPath } = asked.stand.shelf
  const entry = byPath.get(owningFolder(wanted, byPath) ?? '') ?? asked.entry
  const inner = relativePath(entry.path, wanted)
  const opened = state.cache.get(skillId(asked.stand.origin, entry.path))
  const { file, files } = opened ?? (await asked.stand.shelf.files(entry, at.signal))
  const digest = opened?.digest ?? (entry.unread ? undefined : entry.digest)
  const found =
    inner === file ? { path: file, ...(digest === undefined ? {} : { digest }) } : files.find(one => one.path === inner)
  if (!found || entry.enabled === false) throw missingFile(summary, path, files)
  const bytes = await readFile(asked.stand, entry, found, at)
  return {
    ...describeFile({
      ...found,
      path: relativePath(asked.entry.path, wanted),
      size: bytes.total,
    }),
    skill: summary.id,
    location: rootOf(asked.stand, wanted),
    ...withText(bytes),
  }
}

function missingFile(skill: SkillSummary, path: string, files: readonly FileInfo[]): SkillshelfError {
  const last = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const alike = files.map(file => file.path).filter(one => one.toLowerCase().endsWith(last))
  const candidates = (alike.length > 0 ? alike : files.map(file => file.path)).slice(0, 5)
  return new SkillshelfError('resource-not-found', `Resource not found: ${skill.name} has no ${path}`, {
    subject: path,
    candidates,
    hint: candidates.length > 0 ? `it has ${candidates.join(', ')}` : 'it has no files beside its SKILL.md',
  })
}

/** The whole file or the part asked for; whole packed files are checked against their digest. */
async function readFile(
  { shelf }: Stand,
  entry: CatalogEntry,
  file: FileInfo,
  { signal, range }: AbortOptions & { range?: ByteRange | undefined },
): Promise<{
  bytes: Uint8Array<ArrayBuffer>
  total: number
  range?: { offset: number; length: number; total: number }
}> {
  checkRange(range)
  const { source } = shelf
  const { path, digest } = shelf.locate(entry, file)
  if (!range && digest !== undefined) {
    const bytes = await readPackedFile(source, path, digest, signal)
    return { bytes, total: bytes.length }
  }
  const result = await source.read(path, { ...(signal ? { signal } : {}), ...(range ? { range } : {}) })
  if (result === undefined || result === 'unchanged')
    throw new SkillshelfError('source-failed', `${path} is gone from ${source.name}`, {
      subject: path,
      hint: 'refresh the library',
    })
  if (!range) return { bytes: result.bytes, total: result.bytes.length }
  const part = cutPart(result, range)
  if (!part)
    throw new SkillshelfError('source-failed', `${source.name} gave another part of ${path} than was asked for`, {
      subject: path,
    })
  return { ...part, total: part.range.total }
}

function withText({
  bytes,
  range,
}: {
  bytes: Uint8Array<ArrayBuffer>
  range?: { offset: number; length: number; total: number } | undefined
}): Pick<SkillFile, 'bytes' | 'text' | 'range'> {
  const text = decodeUtf8(bytes)
  return { bytes, ...(text === undefined ? {} : { text }), ...(range ? { range } : {}) }
}
