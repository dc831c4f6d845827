import { SkillshelfError, throwIfAborted } from '../skill/error.js'
import { safePath, trySafePath } from '../skill/path.js'
import type { FileEntry, WritableSource } from './types.js'

/** A file's content, or a function that loads it when it is first read: what `import.meta.glob` gives. */
export type MemoryFile = string | Uint8Array | (() => Promise<string | Uint8Array | { default: string | Uint8Array }>)

/**
 * Files that are in memory already, by path. Leading `./`, `../` and `/` are dropped, as bundlers write globs that way.
 * @throws SkillshelfError `invalid-path` on `write` of a path that leaves the root
 */
export function memory(
  files: Readonly<Record<string, MemoryFile>> = {},
  options: { name?: string } = {},
): WritableSource {
  const held = new Map<string, { content: MemoryFile; version: string }>()
  let writes = 0
  const put = (path: string, content: MemoryFile): void => {
    held.set(safePath(path), { content, version: String(++writes) })
  }
  for (const [path, content] of Object.entries(files)) put(path.replace(/^(?:\.{0,2}\/)+/, ''), content)

  return {
    name: options.name ?? 'memory',
    async read(path, { ifVersion, signal } = {}) {
      throwIfAborted(signal)
      const file = held.get(safePath(path))
      if (!file) return undefined
      if (ifVersion === file.version) return 'unchanged'
      return { bytes: await load(path, file.content), version: file.version }
    },
    async list({ signal } = {}) {
      throwIfAborted(signal)
      return [...held].map(
        ([path, { content, version }]): FileEntry => ({
          path,
          version,
          ...(typeof content === 'function' ? {} : { size: toBytes(content).length }),
        }),
      )
    },
    async write({ put: added = {}, remove = [] }, { signal } = {}) {
      throwIfAborted(signal)
      for (const path of Object.keys(added)) safePath(path)
      for (const path of remove) held.delete(trySafePath(path) ?? path)
      for (const [path, content] of Object.entries(added)) put(path, content)
    },
  }
}

async function load(path: string, content: MemoryFile): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof content !== 'function') return toBytes(content)
  const loaded = await content()
  const value = typeof loaded === 'object' && 'default' in loaded ? loaded.default : loaded
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
