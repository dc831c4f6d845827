import { basename } from 'node:path'
import { isSkillshelfError } from '../core/errors.js'
import type { Diagnostic, DiagnosticCode } from '../skill/diagnostics.js'
import { directory } from '../source/directory/directory.js'
import { memory } from '../source/memory.js'
import type { SkillSource } from '../source/types.js'
import { pack } from '../store/pack/pack.js'

type Files = ReadonlyMap<string, Uint8Array<ArrayBuffer>>

/** A folder of skills as a packed library, in memory. */
export interface PackedFolder {
  /** Its files, by path; the catalog is the last. */
  files: Files
  /** Skills packed. */
  skills: number
  /** What is wrong in the folder as it is now. */
  diagnostics: readonly Diagnostic[]
  /** Paths in the folder that were read. */
  read: ReadonlySet<string>
  /** Each SKILL.md that is not broken, by path. */
  good: Files
  /** Each SKILL.md that is broken now and was packed as it last was. */
  held: ReadonlySet<string>
}

/** Warnings of somebody who is still typing. */
const HALF_WRITTEN: ReadonlySet<DiagnosticCode> = new Set(['frontmatter-unclosed', 'yaml-error', 'yaml-not-a-map'])

/**
 * Packs a folder; a missing one is an empty library. A SKILL.md that is broken now and was not `before` is packed as it was.
 * @throws SkillshelfError as `pack`
 */
export async function packFolder(
  dir: string,
  { strict, before }: { strict: boolean; before?: PackedFolder | undefined },
): Promise<PackedFolder> {
  const packed = await packSource(directory(dir), strict).catch(async error => {
    if (!isSkillshelfError(error, 'source-not-found')) throw error
    const empty = await packSource(memory({}, { name: basename(dir) }), strict)
    return { ...empty, diagnostics: [missing(error.message)] }
  })
  const held = new Map([...(before?.good ?? [])].filter(([path]) => packed.broken.has(path)))
  if (held.size === 0) return packed
  const steady = await packSource(directory(dir), strict, held)
  return { ...steady, diagnostics: packed.diagnostics, held: new Set(held.keys()) }
}

async function packSource(
  source: SkillSource,
  strict: boolean,
  held: Files = new Map(),
): Promise<PackedFolder & { broken: ReadonlySet<string> }> {
  const read = new Map<string, Uint8Array<ArrayBuffer>>()
  const recorded: SkillSource = {
    ...source,
    async read(path, options) {
      // Read once: a SKILL.md that is saved in between would not be the one that was parsed.
      const bytes = held.get(path) ?? read.get(path)
      const result = bytes ? { bytes } : await source.read(path, options)
      if (typeof result === 'object') read.set(path, result.bytes)
      return result
    },
  }
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  const outputs = pack(recorded, { strict })
  let next = await outputs.next()
  for (; !next.done; next = await outputs.next()) files.set(next.value.path, next.value.bytes)
  const { diagnostics, found, skills } = next.value
  const broken = new Set(
    diagnostics
      .filter(({ severity, code }) => severity === 'error' || HALF_WRITTEN.has(code))
      .flatMap(({ path }) => path ?? []),
  )
  const good = [...read].filter(([path]) => basename(path).toLowerCase() === 'skill.md' && !broken.has(path))
  return {
    files,
    skills,
    diagnostics: found === 0 ? [...diagnostics, missing('There is no SKILL.md in it')] : diagnostics,
    read: new Set(read.keys()),
    good: new Map(good),
    held: new Set(),
    broken,
  }
}

function missing(message: string): Diagnostic {
  return {
    code: 'source-missing',
    severity: 'error',
    message,
    hint: 'make one with `npx skillshelf new NAME --dir DIR`, or set `dir` to the folder of your skills',
  }
}
