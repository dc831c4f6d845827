import { abortable } from '../core/abort.js'
import { errorMessage, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { rethrowCallbackError } from '../core/progress.js'
import { http } from '../source/http/http.js'
import { type MemoryFile, memory } from '../source/memory.js'
import type { FetchResult, FileEntry, ReadResult, SkillSource } from '../source/types.js'

/**
 * Where the skills of a library come from:
 *
 * - a URL of a packed library, a skill site, an archive, a JSON bundle or a SKILL.md
 * - a source, such as `directory('./skills')`
 * - files by path, such as the result of `import.meta.glob`
 * - an array of these, as layers: the first is on top. A skill hides skills of the same name in the layers below it. They are
 *   reported as `skill-shadowed` and stay available by id. A layer that cannot be read does not affect the others.
 */
export type LibraryInput = string | URL | SkillSource | Readonly<Record<string, MemoryFile>> | readonly LibraryInput[]

/** @throws SkillshelfError `invalid-input` */
export function toSources(input: LibraryInput): SkillSource[] {
  return parseInput(input).map(guardSource)
}

function parseInput(input: LibraryInput): SkillSource[] {
  if (typeof input === 'string' || input instanceof URL) return [http(input)]
  if (isArray(input)) return input.flatMap(parseInput)
  if (typeof input !== 'object' || input === null)
    throw new SkillshelfError('invalid-input', `Cannot open a library from ${String(input)}`, {
      hint: 'pass a URL, a source, files by path, or an array of these',
    })
  if (input instanceof Promise)
    throw new SkillshelfError('invalid-input', 'Cannot open a library from a promise', { hint: 'await it first' })
  if (isSource(input)) return [input]
  for (const [path, file] of Object.entries(input))
    if (typeof file !== 'string' && typeof file !== 'function' && !(file instanceof Uint8Array))
      throw new SkillshelfError(
        'invalid-input',
        `${path} must be a string, a Uint8Array or a function that loads one`,
        {
          subject: path,
        },
      )
  // Read-only: unlike an empty store, files without a skill are a mistake.
  const { write: _, ...source } = memory(input)
  return [source]
}

/** `Array.isArray` does not narrow a union with a readonly array. */
function isArray(input: unknown): input is readonly LibraryInput[] {
  return Array.isArray(input)
}

function isSource(input: object): input is SkillSource {
  if (!('read' in input && typeof input.read === 'function')) return false
  if ('name' in input && typeof input.name === 'string' && input.name !== '') return true
  throw new SkillshelfError('invalid-input', '"name" of a source must be a non-empty string', {
    hint: 'the ids of its skills start with it',
  })
}

/**
 * Checks what a source returns, turns its errors into a `SkillshelfError`, and makes every call abortable. Keeps `write`, which tells
 * an empty store from a wrong address.
 */
function guardSource(source: SkillSource): SkillSource {
  const { name, list, fetch, root, watch } = source
  const guard = async <T>(
    subject: string,
    { signal }: { signal?: AbortSignal | undefined },
    call: () => T | Promise<T>,
    check: (result: T) => T,
  ): Promise<T> => {
    throwIfAborted(signal)
    try {
      return await abortable((async () => check(await call()))(), signal)
    } catch (error) {
      throwIfAborted(signal)
      rethrowCallbackError(error)
      if (error instanceof SkillshelfError && error.code !== 'aborted') throw error
      const message = `${subject} could not be read: ${errorMessage(error)}`
      throw new SkillshelfError('source-failed', message, { subject: name }, error)
    }
  }
  const guarded: SkillSource = {
    name,
    read: (path, options = {}) => guard(`${path} of ${name}`, options, () => source.read(path, options), checkRead),
    close: async () => source.close?.(),
  }
  if (list)
    guarded.list = (options = {}) =>
      guard(`The listing of ${name}`, options, () => list.call(source, options), checkList)
  if (fetch)
    guarded.fetch = (url, options = {}) =>
      guard(`${url} of ${name}`, options, () => fetch.call(source, url, options), checkFetch)
  if (root) guarded.root = root.bind(source)
  if (watch) guarded.watch = watch.bind(source)
  return 'write' in source ? Object.assign(guarded, { write: source.write }) : guarded
}

function checkRead<T extends ReadResult | 'unchanged' | undefined>(result: T): T | undefined {
  if (result === undefined || result === null) return undefined
  if (result !== 'unchanged' && !ArrayBuffer.isView(result.bytes))
    throw new TypeError('the result has no "bytes" with a Uint8Array')
  return result
}

function checkFetch(result: FetchResult | 'unchanged' | undefined): FetchResult | 'unchanged' | undefined {
  if (typeof result === 'object' && result !== null && typeof result.url !== 'string')
    throw new TypeError('the result has no "url"')
  return checkRead(result)
}

function checkList(entries: readonly FileEntry[]): readonly FileEntry[] {
  const isEntry = ({ path, summary }: FileEntry): boolean =>
    typeof path === 'string' &&
    (summary === undefined || (typeof summary?.name === 'string' && typeof summary.description === 'string'))
  if (!Array.isArray(entries) || !entries.every(entry => entry && isEntry(entry)))
    throw new TypeError('the result is not an array of { path }')
  return entries
}
