import { dirname, joinPath, relativePath } from '../../../core/paths.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { isActiveFile } from '../../../skill/media-types.js'
import { isSpecName } from '../../../skill/specification.js'
import type { SkillDetails } from '../../../skill/types.js'
import type { CatalogEntry } from '../../catalog/types.js'
import type { FrontmatterProblem } from './frontmatter-check.js'
import { publishedNames } from './published-names.js'

/** A skill with the digests of its files. */
export interface PackedSkill {
  entry: CatalogEntry
  details: SkillDetails
  /** Bytes of the SKILL.md. `undefined` if unknown. */
  size?: number | undefined
  frontmatterProblem?: FrontmatterProblem | undefined
}

/** A skill as other clients get it. */
export interface PublishedSkill {
  /** The folder in the source. */
  folder: string
  name: string
  description: string
  digest: string
  /** The name of the SKILL.md as spelled in the source. */
  file: string
  /** Every file in the folder, SKILL.md first. `sourcePath` is the path in the source. */
  files: readonly { path: string; sourcePath: string; digest: string; size?: number | undefined }[]
  /** Whether every client can read the SKILL.md. */
  isReadable: boolean
  /** Whether v0.1 lists the skill too. */
  isLegacy: boolean
}

/** Limits of the `skills` CLI for an archive. */
const MAX_FILES = 1_000
const MAX_BYTES = 50 * 1_024 * 1_024
/** Characters (UTF-16 units) of a published description. */
const MAX_DESCRIPTION = 1_024
/** Characters in which `shortDescription` looks for a space before it cuts a word. */
const MAX_WORD = 64
/** The printable ASCII that v0.1 allows. `..` and a space at the end do not survive in a URL, and hosts decode a percent sign. */
const LEGACY_PATH = /^(?!.*\.\.)[\x20-\x7e]*[\x21-\x7e]$/
const LEGACY_REFUSED = /[\\?#[\]%]/

/**
 * Plans how each enabled skill is published, sorted by name. Reports every difference from the source.
 * @param options `anyHost`: hosts may send no headers of ours. v0.1 then lists no skill with a file that a browser or the host may run,
 *   because v0.1 has every file under its own name. `legacy`: whether v0.1 is published.
 */
export function planWellKnown(
  packed: readonly PackedSkill[],
  { anyHost = false, legacy = true }: { anyHost?: boolean; legacy?: boolean } = {},
): {
  skills: readonly PublishedSkill[]
  diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const enabled = packed.filter(({ entry }) => entry.enabled !== false)
  const names = publishedNames(enabled.map(({ entry }) => entry))
  const nested = nestedFiles(enabled)
  const skills = enabled.map((skill): PublishedSkill => {
    const { entry, details, frontmatterProblem } = skill
    const name = names.get(entry.path) as string
    const [skillFile, ...otherFiles] = filesOf(skill)
    const files = [
      { ...(skillFile as LocatedFile), path: 'SKILL.md' },
      ...otherFiles,
      ...(nested.get(entry.path) ?? []),
    ]
    const refused = legacy ? files.find(({ path }) => !LEGACY_PATH.test(path) || LEGACY_REFUSED.test(path)) : undefined
    const active = legacy && anyHost ? files.find(({ path }) => isActiveFile(path)) : undefined
    const path = joinPath(entry.path, details.file)
    if (active && !refused && !frontmatterProblem && name === entry.name)
      diagnostics.push({
        code: 'published-partly',
        severity: 'info',
        message: `Not published to v0.1 clients: a browser could run ${active.path} on the host`,
        path,
        hint: 'no action is needed: v0.2 clients install it as an archive',
      })
    for (const problem of findProblems(skill, { name, files, refusedPath: refused?.path, legacy }))
      diagnostics.push({ ...problem, path })
    return {
      folder: entry.path,
      name,
      description: shortDescription(entry.description),
      digest: entry.digest,
      file: details.file,
      files,
      isReadable: !frontmatterProblem,
      isLegacy: legacy && name === entry.name && !refused && !active && !frontmatterProblem,
    }
  })
  skills.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { skills, diagnostics }
}

function findProblems(
  { entry, details, frontmatterProblem }: PackedSkill,
  {
    name,
    files,
    refusedPath,
    legacy,
  }: { name: string; files: readonly LocatedFile[]; refusedPath: string | undefined; legacy: boolean },
): Omit<Diagnostic, 'path'>[] {
  const problems: Omit<Diagnostic, 'path'>[] = []
  if (name !== entry.name)
    problems.push({
      code: 'published-name',
      severity: 'warning',
      message: `Published as ${name}${legacy ? ', and not to v0.1 clients' : ''}: ${isSpecName(entry.name) ? `another skill is named ${entry.name}` : 'its name breaks the specification'}`,
      hint: `rename it to ${name}`,
    })
  if (frontmatterProblem) {
    const { reason, line, hint } = frontmatterProblem
    problems.push({
      code: 'published-partly',
      severity: 'warning',
      message: `${legacy ? 'Not published to v0.1 clients, and some other clients' : 'Some clients'} cannot install it: ${reason}`,
      ...(line === undefined ? {} : { line }),
      hint,
    })
  }
  if (entry.description.length > MAX_DESCRIPTION)
    problems.push({
      code: 'published-description',
      severity: 'info',
      message: `The description has ${entry.description.length.toLocaleString('en')} characters and is published shortened to ${MAX_DESCRIPTION.toLocaleString('en')}`,
      hint: 'move detail into the body',
    })
  else if (details.metadata.inferred?.includes('description'))
    problems.push({
      code: 'published-description',
      severity: 'info',
      message: 'The description is missing; the first paragraph is published instead',
      hint: 'add a description to the frontmatter',
    })
  const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0)
  if (files.length > MAX_FILES || bytes > MAX_BYTES)
    problems.push({
      code: 'published-large',
      severity: 'warning',
      message: `The skill has ${files.length.toLocaleString('en')} files and ${Math.ceil(bytes / 1_048_576)} MiB; clients may refuse more than 1,000 files or 50 MiB`,
      hint: 'host large files elsewhere and link to them',
    })
  if (refusedPath !== undefined && name === entry.name)
    problems.push({
      code: 'published-partly',
      severity: 'warning',
      message: `Not published to v0.1 clients: they cannot request ${JSON.stringify(refusedPath.slice(0, 200))}`,
      hint: 'use ASCII letters, digits, dots and hyphens in file names',
    })
  return problems
}

