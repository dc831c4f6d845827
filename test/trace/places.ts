import { digestOf } from '../../src/core/digest.js'
import type { R2BucketLike, R2ObjectLike } from '../../src/exports/cloudflare.js'
import type { SkillEngine } from '../../src/exports/engine.js'
import type { LearnedMessage, LearnedStore } from '../../src/library/api/learned-messages.js'
import type { SkillSource, WritableSource } from '../../src/source/source.js'
import type { Run } from './run.js'

// Places where libraries keep files, of which each operation takes a turn.

/** A source whose reads, listings and writes take turns. */
export function takingTurns<Source extends SkillSource & Partial<WritableSource>>(
  run: Run,
  source: Source,
): Source {
  const { list, write } = source
  const read: SkillSource['read'] = (path, options) => {
    const perform = () => source.read(path, options)
    return run.operation('read', `read of ${path}`, perform, options?.signal)
  }
  const turns: Partial<WritableSource> = { read }
  if (list) {
    turns.list = options =>
      run.operation('read', 'listing', () => list.call(source, options), options?.signal)
  }
  if (write) {
    turns.write = (changes, options) =>
      run.operation('write', 'write', () => write.call(source, changes, options), options?.signal)
  }
  return { ...source, ...turns }
}

/** An engine whose requests take turns. */
export function engineTakingTurns(run: Run, engine: SkillEngine): SkillEngine {
  const READS = ['candidates', 'find', 'page', 'scan']
  const methods = Object.entries(engine).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value]
    const kind = READS.includes(name) ? 'read' : 'write'
    const call = (...args: unknown[]) =>
      run.operation(
        kind,
        name,
        () => (value as (...args: unknown[]) => Promise<unknown>).apply(engine, args),
        (args.at(-1) as { signal?: AbortSignal } | undefined)?.signal,
      )
    return [name, call]
  })
  return Object.fromEntries(methods) as SkillEngine
}

/** A store of learned messages that takes turns. `stored` is what it holds. */
export function learnedTakingTurns(run: Run, stored: { messages: readonly LearnedMessage[] }) {
  return {
    load: () => run.operation('read', 'load', async () => stored.messages),
    update: change =>
      run.operation('write', 'update', async () => {
        stored.messages = change(stored.messages)
      }),
    save: messages =>
      run.operation('write', 'save', async () => {
        stored.messages = messages
      }),
  } satisfies LearnedStore
}

interface StoredObject extends R2ObjectLike {
  bytes: Uint8Array<ArrayBuffer>
}

/** A bucket that answers as R2 does, as far as `r2` uses it. The suites of `r2` run over real ones. */
export function bucketStandIn(run: Run): R2BucketLike {
  const objects = new Map<string, StoredObject>()
  const call = <T>(kind: 'read' | 'write', name: string, perform: () => T): Promise<T> =>
    run.operation(kind, name, async () => perform())
  return {
    head: key => call('read', `head of ${key}`, () => objects.get(key) ?? null),
    async get(key, { onlyIf, range } = {}) {
      return call('read', `get of ${key}`, () => {
        const object = objects.get(key)
        if (!object) return null
        const { bytes, ...head } = object
        if (onlyIf?.etagDoesNotMatch === object.etag) return head
        const { offset = 0, length = object.size - offset } = range ?? {}
        const part = bytes.slice(offset, offset + length)
        return { ...head, bytes: part, arrayBuffer: async () => part.buffer }
      }).then(answer => {
        if (!answer || !('bytes' in answer)) return answer
        // A body that was cut off.
        const { bytes, ...object } = answer
        return { ...object, arrayBuffer: async () => bytes.slice().buffer }
      })
    },
    list: ({ prefix = '' } = {}) =>
      call('read', 'listing', () => ({
        objects: [...objects.values()].filter(({ key }) => key.startsWith(prefix)),
        truncated: false as const,
      })),
    put: (key, value, { onlyIf } = {}) =>
      call('write', `put of ${key}`, () => {
        const before = objects.get(key)
        if (onlyIf?.etagMatches !== undefined && onlyIf.etagMatches !== before?.etag) return null
        if (onlyIf?.etagDoesNotMatch === '*' && before) return null
        const bytes =
          typeof value === 'string' ? new TextEncoder().encode(value) : new Uint8Array(value)
        const digest = digestOf(bytes).slice('sha256:'.length)
        const sha256 = Uint8Array.from(digest.match(/../g) ?? [], hex => Number.parseInt(hex, 16))
        const object: StoredObject = {
          key,
          size: bytes.length,
          etag: digest.slice(0, 32),
          uploaded: new Date(),
          checksums: { sha256: sha256.buffer },
          bytes,
        }
        objects.set(key, object)
        return object
      }),
    delete: keys =>
      call('write', `delete of ${keys.length}`, () => {
        for (const key of keys) objects.delete(key)
      }),
  }
}
