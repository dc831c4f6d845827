/** What is used of an R2 bucket binding. `R2Bucket` of `@cloudflare/workers-types` fits. */
export interface R2BucketLike {
  head(key: string): Promise<R2ObjectLike | null>
  /** Gives an object without a body where `onlyIf` does not hold. */
  get(
    key: string,
    options?: { onlyIf?: R2ConditionLike; range?: { offset: number; length?: number } },
  ): Promise<R2ObjectLike | R2ObjectBodyLike | null>
  list(options?: { prefix?: string; cursor?: string }): Promise<R2ListingLike>
  /** Gives `null`, and writes nothing, where `onlyIf` does not hold. */
  put(
    key: string,
    value: Uint8Array<ArrayBuffer> | string,
    options?: { onlyIf?: R2ConditionLike },
  ): Promise<R2ObjectLike | null>
  delete(keys: string[]): Promise<void>
}

/** ETags without quotes; `*` stands for any. */
export interface R2ConditionLike {
  etagMatches?: string
  etagDoesNotMatch?: string
}

export interface R2ObjectLike {
  readonly key: string
  /** Of the whole object, in bytes. */
  readonly size: number
  /** Without quotes. */
  readonly etag: string
}

export interface R2ObjectBodyLike extends R2ObjectLike {
  arrayBuffer(): Promise<ArrayBuffer>
}

export interface R2ListingLike {
  readonly objects: readonly R2ObjectLike[]
  readonly truncated: boolean
  /** Where the next page starts, where there is one. */
  readonly cursor?: string
}
