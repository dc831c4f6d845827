import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digestOf } from '../../src/core/digest.js'
import {
  type Embedder,
  openLibrary,
  type Progress,
  type SkillshelfError,
} from '../../src/exports/index.js'
import { transformers } from '../../src/exports/transformers.js'
import { downloadFolder } from '../../src/search/model/transformers/node-files.js'
import { resolveModel } from '../../src/search/model/transformers/presets.js'
import { splitIntoWindows } from '../../src/search/model/transformers/transformers.js'
import {
  type FileStore,
  verifiedFetch,
  verifiedFiles,
} from '../../src/search/model/transformers/verified-files.js'
import { directory } from '../../src/source/directory/directory.js'
import { fails } from '../fails.js'
import { temporaryFolder } from '../folders.js'
import { copySamples } from '../samples.js'
import { startHttpServer } from './http-server.js'

const models = fileURLToPath(new URL('../../../shared/models/', import.meta.url))
const there = existsSync(`${models}Xenova/all-MiniLM-L6-v2/onnx/model_quantized.onnx`)
/** all-MiniLM-L6-v2 in a folder. */
const minilm = (folder = models) => transformers({ model: 'all-MiniLM-L6-v2', models: folder })
const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0)

const vectorAt = (vectors: Float32Array, at: number) => vectors.subarray(at * 384, (at + 1) * 384)

describe.skipIf(!there)(`all-MiniLM-L6-v2${there ? '' : ' (../shared/models is missing)'}`, () => {
  let model: Embedder
  const progress: Progress[] = []
  beforeAll(async () => {
    model = await minilm()({ onProgress: one => progress.push(one) })
  })
  afterAll(() => model?.close?.())

  it('[BY-1] gives unit vectors, similar for similar meaning', async () => {
    const id = 'transformers/Xenova/all-MiniLM-L6-v2/q8'
    expect(model).toMatchObject({ id, dimensions: 384, languages: ['en'] })
    const vectors = await model.embed(
      ['book a flight', 'reserve an airplane ticket', 'fry an egg'],
      { kind: 'query' },
    )
    expect(vectors).toHaveLength(3 * 384)
    const cosine = (a: number, b: number) => dot(vectorAt(vectors, a), vectorAt(vectors, b))
    expect(cosine(0, 0)).toBeCloseTo(1, 4)
    expect(cosine(0, 1)).toBeGreaterThan(cosine(0, 2) + 0.3)
  })

  it('gives a text the same vector in any batch', async () => {
    const texts = Array.from(
      { length: 20 },
      (_, at) => `${'word '.repeat((at * 7) % 13)}number ${at}`,
    )
    const done: [number, number | undefined][] = []
    const all = await model.embed(texts, {
      onProgress: ({ done: count, total }) => done.push([count, total]),
    })
    const alone = await model.embed([texts[13] as string])
    // Weights of 8 bits: the longest text of a slice moves the others a little.
    expect(dot(vectorAt(all, 13), alone)).toBeGreaterThan(0.98)
    expect(done.at(-1)).toEqual([20, 20])
    expect(done.length).toBeGreaterThan(1)
    expect(await model.embed([])).toHaveLength(0)
  })

  it('reads a long text in windows, to its end', async () => {
    const filler = 'The committee met again and talked about nothing in particular. '.repeat(60)
    const [end, plain, wanted] = await Promise.all(
      [
        `${filler} ${'Book a flight to Tokyo. '.repeat(30)}`,
        filler,
        'airline tickets to Tokyo',
      ].map(text => model.embed([text])),
    )
    const [near, far] = [end, plain].map(one =>
      dot(one as Float32Array, wanted as Float32Array),
    ) as [number, number]
    expect(near).toBeGreaterThan(far + 0.05)
  })

  it('reports bytes of its files', () => {
    expect(progress.length).toBeGreaterThan(0)
    const last = progress.at(-1) as Progress
    expect(last.done).toBe(last.total)
    expect(last.total).toBeGreaterThan(20_000_000)
    expect(progress.some(({ item }) => item?.endsWith('.onnx'))).toBe(true)
  })

  it('can be canceled between batches, and rejects after close', async () => {
    const abort = new AbortController()
    const texts = Array.from({ length: 100 }, (_, at) => `text ${at}`)
    await fails(
      model.embed(texts, { signal: abort.signal, onProgress: () => abort.abort() }),
      'aborted',
    )
    const other = await minilm()()
    await other.close?.()
    await fails(other.embed(['text']), 'closed')
    await fails(minilm()({ signal: abort.signal }), 'aborted')
  })

  it('[BY-1] finds a skill that shares no word with the message', async () => {
    await using library = await openLibrary(
      directory(copySamples('book-flight', 'excel-report', 'pdf', 'ppt', 'recipe-planner')),
    )
    const message = 'We want to reach the Bahamas on an aircraft'
    const shared = { ...model, close: async () => {} }
    expect(await library.upgrade(shared, { cache: false })).toBe(true)
    const { matches, model: name } = await library.search(message)
    expect(name).toBe('hybrid/1 transformers/Xenova/all-MiniLM-L6-v2/q8')
    expect(matches[0]).toMatchObject({ name: 'book-flight' })
    expect(matches[0]?.signals.similarity).toBeGreaterThan(0.25)
  })
})

