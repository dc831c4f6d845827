import { expect, it, vi } from 'vitest'
import { SkillshelfError } from '../../src/core/errors.js'
import { serveEmbedder, threadEmbedder, type WorkerLike } from '../../src/exports/thread.js'
import type { Embedder, EmbedderLoader, EmbedOptions, LoadOptions } from '../../src/search/model/skill-model.js'
import { serve } from '../../src/search/thread/serve.js'

// Both halves in one thread, a channel between them: what Node and a page have in common.

interface Sent {
  message: { type?: string; argumentList?: { value: unknown }[] }
  transfer: readonly ArrayBuffer[]
}

/** Where workers are made: each a port whose other end is served here. */
function place(serve: (scope: WorkerLike) => void) {
  const sent: Sent[] = []
  const ports: MessagePort[] = []
  let closed = 0
  const worker = (): WorkerLike => {
    const { port1, port2 } = new MessageChannel()
    serve(port2)
    ports.push(port1)
    return {
      postMessage(message, transfer) {
        sent.push({ message: message as Sent['message'], transfer })
        port1.postMessage(message, transfer)
      },
      addEventListener: (type, listener) => port1.addEventListener(type, listener),
      removeEventListener: (type, listener) => port1.removeEventListener(type, listener),
      start: () => port1.start(),
      close() {
        closed++
        port1.close()
      },
    }
  }
  return {
    worker,
    sent,
    /** Inputs of the calls of this name that were sent. */
    inputs: <Input>(name: string): Input[] =>
      sent.flatMap(({ message: { argumentList = [] } }) =>
        argumentList[1]?.value === name ? [argumentList[2]?.value as Input] : [],
      ),
    get made() {
      return ports.length
    },
    get closed() {
      return closed
    },
    /** The last worker fires this event. */
    fire: (type: string, message?: string) =>
      ports.at(-1)?.dispatchEvent(Object.assign(new Event(type), message ? { message } : {})),
  }
}

function later<Value = void>() {
  let resolve: (value: Value) => void = () => {}
  const promise = new Promise<Value>(done => {
    resolve = done
  })
  return { promise, resolve }
}

const never = (): Promise<never> => new Promise(() => {})

const rejection = (promise: Promise<unknown>): Promise<SkillshelfError> =>
  promise.then(
    value => {
      throw new Error(`resolved to ${JSON.stringify(value)}`)
    },
    error => error,
  )

/** An embedder that says of each text how long it is. */
const lengths = (more: Partial<Embedder> = {}): Embedder => ({
  id: 'lengths/1',
  dimensions: 2,
  languages: ['en', 'zh'],
  embed: async (texts, { onProgress } = {}) => {
    for (const at of texts.keys()) onProgress?.({ phase: 'embed', done: at + 1, total: texts.length })
    return Float32Array.from(texts.flatMap(text => [text.length, 1]))
  },
  ...more,
})

const served = (embedder: Embedder) => place(scope => serveEmbedder(() => async () => embedder, scope))

