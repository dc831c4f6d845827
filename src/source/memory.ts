import { digestOf, shortDigest } from '../core/digest.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { safePath, trySafePath } from '../core/paths.js'
import { checkOptionNames } from '../core/text/option-names.js'
import { CATALOG_FILE, conflictError } from './catalog-file.js'
import type { FileEntry, ListableSource, WritableSource } from './source.js'

const OPTIONS = { name: 1 }

/** Content of a file, or a function that loads it on first read, such as those of Vite's `import.meta.glob`. */
export type MemoryFile =
  | string
  | Uint8Array
  | (() => Promise<string | Uint8Array | { default: string | Uint8Array }>)

interface StoredFile {
  content: MemoryFile
  /** Number of the write that added it. The version of content that is not loaded yet. */
  write: number
  /** Computed on first use. */
  info?: { version: string; size?: number }
}

/**
 * Keeps files in memory.
 * @param files Content by path. Leading `./`, `../` and `/` are removed, so keys of `import.meta.glob` work as they are.
 * @param options `name`: name of the source, default `memory`.
 * @returns A writable source. `write` throws `conflict` if `ifVersion` does not match, and `invalid-path` for a path that leaves the root.
 * @throws SkillshelfError `invalid-path` for a path that leaves the root
 * @example
 * ```ts
 * const library = await openLibrary(memory({ 'pdf/SKILL.md': text }))
 * const bundled = await openLibrary(memory(import.meta.glob('./skills/**', { query: '?raw' })))
 * ```
 */
export function memory(
  files: Readonly<Record<string, MemoryFile>> = {},
  options: { name?: string | undefined } = {},
): WritableSource & ListableSource {
  checkOptionNames(options, OPTIONS)
  const { name = 'memory' } = options
  const stored = new Map<string, StoredFile>()
  let writes = 0
  for (const [path, content] of Object.entries(files)) {
    stored.set(safePath(path.replace(/^(?:\.{0,2}\/)+/, '')), { content, write: writes })
  }

  return {
    name,
    transactional: true,
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const file = stored.get(safePath(path))
      if (!file) return undefined
      const { version } = describe(file)
      if (ifVersion === version) return 'unchanged'
      const bytes = await load(path, file.content)
      throwIfAborted(signal)
      return { bytes, version }
    },
    async list({ signal } = {}) {
      throwIfAborted(signal)
      return [...stored].map(([path, file]): FileEntry => ({ path, ...describe(file) }))
    },
    async write({ put = {}, remove = [] }, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const catalog = stored.get(CATALOG_FILE)
      if (ifVersion !== undefined && ifVersion !== (catalog ? describe(catalog).version : null)) {
        throw conflictError(name)
      }
      const added = Object.entries(put).map(([path, content]) => [safePath(path), content] as const)
      writes++
      for (const path of remove) stored.delete(trySafePath(path) ?? path)
      for (const [path, content] of added) stored.set(path, { content, write: writes })
    },
  }
}

/** Versions are digests: rewriting the same content does not change them. */
function describe(file: StoredFile): { version: string; size?: number } {
  if (!file.info) {
    const bytes = typeof file.content === 'function' ? undefined : toBytes(file.content)
    file.info = bytes
      ? { version: shortDigest(digestOf(bytes)), size: bytes.length }
      : { version: `write-${file.write}` }
  }
  return file.info
}

async function load(path: string, content: MemoryFile): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof content !== 'function') return toBytes(content)
  let loaded: Awaited<ReturnType<typeof content>>
  try {
    loaded = await content()
  } catch (error) {
    throw asSkillshelfError(error, 'source-failed', `${path} could not be loaded`, {
      subject: path,
    })
  }
  const value =
    typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : loaded
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    throw new SkillshelfError(
      'invalid-input',
      `The loader of ${path} returned ${typeof value}, not text or bytes`,
      {
        subject: path,
        hint: "use import.meta.glob with query: '?raw'",
      },
    )
  }
  return toBytes(value)
}

function toBytes(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
}
