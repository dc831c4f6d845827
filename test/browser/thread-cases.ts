import { expect, it, onTestFinished, vi } from 'vitest'
import { memory, openLibrary, SkillshelfError } from '../../src/exports/index.js'
import { localMatcher, type Matcher } from '../../src/exports/match.js'
import {
  type LiveSegment,
  type MatcherOptions,
  serveEmbedder,
  serveMatcher,
  threadEmbedder,
  threadMatcher,
  type WorkerLike,
} from '../../src/exports/thread.js'
import { createVectorsWriter } from '../../src/search/index/vectors.js'
import type { Embedder, EmbedderLoader, LoadOptions } from '../../src/search/model/skill-model.js'
import { deferred } from '../deferred.js'
import { fakeTimers } from '../fake-timers.js'

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

const never = (): Promise<never> => new Promise(() => {})

/** A call that never ends: it says that it was made, and that it was aborted. */
function hanging() {
  const [asked, stopped] = [deferred(), deferred()]
  const call = (
    _: unknown,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<never> => {
    asked.resolve()
    signal?.addEventListener('abort', () => stopped.resolve())
    return never()
  }
  return { call, asked: asked.promise, stopped: stopped.promise }
}

/** The error of a promise, which must not resolve. */
export const rejection = (promise: Promise<unknown>): Promise<SkillshelfError> =>
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
    for (const at of texts.keys())
      onProgress?.({ phase: 'embed', done: at + 1, total: texts.length })
    return Float32Array.from(texts.flatMap(text => [text.length, 1]))
  },
  ...more,
})

const served = (embedder: Partial<Embedder> = {}) =>
  place(scope => serveEmbedder(() => async () => lengths(embedder), scope))

