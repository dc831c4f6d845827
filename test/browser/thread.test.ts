import { describe, expect, it } from 'vitest'
import type { SkillshelfError } from '../../src/core/errors.js'
import { threadEmbedder } from '../../src/exports/thread.js'
import type { Embedder } from '../../src/search/model/skill-model.js'

const rejection = (promise: Promise<unknown>): Promise<SkillshelfError> =>
  promise.then(
    value => {
      throw new Error(`resolved to ${JSON.stringify(value)}`)
    },
    error => error,
  )

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

const fragile = () => workers(() => new Worker(new URL('./fragile.worker.ts', import.meta.url), { type: 'module' }))
const script = (text: string) => workers(() => new Worker(URL.createObjectURL(new Blob([text]))))

/** Embeds a text; resolves to the call once the worker has received it. */
async function startCall(
  embedder: Embedder,
  text: string,
  signal?: AbortSignal,
): Promise<{ call: Promise<SkillshelfError> }> {
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
      ['crash', 'The worker crashed: Uncaught Error: out of memory'],
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

  it('a call ends with an error when its worker is terminated and locks are missing', async () => {
    const { locks } = navigator
    Object.defineProperty(navigator, 'locks', { value: undefined, configurable: true })
    try {
      const { worker, terminate } = fragile()
      const embedder = await threadEmbedder({ worker })()
      const { call } = await startCall(embedder, 'silence')
      terminate()
      expect(await call).toMatchObject({ code: 'thread-failed', message: expect.stringContaining('terminated') })
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

  it('closes while calls are pending', async () => {
    const { worker } = fragile()
    const embedder = await threadEmbedder({ worker })()
    const { call } = await startCall(embedder, 'silence')
    await embedder.close?.()
    expect(await call).toMatchObject({ code: 'closed' })
  })

  it('reports a script that cannot be loaded, fails, or is never ready', async () => {
    const missing = workers(() => new Worker('/no/such.worker.js', { type: 'module' }))
    const empty = script('')
    for (const [{ worker }, startTimeout, told] of [
      [missing, undefined, 'could not be loaded'],
      [script('throw new Error("early")'), undefined, 'The script of the worker failed: Uncaught Error: early'],
      [empty, 1, 'was not ready within 1 ms'],
    ] as const) {
      const error = await rejection(threadEmbedder({ worker, startTimeout })())
      expect(error).toMatchObject({ code: 'thread-failed', message: expect.stringContaining(told) })
    }
  })
})
