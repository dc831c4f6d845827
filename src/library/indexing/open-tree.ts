import { digestOf } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { relativePath } from '../../core/paths.js'
import { estimateTokens } from '../../core/tokens.js'
import { decodeText } from '../../skill/decode.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { parseSkill } from '../../skill/parse.js'
import type { FileInfo } from '../../skill/skill.js'
import type { ListableSource, ReadOptions } from '../../source/source.js'
import { filesInFolder } from '../catalog/discover.js'
import { noLongerThere } from '../catalog/packed-files.js'
import type { KnownSkill } from '../catalog/read-tree.js'
import type { IndexOptions, OpenedSkill } from './source-index.js'

/** A skill of a tree, as far as opening it needs. */
export interface ListedTreeSkill extends KnownSkill {
  /** `undefined` while the skill is unread. */
  files?: readonly FileInfo[] | undefined
  messages?: readonly string[] | undefined
  notMessages?: readonly string[] | undefined
  /** Problems of files other than the SKILL.md. */
  diagnostics?: readonly Diagnostic[] | undefined
}

/** Whether a file still has a version. A source that does not answer says nothing against it. */
export async function isUnchanged(
  source: ListableSource,
  file: string,
  options: ReadOptions,
): Promise<boolean> {
  try {
    return (await source.read(file, options)) === 'unchanged'
  } catch (error) {
    if (isSkillshelfError(error, 'aborted')) throw error
    return isSkillshelfError(error, 'source-failed')
  }
}

/** Opens a skill of a tree: reads its SKILL.md, and lists its files. */
export async function openTreeSkill(
  source: ListableSource,
  skill: ListedTreeSkill,
  options: IndexOptions,
): Promise<OpenedSkill> {
  const { file, entry } = skill
  const { policy, signal, countTokens = estimateTokens } = options
  const { strict } = policy
  const result = await source.read(file, { signal })
  if (result === undefined || result === 'unchanged') {
    throw noLongerThere(source, file)
  }
  const [{ metadata, frontmatter, body, diagnostics }, files] = await Promise.all([
    parseSkill(result.bytes, { folder: entry.path, strict, countTokens }),
    listFiles(source, skill, signal),
  ])
  // The summary of an unread skill does not say whether it is enabled.
  if (entry.unread && metadata.enabled === false) {
    throw new SkillshelfError('skill-not-found', `${file} disables the skill`, {
      subject: entry.path,
    })
  }
  const digest = digestOf(result.bytes)
  return {
    digest,
    current: entry.unread ? result.version === skill.version : digest === entry.digest,
    version: result.version,
    ...(entry.unread ? { tokens: { ...entry.tokens, instructions: countTokens(body) } } : {}),
    text: decodeText(result.bytes).text,
    body,
    details: {
      metadata,
      frontmatter,
      file: relativePath(entry.path, file),
      files,
      ...(skill.messages ? { messages: skill.messages } : {}),
      ...(skill.notMessages ? { notMessages: skill.notMessages } : {}),
      diagnostics: [
        ...diagnostics.map(one => ({ ...one, path: file })),
        ...(skill.diagnostics ?? []),
      ],
    },
  }
}

export async function listFiles(
  source: ListableSource,
  { entry: { path }, file, files }: ListedTreeSkill,
  signal: AbortSignal | undefined,
): Promise<readonly FileInfo[]> {
  if (files) return files
  const listing = await source.list({ folder: path, signal })
  const unreadable = listing.find(entry => entry.path === file)?.unreadable
  if (unreadable !== undefined) {
    throw new SkillshelfError('source-failed', `${file} cannot be read: ${unreadable}`, {
      subject: file,
    })
  }
  return filesInFolder(listing, path, file)
}
