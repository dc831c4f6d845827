import { mapParallel } from '../../src/core/concurrency.js'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openBucket } from './bucket.js'
import { openTarget } from './files.js'
import type { OpenedTarget, Target } from './types.js'

/** Prefixes in the bucket. */
export const TREE = 'tree/'
export const PACKED = 'packed/'
/** Connections of a Worker. */
const PARALLEL = 6

/** A prefix of a bucket, read by `r2`. */
export function r2Target(folder: string, prefix: string): Target {
  const { bucket, counts, close } = openBucket(folder)
  return {
    start: () => bucket.head('.'),
    open: () => openTarget(r2(bucket, { prefix })),
    counts,
    close,
  }
}

/** The baseline without this library: lists the bucket and gets each SKILL.md, without parsing or search. */
export function manualR2Target(folder: string): Target {
  const { bucket, counts, close } = openBucket(folder)
  return { start: () => bucket.head('.'), open: () => listAndGet(bucket), counts, close }
}

async function listAndGet(bucket: R2BucketLike): Promise<OpenedTarget> {
  const keys: string[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await bucket.list({ prefix: TREE, ...(cursor === undefined ? {} : { cursor }) })
    keys.push(...page.objects.map(({ key }) => key).filter(key => /\/skill\.md$/i.test(key)))
    more = page.truncated
    cursor = page.cursor
  }
  const texts = new Map<string, string>()
  await mapParallel(keys, PARALLEL, async key => {
    const object = await bucket.get(key)
    if (object && 'arrayBuffer' in object) {
      texts.set(key, new TextDecoder().decode(await object.arrayBuffer()))
    }
  })
  return { skills: texts.size, held: texts }
}
