import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createBundled } from '../../src/search/model/bundled/bundled.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { PARTS } from '../../src/search/model/script-parts.js'
import type { SkillModel } from '../../src/search/model/skill-model.js'
import { memory } from '../../src/source/memory.js'
import { startHttpServer } from './http-server.js'

describe('files of the bundled model', () => {
  const read = (part: 'latin' | 'han') =>
    readFileSync(fileURLToPath(new URL(`../../model/${part}.bin`, import.meta.url)))
  const missing = async (): Promise<never> => {
    throw new Error('nothing beside the script')
  }

  it('[BY-1] bundled reads its files from addresses, each once and only when a text needs it', async () => {
    const { address, requests } = await startHttpServer(({ url }, response) =>
      response.end(url === '/latin' ? read('latin') : read('han')),
    )
    const load = createBundled({ readPart: missing })
    const files = { latin: `${address}latin`, han: new URL('/han', address) }
    await load({ files })
    const model = await load({ files })
    expect(requests).toEqual(['GET /latin'])
    await model.prepare?.('机票')
    expect(requests).toEqual(['GET /latin', 'GET /han'])
    const expected = await bundled({ parts: 'all' })
    expect(model.vectorOf('机票 ticket')).toEqual(expected.vectorOf('机票 ticket'))
  })

  it('[BY-1] bundled names the start page of a site that answers for a file, and the setting of Vite', async () => {
    const { address } = await startHttpServer((_, response) =>
      response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>'),
    )
    await expect(
      createBundled({ readPart: missing })({ files: { latin: `${address}latin.bin` } }),
    ).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringMatching(/latin\.bin is a web page.*optimizeDeps/),
    })
  })

  it('[BY-24] a text whose part cannot be loaded has no vector, until it can', async () => {
    const broken = new Set(['hangul.bin'])
    const files = memory(
      Object.fromEntries(
        PARTS.map(part => [
          `${part}.bin`,
          readFileSync(new URL(`../../model/${part}.bin`, import.meta.url)),
        ]),
      ),
    )
    const model = await createBundled({ readPart: missing })({
      files: {
        read: async path =>
          broken.has(path) ? Promise.reject(new Error('offline')) : files.read(path),
      },
    })
    const whole = await bundled({ parts: 'all' })
    const messages = ['항공권 예약', '予約する', 'бронь']
    const flight = { name: 'book-flight', description: 'Books a ticket.', body: '' }
    const skills = messages.map(message => ({ ...flight, messages: [message] }))
    const vectors = (from: SkillModel) =>
      skills.map(skill => [...from.skillVector(skill, new Float32Array(128))])
    const offline = { code: 'source-failed', message: expect.stringContaining('offline') }
    await expect(model.prepare?.(skills)).rejects.toMatchObject(offline)
    const [, ...others] = vectors(whole)
    expect(vectors(model)).toEqual([new Array(128).fill(0), ...others])
    expect([model.coverage?.('ticket 항공권'), ...model.vectorOf('ticket 항공권')]).toEqual(
      new Array(129).fill(0),
    )
    broken.clear()
    await model.prepare?.(skills)
    expect(vectors(model)).toEqual(vectors(whole))
  })

  it('[BY-1] bundled reads its files from bytes, and refuses other bytes', async () => {
    const model = await createBundled({ readPart: missing })({
      parts: ['han'],
      files: { latin: read('latin'), han: read('han') },
    })
    expect(model.vectorOf('机票')).toEqual((await bundled({ parts: 'all' })).vectorOf('机票'))
    await expect(
      createBundled({ readPart: missing })({ files: { latin: new Uint8Array(8) } }),
    ).rejects.toMatchObject({
      code: 'source-failed',
      message: expect.stringContaining('does not match its digest'),
    })
    await expect(createBundled({ readPart: missing })()).rejects.toThrow(
      'pass their addresses as "files"',
    )
  })
})