describe.skipIf(!there)('a model of the user', () => {
  it('[BY-1] is pinned by "digests", on disk too', async () => {
    const file = 'onnx/model_quantized.onnx'
    const load = (digest: string) =>
      transformers({ model: 'all-MiniLM-L6-v2', models, digests: { [file]: digest } })()
    await fails(load(digestOf('another')), 'model-failed', `${file} does not match its digest`)
    await (await load(digestOf(readFileSync(`${models}Xenova/all-MiniLM-L6-v2/${file}`)))).close?.()
  })
})

describe('a missing model', () => {
  it('[BY-1] fails with a hint', async () => {
    const error = await minilm('/nowhere/')().catch(error => error as SkillshelfError)
    expect(error).toMatchObject({
      code: 'model-failed',
      details: { subject: 'Xenova/all-MiniLM-L6-v2' },
    })
    expect((error as Error).message).toContain('/nowhere/Xenova/all-MiniLM-L6-v2/')
  })

  it('[BY-1] leaves the library unchanged', async () => {
    await using library = await openLibrary({
      'a/SKILL.md': '---\nname: a\ndescription: Does things\n---\n',
    })
    const onFailure = vi.fn()
    expect(await library.upgrade(minilm('/nowhere/'), { onFailure })).toBe(false)
    expect(onFailure).toHaveBeenCalledTimes(1)
    expect((await library.search('things')).matches).toHaveLength(1)
  })
})

it('presets set languages, prefixes and lengths, and options override them', () => {
  expect(resolveModel({})).toMatchObject({
    id: 'skillshelf-encoder',
    dtype: 'q4',
    traits: { maxTokens: 120 },
  })
  const small = { id: 'Xenova/all-MiniLM-L6-v2', dtype: 'q8', traits: { languages: ['en'] } }
  expect(resolveModel({ model: 'all-MiniLM-L6-v2' })).toMatchObject(small)
  expect(resolveModel({ model: 'xenova/all-minilm-l6-v2' }).id).toBe('Xenova/all-MiniLM-L6-v2')
  expect(resolveModel({ model: 'me/mine', languages: ['de'], maxTokens: 99 })).toMatchObject({
    id: 'me/mine',
    dtype: 'q8',
    traits: { languages: ['de'], pooling: 'mean', maxTokens: 99 },
  })
})

describe('windows of a long text', () => {
  const words = (text: string): number => text.split(/\s+/).filter(Boolean).length
  const letters = (text: string): number => [...text].length

  it('have similar lengths, lose nothing and end between words', () => {
    const text = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ')
    expect(splitIntoWindows(text, 100, words)).toEqual([text])
    const windows = splitIntoWindows(text, 30, words)
    expect(windows.length).toBe(4)
    expect(windows.join(' ')).toBe(text)
  })

  it('never split a character, even without whitespace', () => {
    const text = '𠮷'.repeat(50)
    const windows = splitIntoWindows(text, 7, letters)
    expect(windows.join('')).toBe(text)
    for (const window of windows) expect(encodeURIComponent(window)).not.toBe('')
  })
})

