import { expect, it } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import { verifiedFetch } from '../../src/search/model/transformers/transformers.js'
import { startHttpServer } from './http-server.js'

const bytes = new Uint8Array(100_000).map((_, at) => at)
const { address } = await startHttpServer((request, response) => {
  if (request.url?.endsWith('/slow.bin')) response.write('a')
  else if (request.url?.endsWith('/model.bin')) response.end(bytes)
  else response.writeHead(404).end('none')
})
const host = `${address}models/me/mine`

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
