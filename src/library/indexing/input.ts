import { invalidInput, SkillshelfError } from '../../core/errors.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import { guardSource } from '../../source/guard.js'
import { http } from '../../source/http/http.js'
import { type MemoryFile, memory } from '../../source/memory.js'
import type { SkillSource } from '../../source/source.js'

/**
 * Where the skills of a library come from:
 *
 * - a URL of a packed library, a skill site, an archive, a JSON bundle or a SKILL.md
 * - a source, such as `directory('./skills')`
 * - files by path, such as the result of `import.meta.glob`
 * - an array of these, as layers: the first is on top. A skill hides skills of the same name in the layers below it. They are
 *   reported as `skill-shadowed` and stay available by id. A layer that cannot be read does not affect the others.
 */
export type LibraryInput =
  | string
  | URL
  | SkillSource
  | Readonly<Record<string, MemoryFile>>
  | readonly LibraryInput[]

/** `timeout`: milliseconds that a call of a source may take, see `LibraryOptions`. @throws SkillshelfError `invalid-input` */
export function toSources(input: LibraryInput, timeout?: number): SkillSource[] {
  return parseInput(input).map(source => guardSource(source, timeout))
}

function parseInput(input: LibraryInput): SkillSource[] {
  if (typeof input === 'string' || input instanceof URL) return [http(input)]
  if (isArray(input)) return input.flatMap(parseInput)
  if (typeof input !== 'object' || input === null) {
    throw invalidInput(
      `Cannot open a library from ${String(input)}`,
      'pass a URL, a source, files by path, or an array of these',
    )
  }
  if (input instanceof Promise) {
    throw invalidInput('Cannot open a library from a promise', 'await it first')
  }
  if (isSource(input)) return [input]
  for (const [path, file] of Object.entries(input)) {
    if (typeof file !== 'string' && typeof file !== 'function' && !(file instanceof Uint8Array)) {
      throw new SkillshelfError(
        'invalid-input',
        `${path} must be a string, a Uint8Array or a function that loads one`,
        { subject: path },
      )
    }
  }
  // Read-only: unlike an empty store, files without a skill are a mistake.
  const { write: _, ...source } = memory(input)
  return [source]
}

/**
 * Whether skills are looked for at an address. One that is not there is a mistake, and the caller can try again; a folder or a bucket may
 * be filled later.
 */
export function hasAddress(input: LibraryInput): boolean {
  return (
    typeof input === 'string' || input instanceof URL || (isArray(input) && input.some(hasAddress))
  )
}

/** `Array.isArray` does not narrow a union with a readonly array. */
function isArray(input: unknown): input is readonly LibraryInput[] {
  return Array.isArray(input)
}

function isSource(input: object): input is SkillSource {
  if (!('read' in input && typeof input.read === 'function')) return false
  if ('name' in input && typeof input.name === 'string' && input.name !== '') return true
  throw invalidInput(
    '"name" of a source must be a non-empty string',
    'the ids of its skills start with it',
  )
}

/** A source with the name that the ids of its skills start with. */
export interface NamedSource {
  source: SkillSource
  origin: string
  /** Set if the origin differs from the name of the source. */
  renamed?: Diagnostic
}

/** Gives each source an origin that keeps its ids distinct: `notes`, `notes~2`. */
export function nameOrigins(sources: readonly SkillSource[]): NamedSource[] {
  const used: string[] = []
  // `a/b` in one source and `b` in the source `a` would have the same id.
  const clashes = (origin: string): boolean =>
    used.some(
      other => other === origin || other.startsWith(`${origin}/`) || origin.startsWith(`${other}/`),
    )
  return sources.map(source => {
    let origin = source.name
    for (let number = 2; clashes(origin); number++) {
      origin = source.name.replace(/^[^/]*/, `$&~${number}`)
    }
    used.push(origin)
    if (origin === source.name) return { source, origin }
    const message = `The source name ${source.name} clashes with another source; its skills have the origin ${origin}`
    const hint = 'give each source a unique name'
    return {
      source,
      origin,
      renamed: { code: 'origin-renamed', severity: 'warning', message, path: origin, hint },
    }
  })
}
