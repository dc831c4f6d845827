import { Miniflare } from 'miniflare'
import { afterAll, describe } from 'vitest'
import type { R2BucketLike, R2ListingLike, R2ObjectLike } from '../../src/exports/cloudflare.js'
import { packedCases } from '../workerd/r2-packed-cases.js'
import { readingCases } from '../workerd/r2-reading-cases.js'
import { treeCases } from '../workerd/r2-tree-cases.js'
import { writingCases } from '../workerd/r2-writing-cases.js'

/**
 * Passes the calls of a binding as requests. Miniflare's own proxy requests each field of each object from workerd, which takes minutes for
 * a listing of 2,010.
 */
const WORKER = `
const plain = object => object && { key: object.key, size: object.size, etag: object.etag, uploaded: object.uploaded, sha256: object.checksums.toJSON().sha256, httpMetadata: object.httpMetadata, body: 'body' in object }
export default {
  async fetch(request, { BUCKET }) {
    const [call, ...args] = JSON.parse(decodeURIComponent(request.headers.get('x-call')))
    try {
      if (call === 'put') args.splice(1, 0, await request.arrayBuffer())
      const result = await BUCKET[call](...args)
      if (call === 'list') return Response.json({ ...result, objects: result.objects.map(plain) })
      const answer = encodeURIComponent(JSON.stringify(plain(result) ?? null))
      return new Response(call === 'get' ? result?.body : null, { headers: { 'x-answer': answer } })
    } catch (error) {
      return new Response(error.message, { status: 500 })
    }
  },
}`

/** Restores the date and the digest, which JSON holds as strings. */
function revived<T extends { uploaded?: Date; sha256?: string } | null>(object: T): T {
  if (!object?.uploaded) return object
  const { sha256, uploaded } = object
  const checksums =
    sha256 === undefined ? {} : { sha256: Uint8Array.from(Buffer.from(sha256, 'hex')).buffer }
  return { ...object, uploaded: new Date(uploaded), checksums }
}

// The cases of workerd over the R2 of miniflare, because mutation tests run in Node.
describe('r2 in Node, through miniflare', () => {
  const options = { compatibilityDate: '2026-04-01', modules: true, script: WORKER }
  const platform = new Miniflare({ ...options, r2Buckets: ['BUCKET'] })
  afterAll(() => platform.dispose())

  const ask = async (call: readonly unknown[], body: Uint8Array<ArrayBuffer> | string = '') => {
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
    revived(JSON.parse(decodeURIComponent(headers.get('x-answer') ?? 'null')))
  const bucket: R2BucketLike = {
    head: async key => answer(await ask(['head', key])),
    async get(key, options) {
      const response = await ask(['get', key, options])
      const object = answer(response)
      return object?.body ? { ...object, arrayBuffer: () => response.arrayBuffer() } : object
    },
    async list(options) {
      const listing = (await (await ask(['list', options])).json()) as R2ListingLike
      return { ...listing, objects: listing.objects.map(revived) }
    },
    put: async (key, value, options) => answer(await ask(['put', key, options], value)),
    async delete(keys) {
      await ask(['delete', keys])
    },
  }
  const open = async (): Promise<R2BucketLike> => bucket
  describe('[CARD-1] [AC-1] reading from R2', () => readingCases(open))
  describe('[CARD-1] [AC-5] a tree of three pages in R2', () => treeCases(open))
  describe('[BY-5] a packed library in R2', () => packedCases(open))
  describe('[BY-5] [BY-9] writing to R2', () => writingCases(open))
})