export function embedderCases(): void {
  it('embeds with the same results and properties as in process', async () => {
    const asked: unknown[] = []
    const embedder = lengths({
      unrelated: 0.1,
      embed: async (texts, options) => {
        asked.push(options?.kind)
        return Float32Array.from(texts, text => text.length)
      },
    })
    const { worker } = place(scope =>
      serveEmbedder((options: { model: string }) => {
        asked.push(options)
        return async () => embedder
      }, scope),
    )
    const far = await threadEmbedder({ worker, model: 'small' })()
    const { id, dimensions, languages, unrelated } = far
    expect({ id, dimensions, languages, unrelated }).toEqual({
      id: 'lengths/1',
      dimensions: 2,
      languages: ['en', 'zh'],
      unrelated: 0.1,
    })
    expect('calibration' in far).toBe(false)
    expect(await far.embed(['a', 'abc'], { kind: 'query' })).toEqual(Float32Array.of(1, 3))
    await far.embed([])
    expect(asked).toEqual([{ model: 'small' }, 'query', undefined])
    await far.close?.()
  })

  it('reports progress of loading and embedding', async () => {
    const steps: unknown[] = []
    const load = (): EmbedderLoader => async (options?: LoadOptions) => {
      options?.onProgress?.({ phase: 'load', done: 1, total: 4, item: 'a.onnx' })
      options?.onProgress?.({ phase: 'load', done: 4, total: 4, item: 'a.onnx' })
      return lengths()
    }
    const { worker } = place(scope => serveEmbedder(load, scope))
    const far = await threadEmbedder({ worker })({ onProgress: step => steps.push(step) })
    await far.embed(['a', 'b'], { onProgress: step => steps.push(step) })
    expect(steps).toEqual([
      { phase: 'load', done: 1, total: 4, item: 'a.onnx' },
      { phase: 'load', done: 4, total: 4, item: 'a.onnx' },
      { phase: 'embed', done: 1, total: 2 },
      { phase: 'embed', done: 2, total: 2 },
    ])
    const thrown = far.embed(['a'], {
      onProgress: () => {
        throw new RangeError('no room')
      },
    })
    await expect(thrown).rejects.toThrow('no room')
    await far.close?.()
  })

  it('does not mix up answers', async () => {
    const first = later()
    const { worker } = served(
      lengths({
        embed: async ([text = '']) => {
          if (text === 'first') await first.promise
          return Float32Array.of(text.length)
        },
      }),
    )
    const far = await threadEmbedder({ worker })()
    const slow = far.embed(['first'])
    expect(await far.embed(['it'])).toEqual(Float32Array.of(2))
    first.resolve()
    expect(await slow).toEqual(Float32Array.of(5))
    await far.close?.()
  })

  it('transfers errors with code, details and causes', async () => {
    const root = new TypeError('no network', { cause: 'cable' })
    const { worker } = served(
      lengths({
        embed: async ([text = '']) => {
          if (text === 'own')
            throw new SkillshelfError('too-large', 'Too long', { subject: text, hint: 'cut it' }, root)
          throw new RangeError('out of memory')
        },
      }),
    )
    const far = await threadEmbedder({ worker })()
    const own = await rejection(far.embed(['own']))
    expect(own).toBeInstanceOf(SkillshelfError)
    expect(own.toJSON()).toEqual({
      code: 'too-large',
      message: 'Too long (cut it)',
      subject: 'own',
      hint: 'cut it',
    })
    expect(own.cause).toMatchObject({ name: 'TypeError', message: 'no network', cause: { message: 'cable' } })
    expect(Object.keys(own)).not.toContain('cause')
    const other = await rejection(far.embed(['other']))
    expect(other).toMatchObject({ code: 'model-failed', message: 'The model failed: out of memory' })
    expect(other.cause).toMatchObject({ name: 'RangeError', message: 'out of memory' })
    await far.close?.()
  })

  it('reports a failed load, ends that worker, and can load again', async () => {
    let broken = true
    const load = (): EmbedderLoader => async () => {
      if (broken) throw new SkillshelfError('model-failed', 'No such model', { status: 404 })
      return lengths()
    }
    const at = place(scope => serveEmbedder(load, scope))
    const loader = threadEmbedder({ worker: at.worker })
    expect(await rejection(loader())).toMatchObject({ code: 'model-failed', details: { status: 404 } })
    expect(at.closed).toBe(1)
    broken = false
    const far = await loader()
    expect(at.made).toBe(2)
    await far.close?.()
  })

  it('rejects at once when aborted, and aborts the embedder', async () => {
    const [asked, stopped] = [later(), later()]
    const { worker, sent } = served(
      lengths({
        embed: (_, { signal }: EmbedOptions = {}) => {
          asked.resolve()
          signal?.addEventListener('abort', () => stopped.resolve())
          return never()
        },
      }),
    )
    const far = await threadEmbedder({ worker })()
    const stop = new AbortController()
    const waiting = rejection(far.embed(['a'], { signal: stop.signal }))
    await asked.promise
    const reason = new Error('typed on')
    stop.abort(reason)
    const error = await waiting
    expect(error).toMatchObject({ code: 'aborted', name: 'AbortError' })
    expect(error.cause).toBe(reason)
    await stopped.promise
    const before = sent.length
    expect((await rejection(far.embed(['a'], { signal: stop.signal }))).cause).toBe(reason)
    expect(sent).toHaveLength(before)
    await far.close?.()
  })

  it('stops loading when aborted, and ends the worker', async () => {
    const [asked, stopped] = [later(), later()]
    const load = (): EmbedderLoader => options => {
      asked.resolve()
      options?.signal?.addEventListener('abort', () => stopped.resolve())
      return never()
    }
    const at = place(scope => serveEmbedder(load, scope))
    const stop = new AbortController()
    const waiting = rejection(threadEmbedder({ worker: at.worker })({ signal: stop.signal }))
    await asked.promise
    stop.abort()
    expect(await waiting).toMatchObject({ code: 'aborted' })
    await stopped.promise
    expect(at.closed).toBe(1)
    expect(await rejection(threadEmbedder({ worker: at.worker })({ signal: stop.signal }))).toMatchObject({
      code: 'aborted',
    })
    expect(at.made).toBe(1)
  })

  it('transfers vectors instead of copying them, and copies views on larger buffers', async () => {
    const all = Float32Array.of(1, 2, 3, 4)
    const given: Float32Array[] = [Float32Array.of(5, 6), all.subarray(1, 3)]
    const { worker } = served(lengths({ embed: async ([at]) => given[Number(at)] as Float32Array }))
    const far = await threadEmbedder({ worker })()
    expect(await far.embed(['0'])).toEqual(Float32Array.of(5, 6))
    expect(given[0]?.byteLength).toBe(0)
    const part = await far.embed(['1'])
    expect([part, part.buffer.byteLength]).toEqual([Float32Array.of(2, 3), 8])
    expect(all).toEqual(Float32Array.of(1, 2, 3, 4))
    await far.close?.()
  })

  it('close ends the embedder, the worker and pending calls', async () => {
    let closed = 0
    const asked = later()
    const at = served(
      lengths({
        embed: () => {
          asked.resolve()
          return never()
        },
        close: async () => void closed++,
      }),
    )
    const far = await threadEmbedder({ worker: at.worker })()
    const waiting = rejection(far.embed(['a']))
    await asked.promise
    await far.close?.()
    expect(await waiting).toMatchObject({ code: 'closed', message: 'The embedder was closed' })
    expect(await rejection(far.embed(['a']))).toMatchObject({ code: 'closed' })
    await far.close?.()
    expect([closed, at.closed]).toEqual([1, 1])
  })

  it('ends a worker that is not ready in time, and keeps one that is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const silent = place(() => {})
      const given = [undefined, 5, Number.POSITIVE_INFINITY].map(startTimeout => {
        const loading = threadEmbedder({ worker: silent.worker, startTimeout })()
        const outcome = { error: undefined as SkillshelfError | undefined }
        loading.catch(error => {
          outcome.error = error
        })
        return outcome
      })
      await vi.advanceTimersByTimeAsync(5)
      expect(given.map(({ error }) => error?.code)).toEqual([undefined, 'thread-failed', undefined])
      await vi.advanceTimersByTimeAsync(60_000)
      expect(given.map(({ error }) => error?.code)).toEqual(['thread-failed', 'thread-failed', undefined])
      expect(given[0]?.error?.message).toContain('was not ready within 60000 ms')
      expect(given[0]?.error?.details.hint).toContain('serveEmbedder')
      expect(silent.closed).toBe(2)
      vi.clearAllTimers()

      const far = await threadEmbedder({ worker: served(lengths()).worker })()
      expect(vi.getTimerCount()).toBe(0)
      await far.close?.()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })

  it('ends a worker whose close never returns', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const at = served(lengths({ close: never }))
      const far = await threadEmbedder({ worker: at.worker })()
      const closing = far.close?.()
      await vi.advanceTimersByTimeAsync(5_000)
      await closing
      expect(at.closed).toBe(1)
    } finally {
      vi.useRealTimers()
    }
  })

  it('fails pending calls with the cause when the worker dies', async () => {
    const asked: (() => void)[] = []
    const at = served(
      lengths({
        embed: () => {
          asked.pop()?.()
          return never()
        },
      }),
    )
    for (const [type, message, told] of [
      ['error', 'Uncaught Error: boom', 'The worker crashed: Uncaught Error: boom'],
      ['error', undefined, 'The worker crashed'],
      ['messageerror', undefined, 'A message of the worker could not be read'],
      ['close', undefined, 'The port to the worker was closed'],
    ] as const) {
      const far = await threadEmbedder({ worker: at.worker })()
      const { promise, resolve } = later()
      asked.push(resolve)
      const waiting = [rejection(far.embed(['a'])), rejection(far.embed(['b']))]
      await promise
      at.fire(type, message)
      for (const error of await Promise.all([...waiting, rejection(far.embed(['c']))])) {
        expect(error.code).toBe('thread-failed')
        expect(error.message.startsWith(told)).toBe(true)
        expect(error.details.hint).toBeTruthy()
      }
      await far.close?.()
      expect(await rejection(far.embed(['c']))).toMatchObject({ code: 'closed' })
    }
  })

  it('distinguishes a script that cannot be loaded from one that fails', async () => {
    const at = place(() => {})
    const load = threadEmbedder({ worker: at.worker })
    const missing = rejection(load())
    at.fire('error')
    expect((await missing).message).toContain('could not be loaded')
    const failing = rejection(load())
    at.fire('error', 'Uncaught SyntaxError')
    expect((await failing).message).toContain('The script of the worker failed: Uncaught SyntaxError')
  })

  it('reports invalid use', async () => {
    const { worker } = served(lengths())
    expect(await rejection(threadEmbedder({ worker, onLoad: () => {} })())).toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('plain data'),
    })
    const refused = new DOMException('not of this origin', 'SecurityError')
    const unmade = threadEmbedder({
      worker: () => {
        throw refused
      },
    })
    expect(await rejection(unmade())).toMatchObject({ code: 'thread-failed', cause: refused })
    const other = place(scope => serve({}, '', scope))
    expect(await rejection(threadEmbedder({ worker: other.worker })())).toMatchObject({
      code: 'thread-failed',
      details: { hint: expect.stringContaining('serveEmbedder') },
    })
  })
}
