import type { AbortOptions } from '../core/abort.js'

/** A file of a source. */
export interface FileEntry {
  /** Path relative to the root of the source, with forward slashes. */
  path: string
  /** Size in bytes. */
  size?: number
  /** Changes whenever the bytes change, such as an ETag or a modification time. */
  version?: string
  /** Time of the last write, in milliseconds since 1970. */
  modified?: number
  /** Set if the file or folder exists but cannot be read: the reason. */
  unreadable?: string
  /** Name and description of a skill that is not downloaded yet. Only on SKILL.md, only if `summaries` was requested. */
  summary?: { name: string; description: string }
}

/** Options of `SkillSource.list`. */
export interface ListOptions extends AbortOptions {
  /** List only this folder. A hint: a source may list everything. */
  folder?: string | undefined
  /** A hint: return a `summary` for skills that must be downloaded whole. Their other files are listed when their `folder` is. */
  summaries?: boolean | undefined
}

/** Part of a file, in bytes. Without `length` it extends to the end of the file. */
export interface ByteRange {
  offset: number
  length?: number
}

/** Options of `SkillSource.read` and `SkillSource.fetch`. */
export interface ReadOptions extends AbortOptions {
  /** Return `'unchanged'` if the file still has this version. Ignored by sources without versions. */
  ifVersion?: string | undefined
  /** Read only this part. A hint: the result has `partial` if the source did so, otherwise it holds the whole file. */
  range?: ByteRange | undefined
}

/** Content of a file. */
export interface ReadResult {
  bytes: Uint8Array<ArrayBuffer>
  version?: string
  /** Set if `bytes` are part of the file: their offset, and the size of the whole file. */
  partial?: { offset: number; total: number }
  /** `sha256:` and 64 hex digits of the whole file, if the store checked it on writing. Packed files are then not hashed again. */
  digest?: string
}

/** Content of an address. */
export interface FetchResult extends ReadResult {
  /** The URL after redirects. Relative URLs in the content are relative to it. */
  url: string
  /** The declared media type, without parameters. */
  type?: string
}

/**
 * A tree of files. It knows nothing about skills.
 *
 * `name` and `read` make a source of a packed library. `list` makes it a source that can be searched for skills, and `fetch` one that can be
 * a skill site. Check a source of your own with `sourceSuite` from `skillshelf/testing`.
 * @example
 * ```ts
 * const source: SkillSource = {
 *   name: 'kv',
 *   async read(path) {
 *     const bytes = await kv.get(path, 'arrayBuffer')
 *     return bytes ? { bytes: new Uint8Array(bytes) } : undefined
 *   },
 * }
 * ```
 */
export interface SkillSource {
  /** Name shown to users: the first part of its skills' ids. */
  readonly name: string
  /** Reads a file. Returns `undefined` if it does not exist. Throws if the source cannot be read. */
  read(path: string, options?: ReadOptions): Promise<ReadResult | 'unchanged' | undefined>
  /** Lists every file, or throws. Without it the source must hold a packed library or be a skill site. */
  list?(options?: ListOptions): Promise<readonly FileEntry[]>
  /** Reads a URL relative to the source's own (`''`), without checks of the content. Throws for a URL that must not be read. */
  fetch?(address: string, options?: ReadOptions): Promise<FetchResult | 'unchanged' | undefined>
  /** The displayed location of a file or folder, such as an absolute path. @default skill://name/path */
  root?(path: string): string
  /** Subscribes to changes. The library refreshes after each call. Returns a function that unsubscribes. */
  watch?(onChange: () => void): () => void
  /** Releases resources. Later calls may throw `closed`. */
  close?(): Promise<void>
  /**
   * Milliseconds that `openLibrary` waits for an answer of `read`, `list` or `fetch`. `Infinity` for a source that has timeouts of its own
   * or that makes many requests for one answer, such as `http` and `cached`.
   * @default the option `timeout` of `openLibrary`
   */
  readonly timeout?: number
}

/** Files to write and to remove. */
export interface Changes {
  /** Content by path. */
  put?: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>
  /** Paths to remove. */
  remove?: readonly string[]
}

/** Options of `WritableSource.write`. */
export interface WriteOptions extends AbortOptions {
  /** Version that `skillshelf.json` must have; `null`: none. Otherwise nothing is written and `write` throws `conflict`. Default: any. */
  ifVersion?: string | null | undefined
}

/** A source that can be changed. */
export interface WritableSource extends SkillSource {
  /**
   * Set if `write` is one transaction. `skillStore` then removes files with the change that leaves them unused. In other sources a removal
   * could come after another writer has used the file again, so unused files stay until `sweep`.
   */
  readonly transactional?: boolean
  /** Writes all changes or none: readers see the old files or the new ones. */
  write(changes: Changes, options?: WriteOptions): Promise<void>
  /** Runs `work` under an exclusive lock of the source, so that it can read, compute and write without a conflict. */
  exclusively?<T>(work: () => Promise<T>, options?: AbortOptions): Promise<T>
}

/** A source that can list its files. */
export type ListableSource = SkillSource & Required<Pick<SkillSource, 'list'>>

/** A source that can fetch URLs. */
export type FetchableSource = SkillSource & Required<Pick<SkillSource, 'fetch'>>

/** A stream of bytes. Every platform's `ReadableStream` fits. */
export interface ByteStream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(reason?: unknown): Promise<unknown>
  }
}