/** Cuts a description between words, or within a long word, and adds an ellipsis. */
export function shortDescription(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description
  const start = description.slice(0, MAX_DESCRIPTION - 1)
  const space = /\s/.test(description.charAt(start.length)) ? start.length : start.search(/\s\S*$/)
  const kept = space >= start.length - MAX_WORD ? start.slice(0, space) : start.replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}

interface LocatedFile {
  path: string
  sourcePath: string
  digest: string
  size?: number | undefined
}

/** The SKILL.md, then the other files, as spelled in the source. */
function filesOf({ entry, details, size }: PackedSkill): LocatedFile[] {
  const files = [{ path: details.file, digest: entry.digest, size }, ...details.files]
  return files.map(({ digest, ...file }) => ({
    ...file,
    sourcePath: joinPath(entry.path, file.path),
    digest: digest as string,
  }))
}

/** The files of skills nested in a skill's folder, by that folder: a client installs the whole folder. */
function nestedFiles(skills: readonly PackedSkill[]): ReadonlyMap<string, readonly LocatedFile[]> {
  const nested = new Map<string, LocatedFile[]>(skills.map(({ entry }) => [entry.path, []]))
  for (const skill of skills) {
    const files = filesOf(skill)
    for (let folder = skill.entry.path; folder !== ''; ) {
      folder = dirname(folder)
      const outer = nested.get(folder)
      for (const file of outer ? files : []) outer?.push({ ...file, path: relativePath(folder, file.sourcePath) })
    }
  }
  return nested
}
