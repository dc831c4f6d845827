/**
 * R2 buckets, and the cache of a data centre before them.
 *
 * @packageDocumentation
 * @module skillshelf/cloudflare
 */

export { type EdgeCacheLike, edgeCached } from '../source/edge-cache.js'
// Structural types of the R2 binding, so that `@cloudflare/workers-types` is optional.
export type {
  R2BucketLike,
  R2ConditionLike,
  R2ListingLike,
  R2ObjectBodyLike,
  R2ObjectLike,
} from '../source/r2.js'
// Source and writable store in an R2 bucket.
export { type R2Options, type R2Source, r2 } from '../source/r2.js'
