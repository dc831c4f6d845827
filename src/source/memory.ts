import { digestOf, shortDigest } from '../core/digest.js'
import { asSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { safePath, trySafePath } from '../core/paths.js'
import { CATALOG_FILE } from './catalog-file.js'
import { conflictError } from './conflict.js'
import type { FileEntry, WritableSource } from './types.js'

/** A file's content, or a function that loads it when it is first read: what `import.meta.glob` gives. */
export type MemoryFile = string | Uint8Array | (() => Promise<string | Uint8Array | { default: string | Uint8Array }>)

interface Held {
  content: MemoryFile
  /** Which write brought it: the version where the content is not known before it is loaded. */
  write: number
  /** Made when first asked for. */
  known?: { version: string; size?: number }
}

/**
 * Files that are in memory already, by path. Leading `./`, `../` and `/` are dropped, as bundlers write globs that way.
 * @throws SkillshelfError `invalid-path` on `write` of a path that leaves the root
 */
export function memory(
  files: Readonly<Record<string, MemoryFile>> = {},
  options: { name?: string | undefined } = {},
): WritableSource {
  const held = new Map<string, Held>()
  const name = options.name ?? 'memory'
  let writes = 0
  for (const [path, content] of Object.entries(files))
    held.set(safePath(path.replace(/^(?:\.{0,2}\/)+/, '')), { content, write: writes })

  return {
    name,
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const file = held.get(safePath(path))
      if (!file) return undefined
      const { version } = describe(file)
      if (ifVersion === version) return 'unchanged'
      const bytes = await load(path, file.content)
      throwIfAborted(signal)
      return { bytes, version }
    },
    async list({ signal } = {}) {
      throwIfAborted(signal)
      return [...held].map(([path, file]): FileEntry => ({ path, ...describe(file) }))
    },
    async write({ put = {}, remove = [] }, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const catalog = held.get(CATALOG_FILE)
      if (ifVersion !== undefined && ifVersion !== (catalog ? describe(catalog).version : null))
        throw conflictError(name, CATALOG_FILE)
      const added = Object.entries(put).map(([path, content]) => [safePath(path), content] as const)
      writes++
      for (const path of remove) held.delete(trySafePath(path) ?? path)
      for (const [path, content] of added) held.set(path, { content, write: writes })
    },
  }
}

/** The same content has the same version, in whatever order and however often it was written. */
function describe(file: Held): { version: string; size?: number } {
  if (!file.known) {
    const bytes = typeof file.content === 'function' ? undefined : toBytes(file.content)
    file.known = bytes
      ? { version: shortDigest(digestOf(bytes)), size: bytes.length }
      : { version: `write-${file.write}` }
  }
  return file.known
}

async function load(path: string, content: MemoryFile): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof content !== 'function') return toBytes(content)
  let loaded: Awaited<ReturnType<typeof content>>
  try {
    loaded = await content()
  } catch (error) {
    throw asSkillshelfError(error, 'source-failed', `${path} could not be loaded`, { subject: path })
  }
  const value = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : loaded
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) {
    throw new SkillshelfError('invalid-input', `The loader of ${path} gave ${typeof value}, not text or bytes`, {
      subject: path,
      hint: "use import.meta.glob with query: '?raw'",
    })
  }
  return toBytes(value)
}

function toBytes(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
}
