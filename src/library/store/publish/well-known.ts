import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOfLarge } from '../../../core/digest.js'
import { isSkillshelfError, SkillshelfError } from '../../../core/errors.js'
import { joinPath } from '../../../core/paths.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { writeArchive } from '../../../source/archive/write.js'
import type { SkillSource } from '../../../source/types.js'
import { packedFile } from '../../catalog/packed-files.js'
import { headersFile } from '../pack/hosting-headers.js'
import { readListedFile } from '../pack/listed-file.js'
import type { PackedOutput } from '../pack/output.js'
import { type PackedSkill, type PublishedSkill, planWellKnown } from './well-known-plan.js'

export { findFrontmatterProblem } from './frontmatter-check.js'

/** The index of well-known v0.2. */
export const SITE_INDEX = '.well-known/agent-skills/index.json'
/** The folder of well-known v0.1: its index, and a folder for each skill. */
export const LEGACY_FOLDER = '.well-known/skills/'
export const LEGACY_INDEX = `${LEGACY_FOLDER}index.json`
export const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

/** Bytes of v0.1 copies above which they are published on request only: they are as large as the skills themselves. */
const MAX_COPIES = 10_000_000
/** Not `.tar.gz`: hosts serve a file that ends in `.gz` with a content encoding, and clients unpack it before they check its digest. */
const ARCHIVE_FORMATS = [
  ['tar.gz', '.tgz'],
  ['zip', '.zip'],
] as const

/** Numbers of published skills. */
export interface PublishedSummary {
  /** Skills in `.well-known/agent-skills/index.json` (v0.2). */
  skills: number
  /** Of those, skills that every client can read: plain YAML with name and description. `npx skills add` skips the others. */
  readable: number
  /** Of those, skills that are also in `.well-known/skills/index.json` (v0.1). */
  legacy: number
  /** The v0.1 copies that were left out because they have more than 10 MB. Absent if `legacy` was given. */
  legacyLeftOut?: {
    skills: number
    bytes: number
  }
}

interface WellKnownOptions {
  /** Paths of the segments. */
  segments: readonly string[]
  /** Whether v0.1 is published. `undefined` publishes up to 10 MB of copies. */
  legacy: boolean | undefined
  signal: AbortSignal | undefined
  /** Called after each skill. */
  onPublished: () => void
}

interface SiteEntry {
  name: string
  type: 'skill-md' | 'archive'
  description: string
  url: string
  digest: string
}

