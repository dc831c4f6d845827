import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOfLarge } from '../../../core/digest.js'
import { isSkillshelfError, throwIfAborted } from '../../../core/errors.js'
import { joinPath } from '../../../core/paths.js'
import type { OnProgress } from '../../../core/progress.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { archiveExamined } from '../../../source/archive/write.js'
import { INDEX_SCHEMA, INDEX_V2 } from '../../../source/well-known/site-paths.js'
import { indexFiles } from '../../catalog/index-files.js'
import { packedFile } from '../../catalog/packed-files.js'
import type { PackPlan } from '../pack/plan.js'
import type { PlannedFile } from '../pack/planned-file.js'
import { headersFile } from './hosting-headers.js'
import { findFrontmatterProblem, type PublishedSkill, planWellKnown } from './well-known-plan.js'

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
}

interface File {
  path: string
  bytes: Uint8Array<ArrayBuffer>
}

interface SiteFile extends File {
  part: 'archive' | 'hosting' | 'index'
}

/**
 * The files of a plan that other clients need: archives of skills with more than one file, host settings, and last the index. `onProgress`
 * goes on after the skills of the plan.
 */
export async function* wellKnownFiles(
  { skills, files, catalog }: PackPlan,
  { signal, onProgress }: AbortOptions & { onProgress?: OnProgress | undefined },
): AsyncGenerator<SiteFile, { summary: PublishedSummary; diagnostics: readonly Diagnostic[] }> {
  const read = (path: string): Promise<Uint8Array<ArrayBuffer>> =>
    (files.get(path) as PlannedFile).read({ signal })
  const checked = await mapParallel(skills, PARALLEL_READS, async skill => {
    const bytes = await read(packedFile(skill.entry.digest, '.md'))
    return { ...skill, frontmatterProblem: await findFrontmatterProblem(bytes) }
  })
  const plan = planWellKnown(checked)
  const total = skills.length + plan.skills.length
  let done = skills.length
  const diagnostics = [...plan.diagnostics]
  const entries: {
    name: string
    type: string
    description: string
    url: string
    digest: string
  }[] = []
  const archivePaths = new Set<string>()
  for (const skill of plan.skills) {
    const { name, description } = skill
    if (skill.files.length === 1) {
      const url = siteUrl(packedFile(skill.digest, skill.file))
      entries.push({ name, type: 'skill-md', description, url, digest: skill.digest })
    } else {
      const contents = await mapParallel(
        skill.files,
        PARALLEL_READS,
        async ({ path, sourcePath, digest }) => ({
          path,
          bytes: await read(packedFile(digest, sourcePath)),
        }),
      )
      const archive = await createArchive(contents)
      if (archive) {
        const { path, bytes, digest } = archive
        if (!archivePaths.has(path)) yield { path, bytes, part: 'archive' }
        archivePaths.add(path)
        entries.push({ name, type: 'archive', description, url: siteUrl(path), digest })
      } else diagnostics.push(notArchived(skill))
    }
    throwIfAborted(signal)
    done++
    onProgress?.({ phase: 'write', done, total })
  }

  yield textFile('_headers', headersFile(indexFiles(catalog.segments)), 'hosting')
  // Without it, GitHub Pages leaves out folders that start with a dot.
  yield textFile('.nojekyll', '', 'hosting')
  yield textFile(INDEX_V2, indexText({ $schema: INDEX_SCHEMA }, entries), 'index')
  const listed = new Set(entries.map(({ name }) => name))
  const readable = plan.skills.filter(
    ({ name, isReadable }) => isReadable && listed.has(name),
  ).length
  return { summary: { skills: entries.length, readable }, diagnostics }
}

function textFile(path: string, text: string, part: SiteFile['part']): SiteFile {
  return { path, bytes: new TextEncoder().encode(text), part }
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

/** An archive named by its digest: a tar.gz, or a zip if a name is too long for it. `undefined` if neither format can hold the names. */
async function createArchive(
  files: readonly File[],
): Promise<(File & { digest: string }) | undefined> {
  const contents = Object.fromEntries(files.map(({ path, bytes }) => [path, bytes]))
  for (const [format, extension] of ARCHIVE_FORMATS) {
    try {
      const bytes = await archiveExamined(contents, { format })
      const digest = await digestOfLarge(bytes)
      return { path: packedFile(digest, extension), bytes, digest }
    } catch (error) {
      if (!isSkillshelfError(error, 'unsupported')) throw error
    }
  }
  return undefined
}

function notArchived({ folder, file }: PublishedSkill): Diagnostic {
  const message = 'Not published to v0.2 clients: no archive format can hold its file names'
  const path = joinPath(folder, file)
  return {
    code: 'published-partly',
    severity: 'warning',
    message,
    path,
    hint: 'shorten the file names',
  }
}
