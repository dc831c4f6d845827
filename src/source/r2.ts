import { bytesToHex } from '@noble/hashes/utils.js'
import { abortable } from '../core/abort.js'
import { mapParallel } from '../core/concurrency.js'
import { withoutJunk } from '../core/content.js'
import { digestOfLarge } from '../core/digest.js'
import { asSkillshelfError, errorMessage, throwIfAborted } from '../core/errors.js'
import { safePath } from '../core/paths.js'
import { checkOptionNames, type OptionNames } from '../core/text/option-names.js'
import { inertContentType } from '../skill/media-types.js'
import { CATALOG_FILE, conflictError } from './catalog-file.js'
import type {
  ByteRange,
  Changes,
  FileEntry,
  ReadResult,
  WritableSource,
  WriteOptions,
} from './source.js'

/** Options of `r2`. */
export interface R2Options {
  /** Name of the source: the first part of its skills' ids. @default The last part of `prefix`, or `r2`. */
  name?: string | undefined
  /** The folder in the bucket to use as the root, such as `skills/`. @default '' (the whole bucket) */
  prefix?: string | undefined
}

/** Files in an R2 bucket. */
export interface R2Source extends WritableSource {
  /**
   * Writes and removes files. R2 has no transactions, so a packed library is committed by `skillshelf.json`:
   *
   * 1. Content is uploaded, six files at a time.
   * 2. `skillshelf.json` is written if no other writer has changed it.
   * 3. Removed files are deleted. A failure here is ignored: it leaves unused files.
   *
   * A failure before step 2 leaves the old library intact. Without `ifVersion`, the condition is the version at the start of the write.
   * Do not remove the files of the old catalog: clients still read them, and another writer may use them again. `sweep` of `skillStore`
   * removes them later. A plain tree of skills has no commit step: after a failure it may hold new and old files, so write it again.
   *
   * Files get a media type that no browser runs.
   * @throws SkillshelfError `conflict`, `source-failed`, `invalid-path`, and `aborted` before the catalog is written
   */
  write(changes: Changes, options?: WriteOptions): Promise<void>
}

/** A Worker has six connections; more uploads would queue. */
const PARALLEL_WRITES = 6
/** Maximum keys of one `delete` call. */
const MAX_DELETED_KEYS = 1_000
/** ETags that R2 accepts in a condition. It throws at others. */
const ETAG = /^[\w-]+$/
/** R2 accepts one write per second to the same key. Its error ends with this code. */
const TOO_MANY_WRITES = /\(10058\)/

const OPTIONS = { name: 1, prefix: 1 } satisfies OptionNames<R2Options>

/**
 * Reads and writes an R2 bucket by its binding, in a Cloudflare Worker.
 *
 * A packed library opens in a fixed, small number of reads. A tree of skills is listed, 1,000 files per call.
 * @returns A writable source. Its methods throw `source-failed` if R2 fails.
 * @example
 * ```ts
 * export default {
 *   async fetch(request: Request, env: { SKILLS: R2Bucket }) {
 *     const library = await openLibrary(r2(env.SKILLS, { prefix: 'skills/' }))
 *     return Response.json(library.snapshot.skills)
 *   },
 * }
 * ```
 */
