import { SkillshelfError } from '../skill/error.js'
import { http } from '../source/http.js'
import { type MemoryFile, memory } from '../source/memory.js'
import type { SkillSource } from '../source/types.js'

/**
 * Where skills come from: the address of a packed library, a source, files by path (what `import.meta.glob` gives), or several of these,
 * the first on top.
 */
export type LibraryInput =
  | string
  | URL
  | SkillSource
  | Readonly<Record<string, MemoryFile>>
  | { sources: readonly LibraryInput[] }

/** @throws SkillshelfError `invalid-input` */
export function toSources(input: LibraryInput): SkillSource[] {
  if (typeof input === 'string' || input instanceof URL) return [http(input)]
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SkillshelfError(
      'invalid-input',
      `A library cannot be opened from ${Array.isArray(input) ? 'an array' : String(input)}`,
      { hint: 'give an address, a source, files by path, or { sources: [...] }' },
    )
  }
  if (isSource(input)) return [input]
  if ('sources' in input && Array.isArray(input.sources)) return (input.sources as LibraryInput[]).flatMap(toSources)
  const files = Object.entries(input)
  const bad = files.find(
    ([, file]) => typeof file !== 'string' && typeof file !== 'function' && !(file instanceof Uint8Array),
  )
  if (bad)
    throw new SkillshelfError('invalid-input', `${bad[0]} is neither text, bytes nor a function that loads them`, {
      subject: bad[0],
      hint: 'a source needs a name and a read method',
    })
  return [memory(input as Record<string, MemoryFile>)]
}

function isSource(input: object): input is SkillSource {
  return 'read' in input && typeof input.read === 'function' && 'name' in input && typeof input.name === 'string'
}
