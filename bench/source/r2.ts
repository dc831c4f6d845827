import { mapParallel } from '../../src/core/concurrency.js'
import { type R2BucketLike, r2 } from '../../src/exports/cloudflare.js'
import { openBucket } from './bucket.js'
import { opened } from './files.js'
import type { Opened, Place } from './place.js'

/** Folders of the bucket. */
export const TREE = 'tree/'
export const PACKED = 'packed/'
/** As many as a Worker has connections. */
const AT_ONCE = 6

/** A folder of a bucket, by `r2`. */
export function r2Place(folder: string, prefix: string): Place {
  const { bucket, counts, close } = openBucket(folder)
  return { ready: () => bucket.head('.'), open: () => opened(r2(bucket, { prefix })), counts, close }
}

/** What one would write by hand: list the bucket, get each SKILL.md, keep its text. Nothing is parsed, and nothing can be searched. */
export function plainPlace(folder: string): Place {
  const { bucket, counts, close } = openBucket(folder)
  return { ready: () => bucket.head('.'), open: () => listAndGet(bucket), counts, close }
}

async function listAndGet(bucket: R2BucketLike): Promise<Opened> {
  const keys: string[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await bucket.list({ prefix: TREE, ...(cursor === undefined ? {} : { cursor }) })
    keys.push(...page.objects.map(({ key }) => key).filter(key => /\/skill\.md$/i.test(key)))
    more = page.truncated
    cursor = page.cursor
  }
  const texts = new Map<string, string>()
  await mapParallel(keys, AT_ONCE, async key => {
    const object = await bucket.get(key)
    if (object && 'arrayBuffer' in object) texts.set(key, new TextDecoder().decode(await object.arrayBuffer()))
  })
  return { skills: texts.size, held: texts }
}