describe('files of a model', async () => {
  const bytes = new Uint8Array(100_000).map((_, at) => at)
  const { address } = await startHttpServer((request, response) => {
    if (request.url?.endsWith('/slow.bin')) response.write('a')
    else if (request.url?.endsWith('/model.bin')) response.end(bytes)
    else if (request.url?.includes('/moved.bin'))
      response.writeHead(302, { location: '/store/7a1c' }).end()
    else if (request.url?.includes('/store/')) response.end(bytes)
    else response.writeHead(404).end('none')
  })
  const host = `${address}models/me/mine`

  it('returns a file with the expected digest', async () => {
    const response = await verifiedFetch({ digests: { 'onnx/model.bin': digestOf(bytes) } })(
      `${host}/onnx/model.bin`,
    )
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  })

  it('[BY-1] rejects a file with a different digest, and no other file', async () => {
    const fetching = verifiedFetch({ digests: { 'onnx/model.bin': digestOf('another') } })
    const response = await fetching(`${host}/onnx/model.bin`)
    await fails(response.arrayBuffer(), 'model-failed', digestOf(bytes))
    expect((await (await fetching(`${host}/model.bin`)).arrayBuffer()).byteLength).toBe(
      bytes.length,
    )
    expect((await fetching(`${host}/none/onnx/missing.bin`)).status).toBe(404)
  })

  it('[BY-1] rejects a file with a different digest behind a redirect', async () => {
    const fetching = verifiedFetch({ digests: { 'moved.bin': digestOf('another') } })
    for (const address of [
      `${host}/moved.bin`,
      new URL(`${host}/moved.bin`),
      new Request(`${host}/moved.bin?a=b`),
    ])
      await fails((await fetching(address)).arrayBuffer(), 'model-failed', digestOf(bytes))
  })

  const inMap = (): FileStore => {
    const held = new Map<string, Uint8Array<ArrayBuffer>>()
    return {
      match: async address =>
        held.has(address) ? new Response(held.get(address) as Uint8Array<ArrayBuffer>) : undefined,
      put: async (address, response) =>
        void held.set(address, new Uint8Array(await response.arrayBuffer())),
      delete: async address => held.delete(address),
    }
  }
  it.each<[string, () => FileStore]>([
    ['the cache of a page', inMap],
    ['the folder of downloads', () => downloadFolder(temporaryFolder(), `${host}/`)],
  ])('[BY-1] a file in %s with a different digest is fetched again', async (_, createStore) => {
    const store = createStore()
    const address = `${host}/onnx/model.bin`
    const open = () =>
      verifiedFiles(
        { base: `${host}/`, store },
        { 'onnx/model.bin': digestOf(bytes) },
        { isPinned: true },
      )
    const readBytes = async (response: Response | undefined) =>
      response && new Uint8Array(await response.arrayBuffer())
    const first = open()
    expect(await first.cache.match(address)).toBeUndefined()
    await first.cache.put(address, await first.fetch(address))
    expect(await readBytes(await first.cache.match(address))).toEqual(bytes)
    expect(await readBytes(await open().cache.match(address))).toEqual(bytes)
    await store.put(address, new Response(bytes.slice(1)))
    expect(await open().cache.match(address)).toBeUndefined()
    expect(await store.match(address)).toBeUndefined()
    // A pinned model has no other files, wherever they are.
    await store.put(`${host}/more.bin`, new Response(bytes))
    expect(await open().cache.match(`${host}/more.bin`)).toBeUndefined()
    expect((await open().fetch(`${host}/model.bin`)).status).toBe(404)
  })

  it('aborts before and during a download', async () => {
    const abort = new AbortController()
    const response = await verifiedFetch({ signal: abort.signal })(`${host}/slow.bin`)
    abort.abort()
    await expect(response.text()).rejects.toThrow(/abort/i)
  })
})
