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
    options?: { onlyIf?: R2ConditionLike; httpMetadata?: { contentType?: string }; sha256?: string },
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
