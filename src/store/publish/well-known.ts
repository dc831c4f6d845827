import { packedFile } from '../../catalog/packed-files.js'
import { mapParallel } from '../../core/concurrency.js'
import { digestOfLarge } from '../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { writeArchive } from '../../source/archive/write.js'
import type { SkillSource } from '../../source/types.js'
import { headersFile } from '../pack/hosting-headers.js'
import { readWhole } from '../pack/listed-file.js'
import type { PackedOutput } from '../pack/output.js'
import { type PackedSkill, type PublishedSkill, planWellKnown } from './well-known-plan.js'

export { unreadableFor } from './frontmatter-check.js'

/** The index of well-known v0.2. */
export const SITE_INDEX = '.well-known/agent-skills/index.json'
/** The index of well-known v0.1; the files of its skills stand beside it. */
export const LEGACY_INDEX = '.well-known/skills/index.json'
export const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

const PARALLEL_READS = 8

/** What was published. */
export interface PublishedSummary {
  /** Skills in `.well-known/agent-skills/index.json` (v0.2). */
  skills: number
  /** Of those, with a frontmatter that any client reads: plain YAML with name and description. `npx skills add` passes over others. */
  readable: number
  /** Of those, also in `.well-known/skills/index.json` (v0.1). */
  legacy: number
}

interface WellKnownOptions {
  /** Segments of the library. */
  segments: readonly string[]
  signal: AbortSignal | undefined
  onPublished: () => void
}

/**
 * What other clients need of skills that were packed: an archive of each that has more files than its SKILL.md, copies under their own
 * paths, what static hosts are to do with all that, and last the indexes.
 */
export async function* wellKnownFiles(
  source: SkillSource,
  packed: readonly PackedSkill[],
  { segments, signal, onPublished }: WellKnownOptions,
): AsyncGenerator<PackedOutput, { summary: PublishedSummary; diagnostics: readonly Diagnostic[] }> {
  const plan = planWellKnown(packed)
  const diagnostics = [...plan.diagnostics]
  const entries: SiteEntry[] = []
  const archives = new Set<string>()
  for (const skill of plan.skills) {
    const { name, description, files, legacy } = skill
    const alone = files.length === 1
    const contents = alone && !legacy ? [] : await readAgain(source, skill, signal)
    if (legacy) for (const { path, bytes } of contents) yield { path: copyOf(name, path), bytes, part: 'copy' }
    if (alone) {
      const url = addressOf(packedFile(skill.digest, skill.file))
      entries.push({ name, type: 'skill-md', description, url, digest: skill.digest })
    } else {
      const archive = await archiveOf(contents)
      if (archive) {
        if (!archives.has(archive.path)) yield { path: archive.path, bytes: archive.bytes, part: 'archive' }
        archives.add(archive.path)
        entries.push({ name, type: 'archive', description, url: addressOf(archive.path), digest: archive.digest })
      } else diagnostics.push(notArchived(skill))
    }
    onPublished()
  }

  const text = (path: string, content: string, part: PackedOutput['part']): PackedOutput => ({
    path,
    bytes: new TextEncoder().encode(content),
    part,
  })
  yield text('_headers', headersFile(segments), 'hosting')
  // Without it GitHub Pages leaves out folders that start with a dot.
  yield text('.nojekyll', '', 'hosting')
  const legacy = plan.skills.filter(skill => skill.legacy)
  yield text(
    LEGACY_INDEX,
    indexOf(
      {},
      legacy.map(({ name, description, files }) => ({ name, description, files: files.map(({ path }) => path) })),
    ),
    'index',
  )
  yield text(SITE_INDEX, indexOf({ $schema: SCHEMA }, entries), 'index')
  const listed = new Set(entries.map(({ name }) => name))
  const readable = plan.skills.filter(skill => skill.readable && listed.has(skill.name)).length
  return { summary: { skills: entries.length, readable, legacy: legacy.length }, diagnostics }
}

interface SiteEntry {
  name: string
  type: 'skill-md' | 'archive'
  description: string
  url: string
  digest: string
}

interface Content {
  path: string
  bytes: Uint8Array<ArrayBuffer>
}

function copyOf(name: string, path: string): string {
  return `${LEGACY_INDEX.slice(0, -'index.json'.length)}${name}/${path}`
}

/** A packed file as the index of v0.2 names it: relative, so that the library may stand anywhere on its host. */
function addressOf(path: string): string {
  return `../../${path}`
}

/** A line for each skill; the same skills give the same text. */
function indexOf(head: object, skills: readonly object[]): string {
  const start = JSON.stringify({ ...head, skills: [] }).slice(0, -2)
  return `${start}\n${skills.map(skill => JSON.stringify(skill)).join(',\n')}\n]}\n`
}

/** The files of a skill. They were packed before, so they must be what they were. */
async function readAgain(
  source: SkillSource,
  { folder, files }: PublishedSkill,
  signal: AbortSignal | undefined,
): Promise<Content[]> {
  return mapParallel(files, PARALLEL_READS, async ({ path, at, digest }) => {
    const bytes = await readWhole(source, at, signal)
    if ((await digestOfLarge(bytes)) !== digest)
      throw new SkillshelfError('source-failed', `${at} changed while it was packed`, {
        subject: folder,
        hint: 'pack again',
      })
    return { path, bytes }
  })
}

/** Not `.tar.gz`: hosts take a name that ends in `.gz` for another file, compressed, and send that; its digest is wrong. */
const FORMATS = [
  ['tar.gz', '.tgz'],
  ['zip', '.zip'],
] as const

/** The files as an archive named by its digest: a tar.gz, the smaller, or a zip where a name is too long for it. Nothing where neither holds them. */
async function archiveOf(contents: readonly Content[]): Promise<(Content & { digest: string }) | undefined> {
  const files = Object.fromEntries(contents.map(({ path, bytes }) => [path, bytes]))
  for (const [format, extension] of FORMATS) {
    try {
      const bytes = await writeArchive(files, { format })
      const digest = await digestOfLarge(bytes)
      return { path: packedFile(digest, extension), bytes, digest }
    } catch (error) {
      if (!isSkillshelfError(error, 'unsupported')) throw error
    }
  }
  return undefined
}

function notArchived({ folder, file }: PublishedSkill): Diagnostic {
  return {
    code: 'published-partly',
    severity: 'warning',
    message: `It is not published to clients of v0.2: the names of its files fit into no archive`,
    path: joinPath(folder, file),
    hint: 'shorten them',
  }
}
