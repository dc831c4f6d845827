import { Miniflare } from 'miniflare'
import type { R2BucketLike, R2ListingLike, R2ObjectLike } from '../../src/exports/cloudflare.js'
import type { Counts } from './types.js'

/** A miniflare bucket on disk. Each call is one request to workerd; miniflare's own proxy sends one for every field. */
export interface Bucket {
  bucket: R2BucketLike
  /** Calls and bytes of objects since the last time. */
  counts(): Counts
  close(): Promise<void>
}

const WORKER = `
const plain = object => object && { key: object.key, size: object.size, etag: object.etag, body: 'body' in object }
export default {
  async fetch(request, { BUCKET }) {
    const [call, ...args] = JSON.parse(decodeURIComponent(request.headers.get('x-call')))
    if (call === 'put') args.splice(1, 0, await request.arrayBuffer())
    const result = await BUCKET[call](...args)
    if (call === 'list') return Response.json({ ...result, objects: result.objects.map(plain) })
    const answer = encodeURIComponent(JSON.stringify(plain(result) ?? null))
    return new Response(call === 'get' ? result?.body : null, { headers: { 'x-answer': answer } })
  },
}`

export function openBucket(folder: string): Bucket {
  const platform = new Miniflare({
    compatibilityDate: '2026-04-01',
    modules: true,
    script: WORKER,
    r2Buckets: ['BUCKET'],
    r2Persist: folder,
  })
  let now: Counts = { reads: 0, bytes: 0 }
  const ask = async (call: readonly unknown[], body: Uint8Array<ArrayBuffer> | string = '') => {
    now.reads++
    const headers = { 'x-call': encodeURIComponent(JSON.stringify(call)) }
    const response = await platform.dispatchFetch('http://bucket', {
      method: 'POST',
      headers,
      body,
    })
    if (!response.ok) throw new Error(await response.text())
    return response
  }
  const answer = ({
    headers,
  }: Awaited<ReturnType<typeof ask>>): (R2ObjectLike & { body: boolean }) | null =>
    JSON.parse(decodeURIComponent(headers.get('x-answer') ?? 'null'))
  return {
    bucket: {
      head: async key => answer(await ask(['head', key])),
      async get(key, options) {
        const response = await ask(['get', key, options])
        const object = answer(response)
        if (!object?.body) return object
        const bytes = await response.arrayBuffer()
        now.bytes += bytes.byteLength
        return { ...object, arrayBuffer: async () => bytes }
      },
      list: async options => (await (await ask(['list', options])).json()) as R2ListingLike,
      put: async (key, value, options) => answer(await ask(['put', key, options], value)),
      async delete(keys) {
        await ask(['delete', keys])
      },
    },
    counts() {
      const then = now
      now = { reads: 0, bytes: 0 }
      return then
    },
    close: () => platform.dispose(),
  }
}