export function r2(bucket: R2BucketLike, options: R2Options = {}): R2Source {
  checkOptionNames(options, OPTIONS)
  const prefix = (options.prefix ?? '').replace(/(?<=[^/])$/, '/')
  const name = options.name ?? (prefix.split('/').filter(Boolean).at(-1) || 'r2')
  const keyOf = (path: string): string => prefix + safePath(path)
  /** Calls R2. `verb` completes "could not be ...". */
  const callR2 = async <T>(
    verb: string,
    subject: string,
    call: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    throwIfAborted(signal)
    try {
      return await abortable(call(), signal)
    } catch (error) {
      throwIfAborted(signal)
      throw asSkillshelfError(
        error,
        'source-failed',
        `${subject || 'The bucket'} of ${name} could not be ${verb}`,
        {
          subject,
          hint: 'check the binding and its bucket, and try again',
        },
      )
    }
  }

  /** R2 throws for a range without bytes of the file. Sources return an empty part instead. */
  const readEmptyRange = async (
    key: string,
    { offset, length }: ByteRange,
  ): Promise<ReadResult | 'not-empty' | undefined> => {
    const head = await bucket.head(key)
    if (!head) return undefined
    if (length !== 0 && offset < head.size) return 'not-empty'
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
      ...(ifVersion !== undefined && ETAG.test(ifVersion)
        ? { onlyIf: { etagDoesNotMatch: ifVersion } }
        : {}),
      ...(range ? { range } : {}),
    })
    if (!object) return undefined
    if (!('arrayBuffer' in object)) return 'unchanged'
    const bytes = new Uint8Array(await object.arrayBuffer())
    const { size } = object
    const expected = range ? Math.min(range.length ?? size, size - range.offset) : size
    // The checksum is that of the stored file. It says nothing of a body that was cut off on its way.
    if (bytes.length !== expected) {
      throw new ShortBodyError(`its body has ${bytes.length} of ${expected} bytes`)
    }
    const sha256 = object.checksums?.sha256
    return {
      bytes,
      version: object.etag,
      ...(sha256 && !range ? { digest: `sha256:${bytesToHex(new Uint8Array(sha256))}` } : {}),
      ...(range ? { partial: { offset: range.offset, total: object.size } } : {}),
    }
  }

  /** Tries once more after a body that was cut off. */
  const getAgain: typeof get = (...args) =>
    get(...args).catch(error => {
      if (error instanceof ShortBodyError) return get(...args)
      throw error
    })

  const remove = async (keys: readonly string[]): Promise<void> => {
    for (let from = 0; from < keys.length; from += MAX_DELETED_KEYS) {
      await callR2('removed', keys[from] as string, () =>
        bucket.delete(keys.slice(from, from + MAX_DELETED_KEYS)),
      )
    }
  }

  return {
    name,
    async read(path, { ifVersion, range, signal } = {}) {
      throwIfAborted(signal)
      const key = keyOf(path)
      const getOrEmpty = () =>
        getAgain(key, ifVersion, range).catch(async error => {
          if (error instanceof ShortBodyError) throw error
          const empty = range ? await readEmptyRange(key, range) : 'not-empty'
          if (empty === 'not-empty') throw error
          return empty
        })
      return callR2('read', key, getOrEmpty, signal)
    },
    async list({ signal } = {}) {
      const files: FileEntry[] = []
      let cursor: string | undefined
      do {
        const query = { ...(prefix ? { prefix } : {}), ...(cursor === undefined ? {} : { cursor }) }
        const page = await callR2('listed', prefix, () => bucket.list(query), signal)
        // Some tools create an empty object for each folder.
        for (const { key, size, etag, uploaded } of page.objects) {
          if (!key.endsWith('/')) {
            files.push({
              path: key.slice(prefix.length),
              size,
              version: etag,
              ...(uploaded ? { modified: uploaded.getTime() } : {}),
            })
          }
        }
        cursor = page.truncated ? page.cursor : undefined
      } while (cursor !== undefined)
      return withoutJunk(files)
    },
    async write({ put = {}, remove: removed = [] }, { signal, ifVersion } = {}) {
      throwIfAborted(signal)
      const catalog = keyOf(CATALOG_FILE)
      const added = new Map(Object.entries(put).map(([path, content]) => [keyOf(path), content]))
      const deleted = new Set(removed.map(keyOf).filter(key => !added.has(key)))
      const commits = added.has(catalog) || deleted.has(catalog)

      const headCatalog = () => callR2('read', catalog, () => bucket.head(catalog), signal)
      const before = commits || ifVersion !== undefined ? await headCatalog() : null
      if (ifVersion !== undefined && (before?.etag ?? null) !== ifVersion) {
        throw conflictError(name, catalog)
      }
      const onlyIf = before ? { etagMatches: before.etag } : { etagDoesNotMatch: '*' }

      const content = [...added].filter(([key]) => key !== catalog)
      // Waits for all running uploads, because a late one would overwrite a retry.
      let failure: unknown
      await mapParallel(content, PARALLEL_WRITES, async ([key, bytes]) => {
        if (failure !== undefined || signal?.aborted) return
        await callR2('written', key, async () =>
          bucket.put(key, bytes, await metadata(key, bytes)),
        ).catch(error => {
          failure ??= error
        })
      })
      if (failure !== undefined) throw failure
      throwIfAborted(signal)
      const newCatalog = added.get(catalog)
      if (newCatalog !== undefined) {
        const written = await callR2('written', catalog, async () =>
          bucket
            .put(catalog, newCatalog, { onlyIf, ...(await metadata(catalog, newCatalog)) })
            .catch((error: unknown) => {
              if (TOO_MANY_WRITES.test(errorMessage(error))) return null
              throw error
            }),
        )
        if (!written) throw conflictError(name, catalog)
      } else if (deleted.has(catalog)) {
        // R2 has no conditional delete, so a race remains between this check and the delete.
        if ((await headCatalog())?.etag !== before?.etag) throw conflictError(name, catalog)
        await remove([catalog])
      }
      const removal = remove([...deleted].filter(key => key !== catalog))
      // The write is committed. A file that could not be deleted is unused.
      await (commits ? removal.catch(() => undefined) : removal)
    },
  }
}

