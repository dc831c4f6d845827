import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { verifiedFetch } from '../../src/search/model/transformers/transformers.js'

const bytes = new Uint8Array(100_000).map((_, at) => at)
let host = ''
const server = createServer((request, response) => {
  if (request.url?.endsWith('/slow.bin')) response.write('a')
  else if (request.url?.endsWith('/model.bin')) response.end(bytes)
  else response.writeHead(404).end('none')
})
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  host = `http://127.0.0.1:${(server.address() as AddressInfo).port}/models/me/mine`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('returns a file with the expected digest', async () => {
  const response = await verifiedFetch({ digests: { 'onnx/model.bin': digestOf(bytes) } })(`${host}/onnx/model.bin`)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
})

it('[BY-1] rejects a file with a different digest, and no other file', async () => {
  const fetching = verifiedFetch({ digests: { 'onnx/model.bin': digestOf('another') } })
  const response = await fetching(`${host}/onnx/model.bin`)
  await expect(response.arrayBuffer()).rejects.toMatchObject({
    code: 'model-failed',
    message: expect.stringContaining(digestOf(bytes)),
  })
  expect((await (await fetching(`${host}/model.bin`)).arrayBuffer()).byteLength).toBe(bytes.length)
  expect((await fetching(`${host}/none/onnx/missing.bin`)).status).toBe(404)
})

it('aborts before and during a download', async () => {
  const abort = new AbortController()
  const response = await verifiedFetch({ signal: abort.signal })(`${host}/slow.bin`)
  abort.abort()
  await expect(response.text()).rejects.toThrow(/abort/i)
})
