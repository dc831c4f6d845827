import { isSkillshelfError, SkillshelfError, throwIfAborted } from '../core/errors.js'
import { TIMED_OUT, withTimeout } from '../core/timeout.js'
import { supportsLanguages } from '../embed/languages.js'
import type { Embedder, VectorCache } from '../embed/types.js'
import type { QueryVector } from '../match/types.js'
import type { Vectors } from '../segment/vectors.js'
import { liveKey, skillVectors } from './skill-vectors.js'
import type { State } from './state.js'

/** A model that has joined a library in use: it reads the skills in the background, then the messages. */
export interface Further {
  /** What it made of the skills of a segment, once it has read them all. */
  vectorsOf(key: string): Vectors | undefined
  /** A message as it reads it: `undefined` where it does not cover the language, has skills left to read, or takes too long. */
  read(message: string, signal: AbortSignal | undefined): Promise<QueryVector | undefined>
  /** Reads what it has not read of the library as it is now, piece by piece. Calls while one is under way share it. */
  catchUp(): Promise<void>
  /** Never fails; what is under way ends with `closed`. */
  close(): Promise<void>
}

export interface FurtherOptions {
  cache: VectorCache | undefined
  patience: number
  /** The library as it is now. */
  state: () => State
  /** Hands the matcher what is new. */
  publish: () => Promise<void>
  onProgress: (done: number, total: number) => void
  /** The model cannot be used any more: called once. */
  onFailure: (error: unknown) => void
}

export function createFurther(embedder: Embedder, options: FurtherOptions): Further {
  const { id, dimensions, unrelated, calibration } = embedder
  if (dimensions % 8 > 0)
    throw new SkillshelfError('model-failed', `${id} has ${dimensions} dimensions`, {
      hint: 'a multiple of 8 is needed',
    })
  const covers = supportsLanguages(embedder.languages)
  const skills = skillVectors(embedder, options.cache)
  const made = new Map<string, Vectors>()
  const stop = new AbortController()
  let reading: Promise<void> | undefined
  let late: Promise<unknown> | undefined

  const fail = (error: unknown): void => {
    if (stop.signal.aborted) return
    stop.abort()
    options.onFailure(error)
  }
  const pieces = () =>
    options
      .state()
      .stands.flatMap(stand => stand.shelf.pieces.map(piece => ({ stand, piece, key: liveKey(stand, piece) })))
  const unmade = () => pieces().filter(({ key }) => !made.has(key))

  const readAll = async (): Promise<void> => {
    let done = 0
    for (let left = unmade(); left.length > 0; left = unmade()) {
      const [{ stand, piece, key }] = left as [(typeof left)[number]]
      const total = done + left.reduce((sum, one) => sum + skills.missing(one.stand, one.piece), 0)
      const vectors = await skills.of(stand, piece, {
        signal: stop.signal,
        onRead: count => {
          done += count
          options.onProgress(done, total)
        },
      })
      throwIfAborted(stop.signal)
      made.set(key, vectors)
      await options.publish()
    }
    const there = new Set(pieces().map(({ key }) => key))
    for (const key of made.keys()) if (!there.has(key)) made.delete(key)
    skills.keep(options.state())
  }

  return {
    vectorsOf: key => made.get(key),
    async catchUp() {
      reading ??= readAll()
        .catch(fail)
        .finally(() => {
          reading = undefined
        })
      return reading
    },
    async read(message, signal) {
      if (stop.signal.aborted || late || unmade().length > 0 || !covers(message)) return undefined
      const asked = embedder.embed([message], { kind: 'query', signal })
      try {
        const numbers = await withTimeout(options.patience, () => asked)
        if (numbers !== TIMED_OUT) {
          if (numbers.length !== dimensions)
            throw new SkillshelfError('model-failed', `${id} gave ${numbers.length} numbers for one text`)
          return {
            space: id,
            numbers,
            ...(unrelated === undefined ? {} : { unrelated }),
            ...(calibration ? { calibration } : {}),
          }
        }
        // Until it has answered, no other message waits for it.
        late = asked
          .catch(error => isSkillshelfError(error, 'aborted') || fail(error))
          .finally(() => {
            late = undefined
          })
      } catch (error) {
        if (isSkillshelfError(error, 'aborted')) throwIfAborted(signal)
        fail(error)
      }
      return undefined
    },
    async close() {
      stop.abort()
      await embedder.close?.().catch(() => undefined)
    },
  }
}
