import { digestOfLarge } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { loadModule } from '../../core/load-module.js'
import { dirname, relativePath } from '../../core/paths.js'
import { memory } from '../memory.js'
import type { FetchableSource, FileEntry, ListableSource, SkillSource } from '../types.js'
import type { ArtifactSkill } from './skill-index.js'

/** The files of one skill in memory. */
export interface Artifact {
  /** Paths are relative to the skill's folder. One is SKILL.md. */
  files: readonly FileEntry[]
  read: SkillSource['read']
}

/**
 * Downloads the archive or SKILL.md of a skill, verifies its digest and opens it.
 * @throws SkillshelfError `source-failed`, `format`, `too-large`, `unsupported`
 */
export async function fetchArtifact(
  source: FetchableSource,
  { name, kind, url, digest }: ArtifactSkill,
  signal: AbortSignal,
): Promise<Artifact> {
  const found = await source.fetch(url, { signal })
  if (found === undefined || found === 'unchanged')
    throw new SkillshelfError('source-failed', `${url} was not found`, { subject: url })
  const actual = await digestOfLarge(found.bytes)
  if (actual !== digest)
    throw new SkillshelfError('source-failed', `${url} does not match the index: its digest is ${actual}`, {
      subject: url,
      hint: `the index expects ${digest}: publish the site again`,
    })
  if (kind === 'skill-md') return openSkillFolder(memory({ 'SKILL.md': found.bytes }), url)
  const { archive } = await loadModule(import('../archive/archive.js'))
  return openSkillFolder(archive(found.bytes, { name, signal }), url)
}

/** Opens the topmost folder with a SKILL.md. The standard requires it at the root, but not all sites follow. */
async function openSkillFolder(files: ListableSource, url: string): Promise<Artifact> {
  const listing = await files.list()
  const skillFiles = listing.filter(({ path, unreadable }) => !unreadable && /(?:^|\/)skill\.md$/i.test(path))
  const depth = ({ path }: FileEntry): number => path.split('/').length
  const minDepth = Math.min(...skillFiles.map(depth))
  const folders = new Set(skillFiles.filter(file => depth(file) === minDepth).map(({ path }) => dirname(path)))
  const [folder] = folders
  if (folder === undefined || folders.size > 1)
    throw new SkillshelfError('format', `${url} has ${folders.size === 0 ? 'no' : 'more than one'} SKILL.md`, {
      subject: url,
      hint: 'an archive must hold one skill with its SKILL.md at the root',
    })
  const inside = listing.filter(({ path }) => folder === '' || path.startsWith(`${folder}/`))
  const entries = new Map(inside.map(entry => [relativePath(folder, entry.path), entry]))
  if (!entries.has('SKILL.md')) {
    const spelling = [...entries.keys()].find(path => path.toLowerCase() === 'skill.md') as string
    entries.set('SKILL.md', entries.get(spelling) as FileEntry)
    entries.delete(spelling)
  }
  return {
    files: [...entries].map(([path, entry]) => ({ ...entry, path })),
    read: async (path, options) => {
      const entry = entries.get(path)
      return entry && !entry.unreadable ? files.read(entry.path, options) : undefined
    },
  }
}