/** A body of another length than the object. */
class ShortBodyError extends Error {}

/** A public bucket answers with the stored media type, and has no other headers. R2 checks the digest. */
async function metadata(
  key: string,
  content: Uint8Array<ArrayBuffer> | string,
): Promise<{ httpMetadata: { contentType: string }; sha256: string }> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return {
    httpMetadata: { contentType: inertContentType(key) },
    sha256: (await digestOfLarge(bytes)).slice('sha256:'.length),
  }
}

/** The used part of an R2 bucket binding. `R2Bucket` of `@cloudflare/workers-types` fits. */
export interface R2BucketLike {
  head(key: string): Promise<R2ObjectLike | null>
  /** Returns an object without a body if `onlyIf` fails. */
  get(
    key: string,
    options?: { onlyIf?: R2ConditionLike; range?: { offset: number; length?: number } },
  ): Promise<R2ObjectLike | R2ObjectBodyLike | null>
  list(options?: { prefix?: string; cursor?: string }): Promise<R2ListingLike>
  /** Returns `null` and writes nothing if `onlyIf` fails. */
  put(
    key: string,
    value: Uint8Array<ArrayBuffer> | string,
    options?: {
      onlyIf?: R2ConditionLike
      httpMetadata?: { contentType?: string }
      sha256?: string
    },
  ): Promise<R2ObjectLike | null>
  delete(keys: string[]): Promise<void>
}

/** ETags without quotes. `*` matches any. */
export interface R2ConditionLike {
  etagMatches?: string
  etagDoesNotMatch?: string
}

/** Metadata of an R2 object. */
export interface R2ObjectLike {
  readonly key: string
  /** Size of the whole object in bytes. */
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  /** Time of the upload. */
  readonly uploaded?: Date
  /** Has a SHA-256 if the upload stated one, which R2 then checked. */
  readonly checksums?: { readonly sha256?: ArrayBuffer }
}

/** An R2 object with its content. */
export interface R2ObjectBodyLike extends R2ObjectLike {
  arrayBuffer(): Promise<ArrayBuffer>
}

/** One page of an R2 listing. */
export interface R2ListingLike {
  readonly objects: readonly R2ObjectLike[]
  readonly truncated: boolean
  /** Cursor of the next page. */
  readonly cursor?: string
}
