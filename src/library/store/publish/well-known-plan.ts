import { dirname, joinPath, relativePath } from '../../../core/paths.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { parseSkill } from '../../../skill/parse.js'
import { isSpecName } from '../../../skill/specification.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import type { PackedDetails } from '../../catalog/packed-details.js'
import { publishedNames } from './published-names.js'

/** Why a client that reads plain YAML only cannot install a SKILL.md. */
export interface FrontmatterProblem {
  /** A clause: `it has no name`. */
  reason: string
  line?: number
  hint: string
}

/** A skill with the digests of its files. */
export interface PackedSkill {
  entry: CatalogEntry
  details: PackedDetails
  /** Bytes of the SKILL.md. `undefined` if unknown. */
  size?: number | undefined
  frontmatterProblem?: FrontmatterProblem | undefined
}

interface PublishedFile {
  path: string
  sourcePath: string
  digest: string
  size?: number | undefined
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
  /** Every file in the folder, SKILL.md first. */
  files: readonly PublishedFile[]
  /** Whether every client can read the SKILL.md. */
  isReadable: boolean
}

/** Tests of the author, which users of the skill do not install. */
const TRIGGERS_FILE = 'triggers.yaml'
/** Limits of the `skills` CLI for an archive. */
const MAX_FILES = 1_000
const MAX_BYTES = 50 * 1_024 * 1_024
/** Characters (UTF-16 units) of a published description. */
const MAX_DESCRIPTION = 1_024
/** Characters in which `shortDescription` looks for a space before it cuts a word. */
const MAX_WORD = 64

/** The fences that other clients require: at the start of the file, with nothing else on the line. */
const FENCED = /^---\r?\n([\s\S]*?)\r?\n---/

/** Diagnostics of YAML that our parser accepts and other clients do not. */
const NOT_PLAIN = /^(?:yaml-|frontmatter-|too-large$)/

/** Plans how each enabled skill is published, sorted by name. Reports every difference from the source. */
export function planWellKnown(packed: readonly PackedSkill[]): {
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
    const files = [...filesOf(skill), ...(nested.get(entry.path) ?? [])].map((file, index) =>
      index === 0 ? { ...file, path: 'SKILL.md' } : file,
    )
    const path = joinPath(entry.path, details.file)
    const problems = findProblems(skill, { name, files })
    diagnostics.push(...problems.map(problem => ({ ...problem, path })))
    return {
      folder: entry.path,
      name,
      description: shortDescription(entry.description),
      digest: entry.digest,
      file: details.file,
      files,
      isReadable: !frontmatterProblem,
    }
  })
  skills.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { skills, diagnostics }
}

type Problem = Omit<Diagnostic, 'path'>

function findProblems(
  { entry, details, frontmatterProblem }: PackedSkill,
  { name, files }: { name: string; files: readonly PublishedFile[] },
): Problem[] {
  const problems: Problem[] = []
  if (name !== entry.name) {
    const reason = isSpecName(entry.name)
      ? `another skill is named ${entry.name}`
      : 'its name breaks the specification'
    const message = `Published as ${name}: ${reason}`
    problems.push({
      code: 'published-name',
      severity: 'warning',
      message,
      hint: `rename it to ${name}`,
    })
  }
  if (frontmatterProblem) {
    const { reason, ...rest } = frontmatterProblem
    const message = `Some clients cannot install it: ${reason}`
    problems.push({ code: 'published-partly', severity: 'warning', message, ...rest })
  }
  const { length } = entry.description
  if (length > MAX_DESCRIPTION) {
    const limit = MAX_DESCRIPTION.toLocaleString('en')
    const message = `The description has ${length.toLocaleString('en')} characters and is published shortened to ${limit}`
    problems.push({
      code: 'published-description',
      severity: 'info',
      message,
      hint: 'move detail into the body',
    })
  } else if (details.metadata.inferred?.includes('description')) {
    const message = 'The description is missing; the first paragraph is published instead'
    const hint = 'add a description to the frontmatter'
    problems.push({ code: 'published-description', severity: 'info', message, hint })
  }
  const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0)
  if (files.length > MAX_FILES || bytes > MAX_BYTES) {
    const size = `${files.length.toLocaleString('en')} files and ${Math.ceil(bytes / 1_048_576)} MiB`
    const message = `The skill has ${size}; clients may refuse more than 1,000 files or 50 MiB`
    const hint = 'host large files elsewhere and link to them'
    problems.push({ code: 'published-large', severity: 'warning', message, hint })
  }
  return problems
}

/** Cuts a description between words, or within a long word, and adds an ellipsis. */
export function shortDescription(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description
  const start = description.slice(0, MAX_DESCRIPTION - 1)
  const space = /\s/.test(description.charAt(start.length)) ? start.length : start.search(/\s\S*$/)
  const kept =
    space >= start.length - MAX_WORD ? start.slice(0, space) : start.replace(/[\uD800-\uDBFF]$/, '')
  return `${kept.trimEnd()}…`
}

/** The SKILL.md, then the other files, as spelled in the source. */
function filesOf({ entry, details, size }: PackedSkill): PublishedFile[] {
  const others = details.files.filter(({ path }) => path !== TRIGGERS_FILE)
  const files = [{ path: details.file, digest: entry.digest, size }, ...others]
  return files.map(file => ({ ...file, sourcePath: joinPath(entry.path, file.path) }))
}

/** The files of skills nested in a skill's folder, by that folder: a client installs the whole folder. */
function nestedFiles(
  skills: readonly PackedSkill[],
): ReadonlyMap<string, readonly PublishedFile[]> {
  const nested = new Map<string, PublishedFile[]>(skills.map(({ entry }) => [entry.path, []]))
  for (const skill of skills) {
    for (let folder = skill.entry.path; folder !== ''; ) {
      folder = dirname(folder)
      const files = filesOf(skill).map(file => ({
        ...file,
        path: relativePath(folder, file.sourcePath),
      }))
      nested.get(folder)?.push(...files)
    }
  }
  return nested
}

/** Checks that clients which read plain YAML only can install a SKILL.md. */
export async function findFrontmatterProblem(
  bytes: Uint8Array,
): Promise<FrontmatterProblem | undefined> {
  const [, frontmatter] = FENCED.exec(new TextDecoder().decode(bytes)) ?? []
  if (frontmatter === undefined) {
    return {
      reason: 'it does not start with a frontmatter between two lines ---',
      line: 1,
      hint: 'start the file with ---, name and description, and ---',
    }
  }
  const { fields, diagnostics } = await parseSkill(`---\n${frontmatter}\n---\n`, { infer: false })
  const problem = diagnostics.find(({ code }) => NOT_PLAIN.test(code))
  if (problem) {
    return {
      reason: 'its frontmatter is not plain YAML',
      line: problem.line ?? 2,
      hint: problem.hint ?? 'run: skillshelf validate',
    }
  }
  for (const field of ['name', 'description']) {
    const value = fields[field] ?? ''
    if (typeof value !== 'string') {
      return { reason: `its ${field} is not text`, hint: 'put it in quotes' }
    }
    if (value.trim() === '') {
      return { reason: `it has no ${field}`, hint: `add ${field}: to the frontmatter` }
    }
  }
  return undefined
}
