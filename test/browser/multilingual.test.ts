import { expect, it } from 'vitest'
import type { Progress } from '../../src/core/progress.js'
import { openLibrary } from '../../src/exports/index.js'
import { type MultilingualOptions, multilingual } from '../../src/exports/model.js'
import { threadEmbedder } from '../../src/exports/thread.js'
import { tinyModel } from '../core/multilingual-world.js'

const worker = (): Worker => new Worker(new URL('./multilingual.worker.ts', import.meta.url), { type: 'module' })
const { file } = await tinyModel()

it('[CARD-2] multilingual in a Web Worker loads an address with progress, and gives the vectors of the page', async () => {
  const address = URL.createObjectURL(new Blob([file]))
  const steps: Progress[] = []
  const there = await threadEmbedder<MultilingualOptions>({ worker, file: address })({
    onProgress: step => steps.push(step),
  })
  expect(steps.at(-1)).toEqual({ phase: 'load', done: file.length, total: file.length, item: address })
  const here = await multilingual({ file })()
  expect(there).toMatchObject({ id: here.id, dimensions: 16, languages: ['en', 'zh'] })
  const texts = ['teapots', '茶 tea']
  expect(await there.embed(texts)).toEqual(await here.embed(texts))
  await there.close?.()
})

it('[CARD-2] a library continues without multilingual if its file is missing', async () => {
  await using library = await openLibrary({ 'tea/SKILL.md': '---\nname: tea\ndescription: Tea and pots\n---\n' })
  const failures: unknown[] = []
  const upgraded = await library.upgrade(threadEmbedder<MultilingualOptions>({ worker, file: '/no-such-file.bin' }), {
    cache: false,
    onFailure: failure => failures.push(failure),
  })
  expect(upgraded).toBe(false)
  expect(failures).toMatchObject([{ code: 'model-unavailable' }])
  expect((await library.search('pots')).matches[0]?.name).toBe('tea')
})

it('[CARD-2] multilingual can be canceled while it loads', async () => {
  const abort = new AbortController()
  const loading = threadEmbedder<MultilingualOptions>({ worker, file: URL.createObjectURL(new Blob([file])) })({
    signal: abort.signal,
    onProgress: () => abort.abort(),
  })
  await expect(loading).rejects.toMatchObject({ code: 'aborted' })
})
