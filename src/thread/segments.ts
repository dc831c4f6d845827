import { transfer } from 'comlink'
import type { LiveSegment, Matcher } from '../match/types.js'
import type { Vectors } from '../segment/vectors.js'

export type Change = Parameters<Matcher['update']>[0]

/** A change as it crosses: without the bytes and vectors that the worker has. */
export interface SentChange {
  revision: string
  segments: readonly SentSegment[]
}

interface SentSegment extends Omit<LiveSegment, 'bytes' | 'vectors'> {
  bytes?: LiveSegment['bytes']
  vectors?: Vectors | 'as before'
}

/** For the page: takes out what went over before. Bytes and vectors are copied once, and the copies moved. */
export function createSender(): (change: Change) => SentChange {
  let there: ReadonlyMap<string, Vectors | undefined> = new Map()
  return ({ revision, segments }) => {
    const moved: ArrayBuffer[] = []
    const moving = <Numbers extends { buffer: ArrayBuffer }>(copy: Numbers): Numbers => {
      moved.push(copy.buffer)
      return copy
    }
    const vectorsOf = (vectors: Vectors): Vectors => ({
      ...vectors,
      bytes: moving(new Int8Array(vectors.bytes)),
      scales: moving(new Float32Array(vectors.scales)),
      signs: moving(new Uint8Array(vectors.signs)),
    })
    const sent = segments.map(
      ({ bytes, vectors, ...rest }): SentSegment => ({
        ...rest,
        ...(there.has(rest.key) ? {} : { bytes: moving(new Uint8Array(bytes)) }),
        ...(vectors ? { vectors: there.get(rest.key) === vectors ? 'as before' : vectorsOf(vectors) } : {}),
      }),
    )
    there = new Map(segments.map(({ key, vectors }) => [key, vectors]))
    return transfer({ revision, segments: sent }, moved)
  }
}

/** For the worker: puts in again what the sender took out. Must see every change, in order. */
export function createReceiver(): (change: SentChange) => Change {
  let here: ReadonlyMap<string, LiveSegment> = new Map()
  return ({ revision, segments }) => {
    const whole = segments.map(({ bytes, vectors, ...rest }): LiveSegment => {
      const before = here.get(rest.key)
      const now = vectors === 'as before' ? before?.vectors : vectors
      return { ...rest, bytes: bytes ?? (before as LiveSegment).bytes, ...(now ? { vectors: now } : {}) }
    })
    here = new Map(whole.map(segment => [segment.key, segment]))
    return { revision, segments: whole }
  }
}
