import { SkillshelfError, throwIfAborted } from '../core/errors.js'
import type { Progress } from '../core/progress.js'
import type { Matcher, MatcherOptions, MatcherResult, MatchQuery, QueryVector, SkillMatch } from '../match/types.js'
import type { SkillId } from '../skill/types.js'
import type { Call } from './calls.js'
import { type Change, createReceiver, createSender, type SentChange } from './segments.js'
import { serve } from './serve.js'
import { startThread, type Thread } from './thread.js'
import type { ThreadOptions, WorkerLike } from './types.js'

type UpdateOptions = NonNullable<Parameters<Matcher['update']>[1]>
type ExplainOptions = NonNullable<Parameters<Matcher['explain']>[2]>

interface MatcherCalls {
  open: Call<unknown, undefined>
  update: Call<SentChange, undefined, Progress>
  match: Call<{ query: MatchQuery; options: Omit<MatcherOptions, 'signal'> }, MatcherResult>
  explain: Call<
    { query: MatchQuery; id: SkillId; options: Omit<ExplainOptions, 'signal'> },
    (SkillMatch & { rank: number }) | undefined
  >
  close: Call<undefined, undefined>
}

/** A worker, and what it knows. */
interface Connection extends Thread<MatcherCalls> {
  toSend: (change: Change) => SentChange
}

const NOTHING: Change = { revision: '', segments: [] }

/**
 * A matcher in a worker whose script calls `serveMatcher`. All further options are for `open` there: plain data. The first call starts the
 * worker, `close()` ends it. Matches that are asked for during an update wait for it.
 *
 * When the worker dies, what waits for it fails with `thread-failed`; the next call starts another, which is given what the last one
 * searched. Without Web Locks (on a page that is no secure context) nobody notices that a worker was terminated from outside.
 * Calls fail with SkillshelfError `thread-failed`, `aborted`, `closed`, and with what the matcher in the worker throws.
 */
export function threadMatcher<Options extends object = Record<string, unknown>>({
  worker,
  startTimeout,
  ...options
}: ThreadOptions & Options): Matcher {
  let current: Connection | undefined
  let closed: SkillshelfError | undefined
  /** What is to be searched. */
  let last = NOTHING
  let updates = 0
  /** Whether the worker may search anything else. */
  let astray = false

  const connect = (signal: AbortSignal | undefined): Connection => {
    if (closed) throw closed
    throwIfAborted(signal)
    if (current?.alive) return current
    const thread = startThread<MatcherCalls>({ worker, startTimeout })
    current = Object.assign(thread, { toSend: createSender() })
    astray = true
    thread.call('open', () => options).catch(endOf(thread))
    return current
  }
  const send = async (to: Connection, change: Change, given?: UpdateOptions): Promise<void> => {
    const update = ++updates
    astray = false
    try {
      await to.call('update', () => to.toSend(change), given)
    } catch (error) {
      // It may have been too late to stop it. A later update settles that.
      if (update === updates) astray = true
      throw error
    }
  }
  /** The worker, which will search what it should by the time it reads the next call. */
  const ready = (signal: AbortSignal | undefined): Connection => {
    const connection = connect(signal)
    if (astray) send(connection, last).catch(endOf(connection))
    return connection
  }

  return {
    async update(change, given) {
      await send(connect(given?.signal), change, given)
      last = change
    },
    async match(query, { signal, ...given }) {
      return ready(signal).call('match', () => ({ query, options: withOwnVector(given) }), { signal })
    },
    async explain(query, id, { signal, ...given } = {}) {
      return ready(signal).call('explain', () => ({ query, id, options: withOwnVector(given) }), { signal })
    },
    async close() {
      closed ??= new SkillshelfError('closed', 'The matcher was closed')
      last = NOTHING
      await current?.close('The matcher was closed')
    },
  }
}

/** What a worker cannot do without has failed. One that is closing already has its time. */
function endOf(thread: Thread<MatcherCalls>): (error: SkillshelfError) => void {
  return error => {
    if (thread.alive) thread.end(error)
  }
}

/** A vector without the others on its buffer, which would be cloned with it. */
function withOwnVector<Given extends { vector?: QueryVector | undefined }>(given: Given): Given {
  const { vector } = given
  return vector ? { ...given, vector: { ...vector, numbers: new Float32Array(vector.numbers) } } : given
}

/**
 * Makes the script of a worker the other side of `threadMatcher`, whose further options `open` gets:
 *
 *     serveMatcher(async () => localMatcher({ embedder: await bundled() }))
 *
 * @param scope Where calls come from. Default: the page that made the worker.
 */
export function serveMatcher<Options>(
  open: (options: Options) => Matcher | Promise<Matcher>,
  scope?: WorkerLike,
): void {
  const receive = createReceiver()
  let matcher: Promise<Matcher> | undefined
  let updated: Promise<unknown> = Promise.resolve()
  /** Once it searches what came before. */
  const settled = async (): Promise<Matcher> => {
    await updated
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
        const updating = settled().then(one => one.update(change, context))
        updated = updating.catch(() => {})
        await updating
        return undefined
      },
      async match({ query, options }, { signal }) {
        return (await settled()).match(query, { ...options, signal })
      },
      async explain({ query, id, options }, { signal }) {
        return (await settled()).explain(query, id, { ...options, signal })
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
