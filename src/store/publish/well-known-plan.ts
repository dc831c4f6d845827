import type { CatalogEntry } from '../../catalog/types.js'
import { dirname, joinPath, relativePath } from '../../core/paths.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { isSpecName } from '../../skill/specification.js'
import type { FileInfo, SkillDetails } from '../../skill/types.js'
import { MOST_DESCRIPTION, shorten } from '../pack/shorten.js'
import type { Unreadable } from './frontmatter-check.js'
import { publishedNames } from './published-names.js'

/** A skill that was packed; its files have digests. */
export interface PackedSkill {
  entry: CatalogEntry
  details: SkillDetails
  /** What keeps clients that read plain YAML alone from it, where anything does. */
  unreadable?: Unreadable | undefined
}

/** A skill as clients get it. */
export interface PublishedSkill {
  /** Its folder in the source. */
  folder: string
  name: string
  description: string
  digest: string
  /** The name of its SKILL.md as spelled in the source. */
  file: string
  /** Everything in its folder, SKILL.md first; `at` is where the source has it. */
  files: readonly { path: string; at: string; digest: string }[]
  /** Whether any client can read its SKILL.md. */
  readable: boolean
  /** Whether v0.1 has it too. */
  legacy: boolean
}

/** What the `skills` CLI takes of an archive, and others will be near. */
const MOST_FILES = 1_000
const MOST_BYTES = 50 * 1_024 * 1_024
/** Printable ASCII as v0.1 has it. Two dots and a last blank do not survive in an address, and hosts read a percent sign as an encoding. */
const LEGACY_PATH = /^(?!.*\.\.)[\x20-\x7e]*[\x21-\x7e]$/
const LEGACY_REFUSED = /[\\?#[\]%]/

/** How each skill that is not disabled is published, sorted by name, and what is not as its author wrote it. */
export function planWellKnown(packed: readonly PackedSkill[]): {
  skills: readonly PublishedSkill[]
  diagnostics: readonly Diagnostic[]
} {
  const diagnostics: Diagnostic[] = []
  const enabled = packed.filter(({ entry }) => entry.enabled !== false)
  const names = publishedNames(enabled.map(({ entry }) => entry))
  const below = nestedIn(enabled)
  const skills = enabled.map((skill): PublishedSkill => {
    const { entry, details, unreadable } = skill
    const path = joinPath(entry.path, details.file)
    const report = (one: Omit<Diagnostic, 'path'>): void => void diagnostics.push({ ...one, path })
    const name = names.get(entry.path) as string
    if (name !== entry.name)
      report({
        code: 'published-name',
        severity: 'warning',
        message: `It is published as ${name}, and not to clients of v0.1: ${isSpecName(entry.name) ? `another skill is named ${entry.name}` : 'its name breaks the specification'}`,
        hint: `give it the name ${name}`,
      })
    if (unreadable)
      report({
        code: 'published-partly',
        severity: 'warning',
        message: `Not every client can install it, and those of v0.1 do not get it: ${unreadable.why}`,
        ...(unreadable.line === undefined ? {} : { line: unreadable.line }),
        hint: unreadable.hint,
      })
    reportDescription(skill, report)
    const own = filesOf(skill)
    const files = [{ ...own[0], path: 'SKILL.md' } as Located, ...own.slice(1), ...(below.get(entry.path) ?? [])]
    const bytes = files.reduce((sum, { size = 0 }) => sum + size, 0)
    if (files.length > MOST_FILES || bytes > MOST_BYTES)
      report({
        code: 'published-large',
        severity: 'warning',
        message: `It has ${files.length.toLocaleString('en')} files of ${Math.ceil(bytes / 1_048_576)} MiB; clients may take ${MOST_FILES.toLocaleString('en')} and 50 MiB`,
        hint: 'move large files elsewhere, and link to them',
      })
    const refused = files.find(file => !LEGACY_PATH.test(file.path) || LEGACY_REFUSED.test(file.path))
    if (refused && name === entry.name)
      report({
        code: 'published-partly',
        severity: 'warning',
        message: `It is not published to clients of v0.1: they cannot ask for ${JSON.stringify(refused.path.slice(0, 200))}`,
        hint: 'name files with ASCII letters, digits, dots and hyphens',
      })
    return {
      folder: entry.path,
      name,
      description: shorten(entry.description),
      digest: entry.digest,
      file: details.file,
      files: files.map(({ path, at, digest }) => ({ path, at, digest })),
      readable: !unreadable,
      legacy: name === entry.name && !refused && !unreadable,
    }
  })
  skills.sort((a, b) => (a.name < b.name ? -1 : 1))
  return { skills, diagnostics }
}

function reportDescription({ entry, details }: PackedSkill, report: (one: Omit<Diagnostic, 'path'>) => void): void {
  const { length } = entry.description
  if (length > MOST_DESCRIPTION)
    report({
      code: 'published-description',
      severity: 'info',
      message: `The description is published shortened: it has ${length.toLocaleString('en')} characters, 1,024 are allowed`,
      hint: 'move detail into the body',
    })
  else if (details.metadata.inferred?.includes('description'))
    report({
      code: 'published-description',
      severity: 'info',
      message: 'It has no description; its first paragraph is published as one',
      hint: 'say in the frontmatter what it does and when to use it',
    })
}

interface Located {
  path: string
  at: string
  digest: string
  size?: number
}

/** The SKILL.md and the other files, as they are spelled in the source. */
function filesOf({ entry, details }: PackedSkill): Located[] {
  const located = ({ path, digest, size }: FileInfo): Located => ({
    path,
    at: joinPath(entry.path, path),
    digest: digest as string,
    ...(size === undefined ? {} : { size }),
  })
  return [located({ path: details.file, digest: entry.digest }), ...details.files.map(located)]
}

/** The files of the skills further down in a skill's folder, by that folder: whoever gets a skill gets its folder whole. */
function nestedIn(skills: readonly PackedSkill[]): ReadonlyMap<string, readonly Located[]> {
  const nested = new Map<string, Located[]>(skills.map(({ entry }) => [entry.path, []]))
  for (const skill of skills) {
    const files = filesOf(skill)
    for (let folder = skill.entry.path; folder !== ''; ) {
      folder = dirname(folder)
      const outer = nested.get(folder)
      for (const file of outer ? files : []) outer?.push({ ...file, path: relativePath(folder, file.at) })
    }
  }
  return nested
}
