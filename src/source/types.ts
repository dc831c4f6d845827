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
}

/** Part of a file, in bytes. `length` left out: to the end. */
export interface ByteRange {
  offset: number
  length?: number
}

export interface ReadOptions {
  /** Answer `'unchanged'` when the file still has this version. A source without versions ignores it. */
  ifVersion?: string
  /** A hint: read only this part. A source that did so says `partial`; others give the whole file. */
  range?: ByteRange
  signal?: AbortSignal
}

export interface ReadResult {
  bytes: Uint8Array<ArrayBuffer>
  version?: string
  /** Set when `bytes` are a part of the file: where it starts, and how long the whole file is. */
  partial?: { offset: number; total: number }
}

/** A tree of bytes. It knows nothing about skills. One method makes a source; `list` makes it one that can be searched for skills. */
export interface SkillSource {
  /** Shown to users as the origin of its skills: the first part of their ids. */
  readonly name: string
  /** `undefined`: there is no such file. Throws when the place cannot be read. */
  read(path: string, options?: ReadOptions): Promise<ReadResult | 'unchanged' | undefined>
  /** Every file, or it throws. Left out where a place cannot be listed: then it must hold a packed library. */
  list?(options?: { signal?: AbortSignal }): Promise<readonly FileEntry[]>
  /** What is shown as the location of a file or folder. Default `skill://name/path`. */
  root?(path: string): string
  /** Calls back after anything may have changed, and the library refreshes; returns how to stop it. */
  watch?(onChange: () => void): () => void
  close?(): Promise<void>
}

/** A source that can be changed. Each `write` happens whole or not at all. */
export interface WritableSource extends SkillSource {
  write(
    changes: { put?: Readonly<Record<string, Uint8Array<ArrayBuffer> | string>>; remove?: readonly string[] },
    options?: { signal?: AbortSignal },
  ): Promise<void>
}
