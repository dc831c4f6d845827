import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { edgeCached, type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { bestOf, MESSAGES, openInPieces, openMany, packedOnce, packMany } from '../pieces-world.js'
import { librarySuite } from '../suites/library-suite.js'
import { filling } from './r2-world.js'

const { TEST_BUCKET } = env as unknown as { TEST_BUCKET: R2Bucket }
const { fresh } = filling(async (): Promise<R2BucketLike> => TEST_BUCKET)

/** A bucket that counts what is read. */
function counted(bucket: R2BucketLike) {
  const state = { reads: 0 }
  const get: R2BucketLike['get'] = (...args: Parameters<R2BucketLike['get']>) => {
    state.reads++
    return bucket.get(...args)
  }
  return { state, bucket: { ...bind(bucket), get } as R2BucketLike }
}

const bind = (bucket: R2BucketLike): R2BucketLike => ({
  get: bucket.get.bind(bucket),
  head: bucket.head.bind(bucket),
  list: bucket.list.bind(bucket),
  put: bucket.put.bind(bucket),
  delete: bucket.delete.bind(bucket),
})

describe('[BY-33] [BY-5] a library in pieces in R2', () => {
  const packed = packedOnce()
  for (const { name, run } of librarySuite(async files =>
    openInPieces(r2(await fresh(await packed(files)))),
  ))
    it(name, run)

  it('is read by another isolate from the cache of the data centre', async () => {
    const { bucket, state } = counted(await fresh(await packMany()))
    const [message, name] = MESSAGES[0]
    {
      await using library = await openMany(edgeCached(r2(bucket, { name: 'many' })))
      expect(await bestOf(library, message)).toBe(name)
      expect(state.reads).toBeGreaterThan(2)
      expect(state.reads).toBeLessThanOrEqual(40)
    }
    state.reads = 0
    await using library = await openMany(edgeCached(r2(bucket, { name: 'many' })))
    expect(await bestOf(library, message)).toBe(name)
    // Its catalog, which may have changed.
    expect(state.reads).toBe(1)
    await library.search(message)
    expect(state.reads).toBe(1)
  })

  it('is read from the bucket where the cache fails', async () => {
    const { bucket, state } = counted(await fresh(await packMany()))
    const failing = {
      match: () => Promise.reject(new Error('no cache')),
      put: () => Promise.reject(new Error('no cache')),
    }
    const [message, name] = MESSAGES[1]
    await using library = await openMany(edgeCached(r2(bucket, { name: 'many' }), failing))
    expect(await bestOf(library, message)).toBe(name)
    expect(state.reads).toBeGreaterThan(2)
  })
})
