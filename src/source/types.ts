/** A file of a source. */
export interface FileEntry {
  /** Relative to the root of the source, with forward slashes. */
  path: string
  /** Bytes. */
  size?: number
  /** Changes whenever the bytes do: an ETag, a time and a size. */
  version?: string
  /** Set where the place knows of the file or folder but cannot read it: why. */
  unreadable?: string
  /** Of a SKILL.md, in answer to `summaries`: what the place says of a skill that it has not fetched yet. */
  summary?: { name: string; description: string }
}

export interface ListOptions {
  /** Only what stands in this folder. A hint: a source may list everything. */
  folder?: string | undefined
  /**
   * A hint: of skills that would have to be fetched whole, such as archives of a skill site, a `summary` will do. Then their other files
   * are listed when their `folder` is.
   */
  summaries?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** Part of a file, in bytes. `length` left out: to the end. */
export interface ByteRange {
  offset: number
  length?: number
}

export interface ReadOptions {
  /** Answer `'unchanged'` when the file still has this version. A source without versions ignores it. */
  ifVersion?: string | undefined
  /** A hint: read only this part. A source that did so says `partial`; others give the whole file. */
  range?: ByteRange | undefined
  signal?: AbortSignal | undefined
}

export interface ReadResult {
  bytes: Uint8Array<ArrayBuffer>
  version?: string
  /** Set when `bytes` are a part of the file: where it starts, and how long the whole file is. */
  partial?: { offset: number; total: number }
}

/** What stood at an address. */
export interface FetchResult extends ReadResult {
  /** Where it was found in the end: what is relative in it counts from here. */
  url: string
  /** The media type that was declared, without its parameters. */
  type?: string
}

/** A tree of bytes. It knows nothing about skills. One method makes a source; `list` makes it one that can be searched for skills. */
export interface SkillSource {
  /** Shown to users as the origin of its skills: the first part of their ids. */
  readonly name: string
  /** `undefined`: there is no such file. Throws when the place cannot be read. */
  read(path: string, options?: ReadOptions): Promise<ReadResult | 'unchanged' | undefined>
  /** Every file, or it throws. Left out where a place cannot be listed: then it must hold a packed library, or be a skill site. */
  list?(options?: ListOptions): Promise<readonly FileEntry[]>
  /**
   * Of a place that has addresses: reads one, relative to the place's own; `''` is that itself. What stands there may be anything, which
   * is for the caller to find out. Throws where an address may not be read.
   */
  fetch?(address: string, options?: ReadOptions): Promise<FetchResult | 'unchanged' | undefined>
  /** What is shown as the location of a file or folder. Default `skill://name/path`. */
  root?(path: string): string
  /** Calls back after anything may have changed, and the library refreshes; returns how to stop it. */
  watch?(onChange: () => void): () => void
  close?(): Promise<void>
}

/** Files to put and to remove. */
export interface Changes {
  put?: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>
  remove?: readonly string[]
}

export interface WriteOptions {
  /**
   * The version that `skillshelf.json` must still have, or `null` where there must be none; left out, it may have any. Where it has
   * another one nothing is written, and `write` throws `conflict`: read again, and retry.
   */
  ifVersion?: string | null | undefined
  signal?: AbortSignal | undefined
}

/** A source that can be changed. */
export interface WritableSource extends SkillSource {
  /** Happens whole or not at all: whoever reads sees what was there before, or all of it. */
  write(changes: Changes, options?: WriteOptions): Promise<void>
  /** Keeps other writers of the place waiting while `work` reads, thinks and writes: they need not retry then. */
  exclusively?<T>(work: () => Promise<T>, options?: { signal?: AbortSignal | undefined }): Promise<T>
}
