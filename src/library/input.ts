import { abortable } from '../core/abort.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import { http } from '../source/http/http.js'
import { type MemoryFile, memory } from '../source/memory.js'
import type { FetchResult, FileEntry, ReadResult, SkillSource } from '../source/types.js'

/**
 * Where skills come from: an address (of a packed library, a skill site, an archive, a JSON bundle or a SKILL.md), a source, files by path
 * (what `import.meta.glob` gives), or several of these, the first on top.
 */
export type LibraryInput =
  | string
  | URL
  | SkillSource
  | Readonly<Record<string, MemoryFile>>
  | { sources: readonly LibraryInput[] }

/** @throws SkillshelfError `invalid-input` */
export function toSources(input: LibraryInput): SkillSource[] {
  return readInput(input).map(guarded)
}

function readInput(input: LibraryInput): SkillSource[] {
  if (typeof input === 'string' || input instanceof URL) return [http(input)]
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new SkillshelfError(
      'invalid-input',
      `A library cannot be opened from ${Array.isArray(input) ? 'an array' : String(input)}`,
      { hint: 'give an address, a source, files by path, or { sources: [...] }' },
    )
  }
  if (input instanceof Promise)
    throw new SkillshelfError('invalid-input', 'A library cannot be opened from a promise', { hint: 'await it' })
  if (isSource(input)) return [input]
  if ('sources' in input && typeof input.sources === 'string')
    throw new SkillshelfError('invalid-input', 'sources is a list of sources', { hint: 'give { sources: [...] }' })
  if ('sources' in input && Array.isArray(input.sources)) return (input.sources as LibraryInput[]).flatMap(readInput)
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
  if (!('read' in input && typeof input.read === 'function')) return false
  if ('name' in input && typeof input.name === 'string' && input.name !== '') return true
  throw new SkillshelfError('invalid-input', 'A source needs a name', { hint: 'its skills have it in their ids' })
}

/** A source, held to its word: what it throws is a `SkillshelfError`, what it gives is of the right shape, and it can be cancelled. */
function guarded(source: SkillSource): SkillSource {
  const held = async <T>(what: string, signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> => {
    throwIfAborted(signal)
    try {
      return await abortable(call(), signal)
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (error instanceof SkillshelfError && error.code !== 'aborted') throw error
      const message = errorMessage(error)
      throw new SkillshelfError('source-failed', `${what}: ${message}`, { subject: source.name }, error)
    }
  }
  const { list, fetch, root, watch } = source
  return {
    name: source.name,
    read: (path, options = {}) =>
      held(`${path} of ${source.name} could not be read`, options.signal, async () =>
        checkRead(await source.read(path, options)),
      ),
    ...(list
      ? {
          list: (options = {}) =>
            held(`${source.name} could not be listed`, options.signal, async () =>
              checkList(await list.call(source, options)),
            ),
        }
      : {}),
    ...(fetch
      ? {
          fetch: (address, options = {}) =>
            held(`${address} of ${source.name} could not be read`, options.signal, async () =>
              checkFetch(await fetch.call(source, address, options)),
            ),
        }
      : {}),
    ...(root ? { root: path => root.call(source, path) } : {}),
    ...(watch ? { watch: onChange => watch.call(source, onChange) } : {}),
    close: async () => source.close?.(),
  }
}

function checkRead(result: ReadResult | 'unchanged' | undefined): ReadResult | 'unchanged' | undefined {
  if (result === undefined || result === null) return undefined
  if (result !== 'unchanged' && !ArrayBuffer.isView(result.bytes))
    throw new TypeError('it gave no { bytes } with a Uint8Array')
  return result
}

function checkFetch(result: FetchResult | 'unchanged' | undefined): FetchResult | 'unchanged' | undefined {
  if (typeof result === 'object' && result !== null && typeof result.url !== 'string')
    throw new TypeError('it gave no { bytes, url } with the address')
  return checkRead(result) as typeof result
}

function checkList(entries: readonly FileEntry[]): readonly FileEntry[] {
  if (!Array.isArray(entries) || !entries.every(entry => typeof entry?.path === 'string' && isSummary(entry.summary)))
    throw new TypeError('it gave no array of { path }')
  return entries
}

function isSummary(summary: FileEntry['summary']): boolean {
  return summary === undefined || (typeof summary?.name === 'string' && typeof summary.description === 'string')
}
