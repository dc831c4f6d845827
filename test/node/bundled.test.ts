import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { PARTS } from '../../src/search/model/script-parts.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { directory } from '../../src/source/directory/directory.js'
import { memory } from '../../src/source/memory.js'
import { samples } from '../samples.js'

describe('the bundled model', () => {
  let library: SkillLibrary
  beforeAll(async () => {
    library = await openLibrary(directory(samples), { embedder: bundled() })
  })
  afterAll(() => library.close())

  it.each([
    ['帮我调研AI市场', 'deep_research'],
    ['帮我调研AI Agent市场', 'deep_research'],
    ['帮我做一个PPT', 'ppt'],
  ])('[TD-5] [BY-1] %s finds %s, above 0.7', async (message, name) => {
    const { matches } = await library.match(message)
    expect(matches[0]?.name).toBe(name)
  })

  it.each([
    ['帮我提取 PDF 中的表格', 'pdf'],
    ['我想订一张去东京的机票', 'book-flight'],
  ])('[TD-5] [BY-1] "%s" ranks %s first, which is described in English', async (message, name) => {
    const { matches } = await library.search(message)
    expect(matches[0]?.name).toBe(name)
  })

  it.each(['给我讲个笑话', 'tell me a joke', '今天天气怎么样', 'How tall is Mount Everest?'])(
    '[TD-5] [BY-2] %s is under 0.7',
    async message => {
      const { matches } = await library.match(message)
      expect(matches).toEqual([])
    },
  )
})

describe('files of the bundled model', () => {
  const read = (part: 'latin' | 'han') =>
    readFileSync(fileURLToPath(new URL(`../../model/${part}.bin`, import.meta.url)))
  const missing = async (): Promise<never> => {
    throw new Error('nothing beside the script')
  }

  it('[BY-1] bundled reads its files from addresses, each once and only when a text needs it', async () => {
    const requests: string[] = []
    const server = createServer(({ url = '' }, response) => {
      requests.push(url)
      response.end(url === '/latin' ? read('latin') : read('han'))
    }).listen(0)
    const host = `http://localhost:${(server.address() as AddressInfo).port}`
    try {
      const load = createBundled(missing)
      const files = { latin: `${host}/latin`, han: new URL('/han', host) }
      await load({ files })
      const model = await load({ files })
      expect(requests).toEqual(['/latin'])
      await model.prepare?.('机票')
      expect(requests).toEqual(['/latin', '/han'])
      const expected = await bundled({ parts: 'all' })
      expect(model.vectorOf('机票 ticket')).toEqual(expected.vectorOf('机票 ticket'))
    } finally {
      server.close()
    }
  })

  it('[BY-1] bundled names the start page of a site that answers for a file, and the setting of Vite', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>')
    }).listen(0)
    const latin = `http://localhost:${(server.address() as AddressInfo).port}/latin.bin`
    try {
      await expect(createBundled(missing)({ files: { latin } })).rejects.toMatchObject({
        code: 'source-failed',
        message: expect.stringMatching(/latin\.bin is a web page.*optimizeDeps/),
      })
    } finally {
      server.close()
    }
  })

  it('[BY-24] a text whose part cannot be loaded has no vector, until it can', async () => {
    const broken = new Set(['hangul.bin'])
    const files = memory(
      Object.fromEntries(
        PARTS.map(part => [`${part}.bin`, readFileSync(new URL(`../../model/${part}.bin`, import.meta.url))]),
      ),
    )
    const model = await createBundled(missing)({
      files: { read: async path => (broken.has(path) ? Promise.reject(new Error('offline')) : files.read(path)) },
    })
    const whole = await bundled({ parts: 'all' })
    const skills = ['항공권 예약', '予約する', 'бронь'].map(message => ({
      name: 'book-flight',
      description: 'Books a ticket.',
      messages: [message],
      body: '',
    }))
    const vectors = (from: SkillModel) => skills.map(skill => [...from.skillVector(skill, new Float32Array(128))])
    await expect(model.prepare?.(skills)).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('offline'),
    })
    const [, ...others] = vectors(whole)
    expect(vectors(model)).toEqual([new Array(128).fill(0), ...others])
    expect([model.coverage?.('ticket 항공권'), ...model.vectorOf('ticket 항공권')]).toEqual(new Array(129).fill(0))
    broken.clear()
    await model.prepare?.(skills)
    expect(vectors(model)).toEqual(vectors(whole))
  })

  it('[BY-1] bundled reads its files from bytes, and refuses other bytes', async () => {
    const model = await createBundled(missing)({ parts: ['han'], files: { latin: read('latin'), han: read('han') } })
    expect(model.vectorOf('机票')).toEqual((await bundled({ parts: 'all' })).vectorOf('机票'))
    await expect(createBundled(missing)({ files: { latin: new Uint8Array(8) } })).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('does not match its digest'),
    })
    await expect(createBundled(missing)()).rejects.toMatchObject({
      message: expect.stringContaining('pass their addresses as "files"'),
    })
  })
})