/** Loads an embedder that is closed after the test. */
async function loaded(worker: () => WorkerLike): Promise<Embedder> {
  const far = await threadEmbedder({ worker })()
  onTestFinished(() => far.close?.())
  return far
}

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
    expect([id, dimensions, languages, unrelated]).toEqual(['lengths/1', 2, ['en', 'zh'], 0.1])
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
    const fail = () => {
      throw new RangeError('no room')
    }
    await expect(far.embed(['a'], { onProgress: fail })).rejects.toThrow('no room')
  })

  it('does not mix up answers', async () => {
    const first = deferred()
    const { worker } = served({
      embed: async ([text = '']) => {
        if (text === 'first') await first.promise
        return Float32Array.of(text.length)
      },
    })
    const far = await loaded(worker)
    const slow = far.embed(['first'])
    expect(await far.embed(['it'])).toEqual(Float32Array.of(2))
    first.resolve()
    expect(await slow).toEqual(Float32Array.of(5))
  })

  it('transfers errors with code, details and causes', async () => {
    const root = new TypeError('no network', { cause: 'cable' })
    const { worker } = served({
      embed: async ([text = '']) => {
        if (text === 'own')
          throw new SkillshelfError(
            'too-large',
            'Too long',
            { subject: text, hint: 'cut it' },
            root,
          )
        throw new RangeError('out of memory')
      },
    })
    const far = await loaded(worker)
    const own = await rejection(far.embed(['own']))
    expect(own).toBeInstanceOf(SkillshelfError)
    expect(own.toJSON()).toEqual({
      code: 'too-large',
      message: 'Too long (cut it)',
      subject: 'own',
      hint: 'cut it',
    })
    expect(own.cause).toMatchObject({
      name: 'TypeError',
      message: 'no network',
      cause: { message: 'cable' },
    })
    expect(Object.keys(own)).not.toContain('cause')
    const other = await rejection(far.embed(['other']))
    expect(other).toMatchObject({
      code: 'model-failed',
      message: 'The model failed: out of memory',
    })
    expect(other.cause).toMatchObject({ name: 'RangeError', message: 'out of memory' })
  })

  it('reports a failed load, ends that worker, and can load again', async () => {
    let broken = true
    const load = (): EmbedderLoader => async () => {
      if (broken) throw new SkillshelfError('model-failed', 'No such model', { status: 404 })
      return lengths()
    }
    const at = place(scope => serveEmbedder(load, scope))
    const loader = threadEmbedder({ worker: at.worker })
    expect(await rejection(loader())).toMatchObject({
      code: 'model-failed',
      details: { status: 404 },
    })
    expect(at.closed).toBe(1)
    broken = false
    const far = await loader()
    expect(at.made).toBe(2)
    await far.close?.()
  })

  it('rejects at once when aborted, and aborts the embedder', async () => {
    const { call, asked, stopped } = hanging()
    const { worker, sent } = served({ embed: call })
    const far = await loaded(worker)
    const stop = new AbortController()
    const waiting = rejection(far.embed(['a'], { signal: stop.signal }))
    await asked
    const reason = new Error('typed on')
    stop.abort(reason)
    const error = await waiting
    expect(error).toMatchObject({ code: 'aborted', name: 'AbortError' })
    expect(error.cause).toBe(reason)
    await stopped
    const before = sent.length
    expect((await rejection(far.embed(['a'], { signal: stop.signal }))).cause).toBe(reason)
    expect(sent).toHaveLength(before)
  })

  it('stops loading when aborted, and ends the worker', async () => {
    const { call, asked, stopped } = hanging()
    const at = place(scope => serveEmbedder(() => options => call(undefined, options), scope))
    const stop = new AbortController()
    const waiting = rejection(threadEmbedder({ worker: at.worker })({ signal: stop.signal }))
    await asked
    stop.abort()
    expect(await waiting).toMatchObject({ code: 'aborted' })
    await stopped
    expect(at.closed).toBe(1)
    const again = rejection(threadEmbedder({ worker: at.worker })({ signal: stop.signal }))
    expect(await again).toMatchObject({ code: 'aborted' })
    expect(at.made).toBe(1)
  })

  it('transfers vectors instead of copying them, and copies views on larger buffers', async () => {
    const all = Float32Array.of(1, 2, 3, 4)
    const given: Float32Array[] = [Float32Array.of(5, 6), all.subarray(1, 3)]
    const { worker } = served({ embed: async ([at]) => given[Number(at)] as Float32Array })
    const far = await loaded(worker)
    expect(await far.embed(['0'])).toEqual(Float32Array.of(5, 6))
    expect(given[0]?.byteLength).toBe(0)
    const part = await far.embed(['1'])
    expect([part, part.buffer.byteLength]).toEqual([Float32Array.of(2, 3), 8])
    expect(all).toEqual(Float32Array.of(1, 2, 3, 4))
  })

  it('close ends the embedder, the worker and pending calls', async () => {
    let closed = 0
    const { call, asked } = hanging()
    const at = served({ embed: call, close: async () => void closed++ })
    const far = await threadEmbedder({ worker: at.worker })()
    const waiting = rejection(far.embed(['a']))
    await asked
    await far.close?.()
    expect(await waiting).toMatchObject({ code: 'closed', message: 'The embedder was closed' })
    expect(await rejection(far.embed(['a']))).toMatchObject({ code: 'closed' })
    await far.close?.()
    expect([closed, at.closed]).toEqual([1, 1])
  })

  it('ends a worker that is not ready in time, and keeps one that is', async () => {
    fakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
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
    expect(given.map(({ error }) => error?.code)).toEqual([
      'thread-failed',
      'thread-failed',
      undefined,
    ])
    expect(given[0]?.error?.message).toContain('was not ready within 60000 ms')
    expect(given[0]?.error?.details.hint).toContain('serveEmbedder')
    expect(silent.closed).toBe(2)
    vi.clearAllTimers()

    const far = await threadEmbedder({ worker: served().worker })()
    expect(vi.getTimerCount()).toBe(0)
    await far.close?.()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends a worker whose close never returns', async () => {
    fakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const at = served({ close: never })
    const far = await threadEmbedder({ worker: at.worker })()
    const closing = far.close?.()
    await vi.advanceTimersByTimeAsync(5_000)
    await closing
    expect(at.closed).toBe(1)
  })

  it('fails pending calls with the cause when the worker dies', async () => {
    const asked: (() => void)[] = []
    const at = served({
      embed: () => {
        asked.pop()?.()
        return never()
      },
    })
    for (const [type, message, told] of [
      ['error', 'Uncaught Error: boom', 'The worker crashed: Error: boom'],
      ['error', undefined, 'The worker crashed'],
      ['messageerror', undefined, 'A message of the worker could not be read'],
      ['close', undefined, 'The port to the worker was closed'],
    ] as const) {
      const far = await threadEmbedder({ worker: at.worker })()
      const { promise, resolve } = deferred()
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
    expect((await failing).message).toContain('The script of the worker failed: SyntaxError')
  })

  it('reports invalid use', async () => {
    const { worker } = served()
    const message = expect.stringContaining('plain data')
    const code = 'invalid-input'
    expect(await rejection(threadEmbedder({ worker, onLoad: () => {} })())).toMatchObject({
      code,
      message,
    })
    const refused = new DOMException('not of this origin', 'SecurityError')
    const refuse = () => {
      throw refused
    }
    const failed = { code: 'thread-failed', cause: refused }
    expect(await rejection(threadEmbedder({ worker: refuse })())).toMatchObject(failed)
    const details = { hint: expect.stringContaining('serveEmbedder') }
    const error = await rejection(threadEmbedder({ worker: matching().worker })())
    expect(error).toMatchObject({ code: 'thread-failed', details })
  })
}

