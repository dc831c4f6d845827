import { describe, expect, it } from 'vitest'
import {
  type Embedder,
  memory,
  openLibrary,
  type SkillshelfError,
} from '../../src/exports/index.js'
import { threadEmbedder, threadMatcher } from '../../src/exports/thread.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { packedFiles } from '../packed-files.js'
import { librarySuite } from '../suites/library-suite.js'
import { rejection } from './thread-cases.js'

/** Creates workers, and can terminate the last. */
function workers(make: () => Worker) {
  const made: Worker[] = []
  return {
    worker() {
      const one = make()
      made.push(one)
      return one
    },
    made,
    terminate: () => made.at(-1)?.terminate(),
  }
}

const fragile = () =>
  workers(() => new Worker(new URL('./fragile.worker.ts', import.meta.url), { type: 'module' }))
const matcherWorker = () =>
  workers(() => new Worker(new URL('./matcher.worker.ts', import.meta.url), { type: 'module' }))
const script = (text: string) => workers(() => new Worker(URL.createObjectURL(new Blob([text]))))

/** Embeds a text; resolves to the call once the worker has received it. */
async function startCall(embedder: Embedder, text: string, signal?: AbortSignal) {
  let call: Promise<SkillshelfError> | undefined
  await new Promise<void>(resolve => {
    call = rejection(embedder.embed([text], { onProgress: () => resolve(), signal }))
  })
  return { call: call as Promise<SkillshelfError> }
}

describe('an embedder in a Web Worker', () => {
  it('embeds, and loads again after each kind of crash', async () => {
    const { worker, made, terminate } = fragile()
    const load = threadEmbedder({ worker, id: 'lengths' })
    for (const [way, told] of [
      ['crash', 'The worker crashed: Error: out of memory'],
      ['self.close()', 'The worker was terminated'],
      ['terminate()', 'The worker was terminated'],
      ['busy', 'The worker was terminated'],
    ] as const) {
      const embedder = await load()
      expect(embedder.id).toBe('lengths')
      expect(await embedder.embed(['ab', 'c'])).toEqual(Float32Array.of(2, 1))
      const { call } = await startCall(embedder, way === 'terminate()' ? 'silence' : way)
      if (way === 'terminate()' || way === 'busy') terminate()
      const error = await call
      expect(error).toMatchObject({ code: 'thread-failed', message: expect.stringContaining(told) })
      expect(await rejection(embedder.embed(['a']))).toMatchObject({ code: 'thread-failed' })
    }
    expect(made).toHaveLength(4)
  })

  it.each([
    ['before it is ready', 'for (;;) {}'],
    ['before its script is loaded', 'import("https://127.0.0.1:1/never")'],
  ])('[BY-1] a match ends with an error when its worker is terminated %s', async (_, text) => {
    const { worker, terminate } = script(text)
    const matcher = threadMatcher({ worker })
    const pending = rejection(matcher.match({ message: 'slides' }, { limit: 3 }))
    terminate()
    expect(await pending).toMatchObject({
      code: 'thread-failed',
      message: expect.stringContaining('terminated'),
    })
    await matcher.close?.()
  })

  it('[BY-1] a match ends with an error when its worker is terminated and locks are missing', async () => {
    const { locks } = navigator
    Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
    try {
      const { worker, terminate } = fragile()
      const embedder = await threadEmbedder({ worker })()
      const { call } = await startCall(embedder, 'silence')
      terminate()
      expect(await call).toMatchObject({
        code: 'thread-failed',
        message: expect.stringContaining('terminated'),
      })
    } finally {
      Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
    }
  })

  it('rejects an aborted call while the worker is busy', async () => {
    const { worker, terminate } = fragile()
    const embedder = await threadEmbedder({ worker })()
    const stop = new AbortController()
    const { call } = await startCall(embedder, 'busy', stop.signal)
    stop.abort()
    expect(await call).toMatchObject({ code: 'aborted' })
    terminate()
  })

  it('reports a script that cannot be loaded, fails, or is never ready', async () => {
    const missing = workers(() => new Worker('/no/such.worker.js', { type: 'module' }))
    const empty = script('')
    for (const [{ worker }, startTimeout, told] of [
      [missing, undefined, 'could not be loaded'],
      [
        script('throw new Error("early")'),
        undefined,
        'The script of the worker failed: Error: early',
      ],
      [empty, 1, 'was not ready within 1 ms'],
    ] as const) {
      const error = await rejection(threadEmbedder({ worker, startTimeout })())
      expect(error).toMatchObject({ code: 'thread-failed', message: expect.stringContaining(told) })
    }
  })
})

const FILES = {
  'book-flight/SKILL.md': '---\nname: book-flight\ndescription: Book an airline ticket\n---\n',
  'sql/SKILL.md': '---\nname: sql\ndescription: Write database queries\n---\n',
  'slides/SKILL.md': '---\nname: slides\ndescription: 制作演示文稿\n---\n',
}
const MESSAGES = ['book a ticket', '我想订机票', 'presentation deck', 'select from a table', 'zzz']

describe('a library whose matcher is in a Web Worker', () => {
  it('[BY-1] a matcher in a Web Worker finds by meaning, with the results of one in process', async () => {
    await using near = await openLibrary(FILES, { embedder: bundled() })
    await using far = await openLibrary(FILES, {
      embedder: bundled(),
      matcher: threadMatcher({ worker: matcherWorker().worker }),
    })
    for (const message of MESSAGES) {
      expect(await far.search(message)).toEqual(await near.search(message))
      expect(await far.explain(message, 'slides')).toEqual(await near.explain(message, 'slides'))
    }
    const [flight] = (await far.search('我想订机票')).matches
    expect(flight).toMatchObject({ name: 'book-flight', reason: 'close in meaning' })
  })

  it('[BY-1] a matcher in a Web Worker finds by meaning in a packed library without a model in the page', async () => {
    const files = await packedFiles(memory(FILES), { embedder: await bundled() })
    await using near = await openLibrary(memory(files), { embedder: bundled() })
    await using far = await openLibrary(memory(files), {
      matcher: threadMatcher({ worker: matcherWorker().worker }),
    })
    for (const message of MESSAGES)
      expect(await far.search(message)).toEqual(await near.search(message))
    const found = await far.search('我想订机票')
    expect(found.model).toMatch(/^hybrid\/1 /)
    expect(found.matches[0]).toMatchObject({
      name: 'book-flight',
      reason: 'close in meaning',
      signals: { terms: [] },
    })
  })

  it('[BY-1] recovers when its Web Worker is terminated', async () => {
    const { worker, made, terminate } = matcherWorker()
    const matcher = threadMatcher({ worker })
    await using library = await openLibrary(FILES, { embedder: bundled(), matcher })
    const before = await library.search('我想订机票')
    const waiting = [
      rejection(matcher.match({ message: 'a' }, { limit: 1 })),
      rejection(matcher.update({ revision: 'x', segments: [] })),
    ]
    terminate()
    for (const error of await Promise.all(waiting))
      expect(error).toMatchObject({
        code: 'thread-failed',
        message: expect.stringContaining('terminated'),
      })
    expect(await library.search('我想订机票')).toEqual(before)
    expect(made).toHaveLength(2)
  })

  for (const { name, run } of librarySuite(files =>
    openLibrary(files, {
      embedder: bundled(),
      matcher: threadMatcher({ worker: matcherWorker().worker }),
    }),
  ))
    it(`[BY-1] in a Web Worker: ${name}`, run)
})
