import { abortable } from '../../core/abort.js'
import { mapParallel } from '../../core/concurrency.js'
import { asSkillshelfError, throwIfAborted } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { CATALOG_FILE, conflictError } from '../catalog-file.js'
import type { ByteRange, Changes, FileEntry, ReadResult, WritableSource, WriteOptions } from '../types.js'
import type { R2BucketLike } from './bucket.js'

export interface R2Options {
  /** Default: the last part of `prefix`, or `r2`. */
  name?: string | undefined
  /** The folder of the bucket that is the root, such as `skills/`. Default: the whole bucket. */
  prefix?: string | undefined
}

export interface R2Source extends WritableSource {
  /**
   * R2 has no transactions. Each file is written whole or not at all, and the order makes a packed library one write: content first, at
   * most six at a time, then `skillshelf.json`, on condition that nobody else wrote it meanwhile, then removals. Whatever fails before
   * leaves the old catalog and its files as they were; a removal that fails after it is no failure, and leaves files that nobody names.
   * Of a plain tree, some files may be new and others old after a failure: write it again. Who still reads by the old catalog needs its
   * files, so remove them in a later write.
   * Without `ifVersion`: the version that stands there when the write begins.
   * @throws SkillshelfError `conflict`, `source-failed`, `invalid-path`; `aborted` before the catalog was written
   */
  write(changes: Changes, options?: WriteOptions): Promise<void>
}

/** Writes under way at once: more would wait for a connection of the Worker's anyway. */
const PARALLEL_WRITES = 6
/** Keys that one call may remove. */
const REMOVED_AT_ONCE = 1_000
/** What R2 gives as an ETag. It throws at others. */
const ETAG = /^[\w-]+$/

/** An R2 bucket, or a folder of it, by its binding. A packed library opens in its fixed few reads; a tree is listed, 1,000 files a call. */
export function r2(bucket: R2BucketLike, options: R2Options = {}): R2Source {
  const prefix = (options.prefix ?? '').replace(/(?<=[^/])$/, '/')
  const name = options.name ?? (prefix.split('/').filter(Boolean).at(-1) || 'r2')
  const keyOf = (path: string): string => prefix + safePath(path)
  const ask = async <T>(what: string, subject: string, call: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    throwIfAborted(signal)
    try {
      return await abortable(call(), signal)
    } catch (error) {
      throwIfAborted(signal)
      throw asSkillshelfError(error, 'source-failed', `${subject || 'The bucket'} of ${name} could not be ${what}`, {
        subject,
        hint: 'check the binding and its bucket, and try again',
      })
    }
  }

  /** R2 throws where a range holds no byte of the file; the port takes that for an empty part. */
  const noBytes = async (key: string, { offset, length }: ByteRange): Promise<ReadResult | 'some' | undefined> => {
    const head = await bucket.head(key)
    if (!head) return undefined
    if (length !== 0 && offset < head.size) return 'some'
    return {
      bytes: new Uint8Array(0),
      version: head.etag,
      partial: { offset: Math.min(offset, head.size), total: head.size },
    }
  }

  const get = async (
    key: string,
    ifVersion: string | undefined,
    range: ByteRange | undefined,
  ): Promise<ReadResult | 'unchanged' | undefined> => {
    const object = await bucket.get(key, {
      ...(ifVersion !== undefined && ETAG.test(ifVersion) ? { onlyIf: { etagDoesNotMatch: ifVersion } } : {}),
      ...(range ? { range } : {}),
    })
    if (!object) return undefined
    if (!('arrayBuffer' in object)) return 'unchanged'
    return {
      bytes: new Uint8Array(await object.arrayBuffer()),
      version: object.etag,
      ...(range ? { partial: { offset: range.offset, total: object.size } } : {}),
    }
  }

  const remove = async (keys: readonly string[]): Promise<void> => {
    for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE)
      await ask('removed', keys[from] as string, () => bucket.delete(keys.slice(from, from + REMOVED_AT_ONCE)))
  }

  return {
    name,
    async read(path, { ifVersion, range, signal } = {}) {
      throwIfAborted(signal)
      const key = keyOf(path)
      return ask(
        'read',
        key,
        async () => {
          try {
            return await get(key, ifVersion, range)
          } catch (error) {
            const empty = range ? await noBytes(key, range) : 'some'
            if (empty === 'some') throw error
            return empty
          }
        },
        signal,
      )
    },
    async list({ signal } = {}) {
      const files: FileEntry[] = []
      let cursor: string | undefined
      do {
        const from = { ...(prefix ? { prefix } : {}), ...(cursor === undefined ? {} : { cursor }) }
        const page = await ask('listed', prefix, () => bucket.list(from), signal)
        // Tools that think in folders leave an empty object for each.
        for (const { key, size, etag } of page.objects)
          if (!key.endsWith('/')) files.push({ path: key.slice(prefix.length), size, version: etag })
        cursor = page.truncated ? page.cursor : undefined
      } while (cursor !== undefined)
      return files
    },
    async write({ put = {}, remove: removed = [] }, { signal, ifVersion } = {}) {
      throwIfAborted(signal)
      const catalog = keyOf(CATALOG_FILE)
      const added = new Map(Object.entries(put).map(([path, content]) => [keyOf(path), content]))
      const gone = new Set(removed.map(keyOf).filter(key => !added.has(key)))
      const commits = added.has(catalog) || gone.has(catalog)

      const look = () => ask('read', catalog, () => bucket.head(catalog), signal)
      const before = commits || ifVersion !== undefined ? await look() : null
      if (ifVersion !== undefined && (before?.etag ?? null) !== ifVersion)
        throw conflictError(name, prefix + CATALOG_FILE)
      const unchanged = before ? { etagMatches: before.etag } : { etagDoesNotMatch: '*' }

      const content = [...added].filter(([key]) => key !== catalog)
      // When this rejects, nothing is under way any more: a late write would undo a second try.
      let failure: unknown
      await mapParallel(content, PARALLEL_WRITES, async ([key, bytes]) => {
        if (failure !== undefined || signal?.aborted) return
        await ask('written', key, () => bucket.put(key, bytes)).catch(error => {
          failure ??= error
        })
      })
      if (failure !== undefined) throw failure
      throwIfAborted(signal)
      const latest = added.get(catalog)
      if (latest !== undefined) {
        const written = await ask('written', catalog, () => bucket.put(catalog, latest, { onlyIf: unchanged }))
        if (!written) throw conflictError(name, prefix + CATALOG_FILE)
      } else if (gone.has(catalog)) {
        // R2 removes without conditions: this is as near as it gets.
        if ((await look())?.etag !== before?.etag) throw conflictError(name, prefix + CATALOG_FILE)
        await remove([catalog])
      }
      const removal = remove([...gone].filter(key => key !== catalog))
      // What is committed has succeeded, whatever becomes of files that nobody names any more.
      await (commits ? removal.catch(() => undefined) : removal)
    },
  }
}
