import { digestOfLarge } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { dirname, relativePath } from '../../core/paths.js'
import { memory } from '../memory.js'
import type { FetchableSource, FileEntry, ListableSource, SkillSource } from '../types.js'
import type { ArtifactSkill } from './skill-index.js'

/** The files of one skill, in memory. */
export interface Artifact {
  /** Paths are relative to the skill's folder; one is SKILL.md. */
  files: readonly FileEntry[]
  read: SkillSource['read']
}

/**
 * Fetches what holds a skill, and opens it once its digest is right.
 * @throws SkillshelfError `source-failed`, `format`, `too-large`, `unsupported`
 */
export async function fetchArtifact(
  source: FetchableSource,
  { name, kind, url, digest }: ArtifactSkill,
  signal: AbortSignal,
): Promise<Artifact> {
  const found = await source.fetch(url, { signal })
  if (found === undefined || found === 'unchanged')
    throw new SkillshelfError('source-failed', `There is nothing at ${url}`, { subject: url })
  const actual = await digestOfLarge(found.bytes)
  if (actual !== digest)
    throw new SkillshelfError('source-failed', `${url} is not what the index says: its digest is ${actual}`, {
      subject: url,
      hint: `the site has to say ${digest} of the same bytes that it gives`,
    })
  if (kind === 'skill-md') return inFolder(memory({ 'SKILL.md': found.bytes }) as ListableSource, url)
  const { archive } = await import('../archive/archive.js')
  return inFolder(archive(found.bytes, { name, signal }) as ListableSource, url)
}

/** The folder of an archive that is the skill: where its one uppermost SKILL.md stands. The standard has that at the root; not all do. */
async function inFolder(files: ListableSource, url: string): Promise<Artifact> {
  const listing = await files.list()
  const manifests = listing.filter(({ path, unreadable }) => !unreadable && /(?:^|\/)skill\.md$/i.test(path))
  const depth = ({ path }: FileEntry): number => path.split('/').length
  const least = Math.min(...manifests.map(depth))
  const folders = new Set(manifests.filter(one => depth(one) === least).map(({ path }) => dirname(path)))
  const [folder] = folders
  if (folder === undefined || folders.size > 1)
    throw new SkillshelfError('format', `${url} has ${folders.size === 0 ? 'no' : 'more than one'} SKILL.md`, {
      subject: url,
      hint: 'an archive holds one skill, its SKILL.md at the root',
    })
  const inside = listing.filter(({ path }) => folder === '' || path.startsWith(`${folder}/`))
  const names = new Map(inside.map(entry => [relativePath(folder, entry.path), entry]))
  if (!names.has('SKILL.md')) {
    const spelled = [...names.keys()].find(path => path.toLowerCase() === 'skill.md') as string
    names.set('SKILL.md', names.get(spelled) as FileEntry)
    names.delete(spelled)
  }
  return {
    files: [...names].map(([path, entry]) => ({ ...entry, path })),
    read: async (path, reading) => {
      const entry = names.get(path)
      return entry && !entry.unreadable ? files.read(entry.path, reading) : undefined
    },
  }
}
