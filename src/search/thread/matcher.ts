import { SkillshelfError, throwIfAborted } from '../../core/errors.js'
import type { Progress } from '../../core/progress.js'
import type { SkillId } from '../../skill/skill.js'
import type {
  Matcher,
  MatcherOptions,
  MatcherResult,
  MatchQuery,
  QueryVector,
} from '../match/skill-match.js'
import type { Call, ThreadOptions, WorkerLike } from './protocol.js'
import { type Change, createReceiver, createSender, type SentChange } from './segment-transfer.js'
import { serve } from './serve.js'
import { startThread, type Thread } from './thread.js'

type UpdateOptions = NonNullable<Parameters<Matcher['update']>[1]>

interface MatcherCalls {
  open: Call<unknown, undefined>
  update: Call<SentChange, undefined, Progress>
  match: Call<{ query: MatchQuery; options: Omit<MatcherOptions, 'signal'> }, MatcherResult>
  explain: Call<
    { query: MatchQuery; id: SkillId; options: Omit<MatcherOptions, 'signal' | 'limit' | 'only'> },
    Awaited<ReturnType<Matcher['explain']>>
  >
  close: Call<undefined, undefined>
}

/** A worker, and the segments that were sent to it. */
interface Connection extends Thread<MatcherCalls> {
  toSend: (change: Change) => SentChange
}

const EMPTY: Change = { revision: '', segments: [] }

/**
 * Runs a matcher in a worker whose script calls `serveMatcher`.
 *
 * The first call starts the worker, `close()` ends it. Matches requested during an update wait for it. If the worker dies, pending calls fail
 * with `thread-failed`; the next call starts another worker and restores its segments. Without Web Locks (insecure contexts), a worker
 * that closes itself is not detected.
 * @param options `worker` and `startTimeout`; all other options are passed to `open` in the worker and must be plain data.
 * @returns A matcher for the `matcher` option of `openLibrary`. Its calls throw `thread-failed`, `aborted`, `closed`, and the errors of the
 * matcher in the worker.
 * @example
 * const worker = () => new Worker(new URL('./matcher.worker.js', import.meta.url), { type: 'module' })
 * const library = await openLibrary('/skills/', { matcher: threadMatcher({ worker }) })
 */
export function threadMatcher<Options extends object = Record<string, unknown>>({
  worker,
  startTimeout,
  ...options
}: ThreadOptions & Options): Matcher {
  let current: Connection | undefined
  let closed: SkillshelfError | undefined
  /** The segments to search, restored in a new worker. */
  let lastChange = EMPTY
  let updates = 0
  /** True if the worker may hold other segments than `lastChange`. */
  let outOfSync = false

  const connect = (signal: AbortSignal | undefined): Connection => {
    if (closed) throw closed
    throwIfAborted(signal)
    if (current?.alive) return current
    const thread = startThread<MatcherCalls>({ worker, startTimeout })
    current = Object.assign(thread, { toSend: createSender() })
    outOfSync = true
    thread.call('open', () => options).catch(endOnError(thread))
    return current
  }
  const sendUpdate = async (
    connection: Connection,
    change: Change,
    updateOptions?: UpdateOptions,
  ): Promise<void> => {
    const update = ++updates
    outOfSync = false
    try {
      await connection.call('update', () => connection.toSend(change), updateOptions)
    } catch (error) {
      // The worker may have applied the update before it was canceled. A later update settles that.
      if (update === updates) outOfSync = true
      throw error
    }
  }
  /** The worker, with an update on its way if it is out of sync. Calls are processed in order. */
  const connectInSync = (signal: AbortSignal | undefined): Connection => {
    const connection = connect(signal)
    if (outOfSync) sendUpdate(connection, lastChange).catch(endOnError(connection))
    return connection
  }

  return {
    async update(change, updateOptions) {
      await sendUpdate(connect(updateOptions?.signal), change, updateOptions)
      lastChange = change
    },
    async match(query, { signal, ...rest }) {
      return connectInSync(signal).call('match', () => ({ query, options: compactVector(rest) }), {
        signal,
      })
    },
    async explain(query, id, { signal, ...rest } = {}) {
      return connectInSync(signal).call(
        'explain',
        () => ({ query, id, options: compactVector(rest) }),
        { signal },
      )
    },
    async close() {
      closed ??= new SkillshelfError('closed', 'The matcher was closed')
      lastChange = EMPTY
      await current?.close('The matcher was closed')
    },
  }
}

/** Ends a worker whose essential call failed. A worker that is closing ends by itself. */
function endOnError(thread: Thread<MatcherCalls>): (error: SkillshelfError) => void {
  return error => {
    if (thread.alive) thread.end(error)
  }
}

/** Copies the vector, because cloning a view clones its whole buffer. */
function compactVector<Options extends { vector?: QueryVector | undefined }>(
  options: Options,
): Options {
  const { vector } = options
  return vector
    ? { ...options, vector: { ...vector, numbers: new Float32Array(vector.numbers) } }
    : options
}

/**
 * Serves a matcher to `threadMatcher`. Call it in the script of a worker.
 * @param open Receives the options of `threadMatcher` and returns a matcher.
 * @param scope Where calls arrive. Default: the page that created the worker.
 * @example
 * serveMatcher(async () => localMatcher({ embedder: await bundled() }))
 */
export function serveMatcher<Options>(
  open: (options: Options) => Matcher | Promise<Matcher>,
  scope?: WorkerLike,
): void {
  const receive = createReceiver()
  let matcher: Promise<Matcher> | undefined
  let lastUpdate: Promise<unknown> = Promise.resolve()
  const afterUpdate = async (): Promise<Matcher> => {
    await lastUpdate
    return matcher as Promise<Matcher>
  }
  serve<MatcherCalls>(
    {
      async open(options) {
        matcher = (async () => open(options as Options))()
        await matcher
        return undefined
      },
      async update(sent, context) {
        const change = receive(sent)
        const updating = afterUpdate().then(opened => opened.update(change, context))
        lastUpdate = updating.catch(() => {})
        await updating
        return undefined
      },
      async match({ query, options }, { signal }) {
        return (await afterUpdate()).match(query, { ...options, signal })
      },
      async explain({ query, id, options }, { signal }) {
        return (await afterUpdate()).explain(query, id, { ...options, signal })
      },
      async close() {
        await (await matcher)?.close()
        return undefined
      },
    },
    'The matcher failed',
    scope,
  )
}