const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n`
const FILES = {
  'slides/SKILL.md': skill('slides', 'Makes slides for a talk'),
  'flight/SKILL.md': skill('flight', '预订机票，查询航班'),
  'bill/SKILL.md': skill('bill', 'Checks a bill for a talk'),
}

/** What a library gives its matcher for these files. */
async function liveOf(files: Record<string, string>): Promise<LiveSegment[]> {
  const given: LiveSegment[] = []
  const matcher: Matcher = {
    ...localMatcher(),
    update: async ({ segments }) => void given.push(...segments),
  }
  await openLibrary(memory(files), { matcher })
  return given
}

interface Update {
  segments: { key: string; bytes?: Uint8Array; vectors?: unknown }[]
}

/** Where matchers are, with members of their own. */
const matching = (change: (inner: Matcher) => Partial<Matcher> = () => ({})) =>
  place(scope =>
    serveMatcher(() => {
      const inner = localMatcher()
      return { ...inner, ...change(inner) }
    }, scope),
  )

/** The best match of a message. */
const first = (matcher: Matcher, message: string) => matcher.match({ message }, { limit: 1 })

export function matcherCases(): void {
  it('gives a library the same matches as in process', async () => {
    const { worker } = matching()
    await using near = await openLibrary(memory(FILES))
    await using far = await openLibrary(memory(FILES), { matcher: threadMatcher({ worker }) })
    for (const library of [near, far])
      expect((await library.search('a talk')).matches).toHaveLength(2)
    for (const message of [
      'a talk',
      'slides',
      '查询航班',
      'nothing of it',
      '',
      { message: 'more', history: ['a bill'] },
    ]) {
      expect(await far.search(message)).toEqual(await near.search(message))
      const options = { language: 'zh', limit: 1, origins: ['memory'] } as const
      expect(await far.search(message, options)).toEqual(await near.search(message, options))
      expect(await far.explain(message, 'bill')).toEqual(await near.explain(message, 'bill'))
    }
    expect((await far.search('a talk', { origins: ['elsewhere'] })).matches).toEqual([])
  })

  it('sends each segment once, as a transferred copy', async () => {
    const at = matching()
    const matcher = threadMatcher({ worker: at.worker })
    const [one, two] = await Promise.all([
      liveOf(FILES),
      liveOf({ 'b/SKILL.md': skill('boat', 'Sails') }),
    ])
    const steps: unknown[] = []
    await matcher.update({ revision: '1', segments: one }, { onProgress: step => steps.push(step) })
    const all = [...one, ...two].map((segment, index) => ({ ...segment, key: `${index}` }))
    await matcher.update({ revision: '2', segments: [...one, ...all.slice(1)] })
    const moved = at.sent.flatMap(({ transfer }) => transfer)
    expect(moved).toHaveLength(2)
    for (const buffer of moved) expect(buffer.byteLength).toBe(0)
    for (const { bytes } of all) expect(bytes.byteLength).toBeGreaterThan(0)
    const sent = at
      .inputs<Update>('update')
      .map(({ segments }) => segments.map(({ bytes }) => bytes !== undefined))
    expect(sent).toEqual([[true], [false, true]])
    expect(steps).toEqual([{ phase: 'update', done: 1, total: 1 }])
    expect(await first(matcher, 'slides')).toMatchObject({ matches: [{ name: 'slides' }] })
    expect(await first(matcher, 'sails')).toMatchObject({ matches: [{ name: 'boat' }] })
    // What was left out is forgotten, and goes over again.
    await matcher.update({ revision: '3', segments: all.slice(1) })
    await matcher.update({ revision: '4', segments: one })
    expect(at.inputs<Update>('update').at(-1)?.segments[0]?.bytes).toBeDefined()
    expect(await first(matcher, 'slides')).toMatchObject({ revision: '4' })
    await matcher.close()
  })

  it('sends vectors only when they change', async () => {
    const updates: (readonly LiveSegment[])[] = []
    const at = matching(() => ({ update: async ({ segments }) => void updates.push(segments) }))
    const matcher = threadMatcher({ worker: at.worker })
    const [live] = (await liveOf(FILES)) as [LiveSegment]
    const vectors = (first: number) => {
      const writer = createVectorsWriter('space', 8)
      for (let skills = 0; skills < 3; skills++) writer.add([first, 0, 0, 0, 0, 0, 0, -1])
      return writer.finish()
    }
    const own = vectors(1)
    for (const given of [own, own, vectors(0.5), undefined, own])
      await matcher.update({
        revision: 'r',
        segments: [{ ...live, ...(given ? { vectors: given } : {}) }],
      })
    expect(updates.map(([segment]) => segment?.vectors)).toEqual([
      own,
      own,
      vectors(0.5),
      undefined,
      own,
    ])
    expect(updates[1]?.[0]?.vectors).toBe(updates[0]?.[0]?.vectors)
    expect(at.sent.map(({ transfer }) => transfer.length).filter(Boolean)).toEqual([3, 2, 2])
    expect(own.bytes.byteLength).toBe(24)
    await matcher.close()
  })

  it('sends options, and a vector without the rest of its buffer', async () => {
    const given: MatcherOptions[] = []
    const { worker } = matching(() => ({
      async match(_, options) {
        given.push(options)
        return { revision: '', served: 0, matches: [], model: 'm', complete: true }
      },
    }))
    const matcher = threadMatcher({ worker })
    const numbers = Float32Array.of(1, 2, 3, 4).subarray(1, 3)
    const vector = { space: 's', numbers }
    await matcher.match(
      { message: 'a' },
      { limit: 2, only: new Set(['x/y']), language: 'zh', vector },
    )
    const signal = expect.any(AbortSignal)
    expect(given).toEqual([{ limit: 2, only: new Set(['x/y']), language: 'zh', vector, signal }])
    expect(given[0]?.vector?.numbers.buffer.byteLength).toBe(8)
    await matcher.close()
  })

  it('restores the segments in a new worker', async () => {
    let deadly = false
    const at = matching(({ match }) => ({
      match(query, options) {
        if (!deadly) return match(query, options)
        deadly = false
        at.fire('error', 'out of memory')
        return never()
      },
    }))
    await using library = await openLibrary(memory(FILES), {
      matcher: threadMatcher({ worker: at.worker }),
    })
    const before = await library.search('a talk')
    deadly = true
    const message = expect.stringContaining('out of memory')
    expect(await rejection(library.search('a talk'))).toMatchObject({
      code: 'thread-failed',
      message,
    })
    const both = await Promise.all([library.search('a talk'), library.search('slides')])
    expect(both[0]).toEqual(before)
    expect(both[1].matches[0]?.name).toBe('slides')
    expect(at.made).toBe(2)
    expect(at.inputs('update')).toHaveLength(2)
    // A worker that dies while nobody waits is not missed.
    at.fire('error')
    expect(await library.search('a talk')).toEqual(before)
    expect(at.made).toBe(3)
  })

  it('recovers from a worker that dies during an update', async () => {
    let deadly = false
    const at = matching(({ update }) => ({
      async update(change) {
        if (!deadly) return update(change)
        deadly = false
        at.fire('error', 'boom')
        return never()
      },
    }))
    const matcher = threadMatcher({ worker: at.worker })
    const segments = await liveOf(FILES)
    deadly = true
    expect(await rejection(matcher.update({ revision: '1', segments }))).toMatchObject({
      code: 'thread-failed',
    })
    expect(await first(matcher, 'slides')).toMatchObject({ abstained: 'empty-library' })
    await matcher.update({ revision: '1', segments })
    deadly = true
    expect(await rejection(matcher.update({ revision: '2', segments: [] }))).toMatchObject({
      code: 'thread-failed',
    })
    expect(await first(matcher, 'slides')).toMatchObject({
      revision: '1',
      matches: [{ name: 'slides' }],
    })
    expect(at.made).toBe(3)
    await matcher.close()
  })

  it('keeps the previous segments if an update is aborted or fails', async () => {
    let asked = deferred()
    const { worker } = matching(({ update }) => ({
      // It hears of the signal too late.
      update(change) {
        asked.resolve()
        return update(change)
      },
    }))
    const matcher = threadMatcher({ worker })
    const segments = await liveOf(FILES)
    const slides = { revision: '1', matches: [{ name: 'slides' }] }
    await matcher.update({ revision: '1', segments })

    const stop = new AbortController()
    asked = deferred()
    const aborted = rejection(
      matcher.update({ revision: '2', segments: [] }, { signal: stop.signal }),
    )
    await asked.promise
    stop.abort()
    expect(await aborted).toMatchObject({ code: 'aborted' })
    expect(await first(matcher, 'slides')).toMatchObject(slides)

    const broken = { key: 'broken', bytes: new Uint8Array(8), ids: [], dead: [] }
    const failed = await rejection(matcher.update({ revision: '3', segments: [broken] }))
    expect(failed).toMatchObject({ code: 'format', details: { subject: 'broken' } })
    expect(await first(matcher, 'slides')).toMatchObject(slides)
    await matcher.close()
  })

  it('processes a match after the updates before it', async () => {
    const arrived = deferred()
    const { worker } = place(scope => {
      serveMatcher(() => {
        const inner = localMatcher()
        return {
          ...inner,
          async update(change) {
            await arrived.promise
            return inner.update(change)
          },
        }
      }, scope)
      // A task later: a match that did not wait would be under way by then.
      scope.addEventListener('message', event => {
        const { argumentList } = (event as MessageEvent<Sent['message']>).data
        if (argumentList?.[1]?.value === 'match') setTimeout(arrived.resolve)
      })
    })
    const matcher = threadMatcher({ worker })
    const updated = matcher.update({ revision: '1', segments: await liveOf(FILES) })
    expect(await first(matcher, 'slides')).toMatchObject({
      revision: '1',
      matches: [{ name: 'slides' }],
    })
    await updated
    await matcher.close()
  })

  it('aborts a match in the worker', async () => {
    const { call, asked, stopped } = hanging()
    const at = matching(() => ({ match: call }))
    const matcher = threadMatcher({ worker: at.worker })
    const over = AbortSignal.abort('before')
    const updating = rejection(matcher.update({ revision: '1', segments: [] }, { signal: over }))
    expect(await updating).toMatchObject({ code: 'aborted', cause: 'before' })
    const explaining = rejection(matcher.explain({ message: 'a' }, 'x/y', { signal: over }))
    expect(await explaining).toMatchObject({ code: 'aborted' })
    expect(at.made).toBe(0)
    const stop = new AbortController()
    const waiting = rejection(matcher.match({ message: 'a' }, { limit: 1, signal: stop.signal }))
    await asked
    stop.abort('enough')
    expect(await waiting).toMatchObject({ code: 'aborted', cause: 'enough' })
    await stopped
    await matcher.close()
  })

  it('opens again after a failure to open', async () => {
    let broken = true
    const at = place(scope =>
      serveMatcher(({ model }: { model: string }) => {
        if (broken) throw new SkillshelfError('source-failed', `No ${model}`)
        return localMatcher()
      }, scope),
    )
    const matcher = threadMatcher({ worker: at.worker, model: 'weights' })
    const segments = await liveOf(FILES)
    const failed = await rejection(matcher.update({ revision: '1', segments }))
    expect(failed).toMatchObject({ code: 'source-failed', message: 'No weights' })
    expect(at.closed).toBe(1)
    broken = false
    await matcher.update({ revision: '1', segments })
    expect((await first(matcher, 'slides')).matches).toHaveLength(1)
    await matcher.close()
  })

  it('close ends the matcher, the worker and pending calls', async () => {
    let closed = 0
    const { call, asked } = hanging()
    const at = matching(() => ({ match: call, close: async () => void closed++ }))
    const matcher = threadMatcher({ worker: at.worker })
    const waiting = rejection(first(matcher, 'a'))
    await asked
    await matcher.close()
    expect(await waiting).toMatchObject({ code: 'closed', message: 'The matcher was closed' })
    for (const call of [
      () => first(matcher, 'a'),
      () => matcher.update({ revision: '', segments: [] }),
      () => matcher.explain({ message: 'a' }, 'x/y'),
    ])
      expect(await rejection(call())).toMatchObject({ code: 'closed' })
    await matcher.close()
    expect([closed, at.closed, at.made]).toEqual([1, 1, 1])
    await threadMatcher({ worker: at.worker }).close()
    expect(at.made).toBe(1)
  })
}
