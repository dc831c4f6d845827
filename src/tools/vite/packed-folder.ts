import { basename, join, relative } from 'node:path'
import type { Logger } from 'vite'
import { isSkillshelfError } from '../../core/errors.js'
import { plainLine } from '../../core/sanitize.js'
import { type PackedFiles, packToMemory } from '../../library/store/pack/memory-pack.js'
import type { PlanOptions } from '../../library/store/pack/pack-options.js'
import { bundled } from '../../search/model/bundled/package.js'
import {
  createDiagnosticPrinter,
  type Diagnostic,
  type DiagnosticCode,
} from '../../skill/diagnostics.js'
import { directory } from '../../source/directory/directory.js'
import { withoutIgnored } from '../../source/directory/ignore-files.js'
import { memory } from '../../source/memory.js'
import { packages } from '../../source/packages/packages.js'
import { withPackages } from '../../source/packages/with-packages.js'
import type { SkillSource } from '../../source/source.js'

type Files = PackedFiles['files']

/** How a folder of skills is packed. */
export interface FolderOptions
  extends Pick<PlanOptions, 'strict' | 'allow' | 'internal' | 'secrets' | 'encoder'> {
  /** Installed packages whose skills are packed too, as `packages()` allows them. @default none */
  packages?: readonly string[] | undefined
  /** Folder of the project that has the packages. */
  project: string
}

/** A folder that was packed. */
export interface PackedFolder {
  /** The packed files by path. */
  files: Files
  revision: string
  /** Number of skills. */
  skills: number
  diagnostics: readonly Diagnostic[]
  /** What to say of ignore files and allowed packages, a line each. */
  ignored: readonly string[]
  /** Absolute paths of all files that were read. */
  read: ReadonlySet<string>
  /** Valid SKILL.md files by path. */
  valid: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
  /** Broken SKILL.md files whose last valid version was packed instead. */
  held: ReadonlySet<string>
  /** Paths of broken files. */
  broken: ReadonlySet<string>
}

/** Warnings that a half-written SKILL.md causes. */
const HALF_WRITTEN: ReadonlySet<DiagnosticCode> = new Set([
  'frontmatter-unclosed',
  'yaml-error',
  'yaml-not-a-map',
])

/** Packs a folder, missing ones as empty. A SKILL.md that is broken now stays as in `previous`. @throws SkillshelfError as `pack` */
export async function packFolder(
  dir: string,
  {
    previous,
    packages: allowed,
    project,
    ...options
  }: FolderOptions & { previous?: PackedFolder | undefined },
): Promise<PackedFolder> {
  let ignored: readonly string[] = []
  const own = withoutIgnored(directory(dir), dir, lines => {
    ignored = lines
  })
  const warnings: string[] = []
  const onWarning = (message: string): void => void warnings.push(message)
  const source = allowed
    ? withPackages(own, packages({ allow: allowed, cwd: project, onWarning }))
    : own
  const found = await packSource(source, options).catch(async error => {
    if (!isSkillshelfError(error, 'source-not-found')) throw error
    const empty = await packSource(memory({}, { name: basename(dir) }), options)
    return { ...empty, diagnostics: [noSkills(error.message)] }
  })
  const packed = { ...found, ignored: [...ignored, ...warnings] }
  const held = new Map([...(previous?.valid ?? [])].filter(([path]) => packed.broken.has(path)))
  if (held.size === 0) return packed
  const repaired = await packSource(source, options, held)
  return {
    ...repaired,
    ignored: packed.ignored,
    diagnostics: packed.diagnostics,
    held: new Set(held.keys()),
  }
}

async function packSource(
  source: SkillSource,
  options: Omit<FolderOptions, 'packages' | 'project'>,
  held: Files = new Map(),
): Promise<Omit<PackedFolder, 'ignored'>> {
  const read = new Map<string, Uint8Array<ArrayBuffer>>()
  const recorded: SkillSource = {
    ...source,
    async read(path, options) {
      const bytes = held.get(path)
      const result = bytes ? { bytes } : await source.read(path, options)
      if (typeof result === 'object') read.set(path, result.bytes)
      return result
    },
  }
  const { files, revision, summary } = await packToMemory(recorded, {
    ...options,
    embedder: await bundled(),
  })
  const { diagnostics, found, skills } = summary
  const broken = new Set(
    diagnostics
      .filter(({ severity, code }) => severity === 'error' || HALF_WRITTEN.has(code))
      .flatMap(({ path }) => path ?? []),
  )
  const valid = [...read].filter(
    ([path]) => basename(path).toLowerCase() === 'skill.md' && !broken.has(path),
  )
  return {
    files,
    revision,
    skills,
    diagnostics: found === 0 ? [...diagnostics, noSkills('No SKILL.md found')] : diagnostics,
    read: new Set([...read.keys()].map(path => source.root?.(path) ?? path)),
    valid: new Map(valid),
    held: new Set<string>(),
    broken,
  }
}

function noSkills(message: string): Diagnostic {
  return {
    code: 'source-missing',
    severity: 'error',
    message,
    hint: 'create a skill with `npx skillshelf new NAME --dir DIR`, or set `dir` to the folder of your skills',
  }
}

const MAX_LINES = 20

/** Logs warnings, each once for as long as it persists. */
export function createWarningLogger(
  logger: Pick<Logger, 'warn'>,
): (lines: readonly string[]) => void {
  return createDiagnosticPrinter(
    line => logger.warn(`[skillshelf] ${line}`, { timestamp: true }),
    MAX_LINES,
    'npx skillshelf validate DIR',
  )
}

/** What is left out by ignore files, then errors and warnings as `skills/pdf/SKILL.md:3 message (hint)`. */
export function formatDiagnostics(
  { diagnostics, held, ignored }: PackedFolder,
  root: string,
  dir: string,
): string[] {
  const lines = diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ path = '', line, message, hint }) => {
      const location =
        (relative(root, join(dir, path)) || '.') + (line === undefined ? '' : `:${line}`)
      const notes = [hint, held.has(path) && 'the page keeps the last valid version'].filter(
        Boolean,
      )
      return `${location} ${message}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`
    })
  return [...ignored.map(plainLine), ...lines]
}