interface File {
  path: string
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * The files that other clients need beside a packed library: an archive of each skill with more than one file, copies for v0.1, settings
 * for static hosts, and last the indexes.
 */
export async function* wellKnownFiles(
  source: SkillSource,
  packed: readonly PackedSkill[],
  { segments, legacy, signal, onPublished }: WellKnownOptions,
): AsyncGenerator<PackedOutput, { summary: PublishedSummary; diagnostics: readonly Diagnostic[] }> {
  const { plan, hasLegacy, legacyLeftOut } = planSite(packed, legacy)
  const diagnostics = [...plan.diagnostics]
  const entries: SiteEntry[] = []
  const archivePaths = new Set<string>()
  for (const skill of plan.skills) {
    const { name, description, isLegacy } = skill
    const isSingleFile = skill.files.length === 1
    const files = isSingleFile && !isLegacy ? [] : await readSkillFiles(source, skill, signal)
    if (isLegacy) for (const { path, bytes } of files) yield { path: legacyPath(name, path), bytes, part: 'copy' }
    if (isSingleFile) {
      const url = siteUrl(packedFile(skill.digest, skill.file))
      entries.push({ name, type: 'skill-md', description, url, digest: skill.digest })
    } else {
      const archive = await createArchive(files)
      if (archive) {
        const { path, bytes, digest } = archive
        if (!archivePaths.has(path)) yield { path, bytes, part: 'archive' }
        archivePaths.add(path)
        entries.push({ name, type: 'archive', description, url: siteUrl(path), digest })
      } else diagnostics.push(notArchived(skill))
    }
    onPublished()
  }

  yield textFile('_headers', headersFile(segments), 'hosting')
  // Without it, GitHub Pages leaves out folders that start with a dot.
  yield textFile('.nojekyll', '', 'hosting')
  const legacyEntries = plan.skills
    .filter(({ isLegacy }) => isLegacy)
    .map(({ name, description, files }) => ({ name, description, files: files.map(({ path }) => path) }))
  if (hasLegacy) yield textFile(LEGACY_INDEX, indexText({}, legacyEntries), 'index')
  yield textFile(SITE_INDEX, indexText({ $schema: SCHEMA }, entries), 'index')
  const listed = new Set(entries.map(({ name }) => name))
  const readable = plan.skills.filter(({ name, isReadable }) => isReadable && listed.has(name)).length
  return {
    summary: {
      skills: entries.length,
      readable,
      legacy: legacyEntries.length,
      ...(legacyLeftOut ? { legacyLeftOut } : {}),
    },
    diagnostics,
  }
}

/** Plans the site with v0.1, or without it if `legacy` is `false`, or `undefined` and the copies are too large. */
function planSite(
  packed: readonly PackedSkill[],
  legacy: boolean | undefined,
): {
  plan: ReturnType<typeof planWellKnown>
  hasLegacy: boolean
  legacyLeftOut?: PublishedSummary['legacyLeftOut']
} {
  const planWith = (hasLegacy: boolean) => ({
    plan: planWellKnown(packed, { anyHost: true, legacy: hasLegacy }),
    hasLegacy,
  })
  const planned = planWith(legacy ?? true)
  if (legacy !== undefined) return planned
  const copied = planned.plan.skills.filter(({ isLegacy }) => isLegacy)
  const bytes = copied.flatMap(({ files }) => files).reduce((sum, { size = 0 }) => sum + size, 0)
  if (bytes <= MAX_COPIES) return planned
  return { ...planWith(false), legacyLeftOut: { skills: copied.length, bytes } }
}

function textFile(path: string, text: string, part: PackedOutput['part']): PackedOutput {
  return { path, bytes: new TextEncoder().encode(text), part }
}

function legacyPath(name: string, path: string): string {
  return `${LEGACY_FOLDER}${name}/${path}`
}

/** A URL relative to the v0.2 index, so that the library works in any folder of its host. */
function siteUrl(path: string): string {
  return `../../${path}`
}

/** One line per skill. The same skills give the same text. */
function indexText(head: object, skills: readonly object[]): string {
  const start = JSON.stringify({ ...head, skills: [] }).slice(0, -2)
  return `${start}\n${skills.map(skill => JSON.stringify(skill)).join(',\n')}\n]}\n`
}

/** Reads the files of a skill again and checks that they have not changed since they were packed. */
async function readSkillFiles(
  source: SkillSource,
  { folder, files }: PublishedSkill,
  signal: AbortSignal | undefined,
): Promise<File[]> {
  return mapParallel(files, PARALLEL_READS, async ({ path, sourcePath, digest }) => {
    const bytes = await readListedFile(source, sourcePath, signal)
    if ((await digestOfLarge(bytes)) !== digest)
      throw new SkillshelfError('source-failed', `${sourcePath} changed while it was packed`, {
        subject: folder,
        hint: 'pack again',
      })
    return { path, bytes }
  })
}

/** An archive named by its digest: a tar.gz, or a zip if a name is too long for it. `undefined` if neither format can hold the names. */
async function createArchive(files: readonly File[]): Promise<(File & { digest: string }) | undefined> {
  const contents = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))
  for (const [format, extension] of ARCHIVE_FORMATS) {
    try {
      const bytes = await writeArchive(contents, { format })
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
    message: 'Not published to v0.2 clients: no archive format can hold its file names',
    path: joinPath(folder, file),
    hint: 'shorten the file names',
  }
}
