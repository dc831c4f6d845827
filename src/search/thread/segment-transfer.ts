import { transfer } from 'comlink'
import type { Vectors } from '../index/vectors.js'
import type { LiveSegment, Matcher } from '../match/skill-match.js'

export type Change = Parameters<Matcher['update']>[0]

/** A change without the bytes and vectors that the worker already has. */
export interface SentChange {
  revision: string
  segments: readonly SentSegment[]
}

interface SentSegment extends Omit<LiveSegment, 'bytes' | 'vectors'> {
  bytes?: LiveSegment['bytes']
  vectors?: Vectors | 'unchanged'
}

/** Page side: removes what was sent before. The rest is copied once, and the copies are transferred. */
export function createSender(): (change: Change) => SentChange {
  let sent: ReadonlyMap<string, Vectors | undefined> = new Map()
  return ({ revision, segments }) => {
    const buffers: ArrayBuffer[] = []
    const transferred = <Copy extends { buffer: ArrayBuffer }>(copy: Copy): Copy => {
      buffers.push(copy.buffer)
      return copy
    }
    const copyVectors = (vectors: Vectors): Vectors => ({
      ...vectors,
      bytes: transferred(new Int8Array(vectors.bytes)),
      scales: transferred(new Float32Array(vectors.scales)),
    })
    const sending = segments.map(({ bytes, vectors, ...rest }) => {
      const segment: SentSegment = rest
      if (!sent.has(rest.key)) segment.bytes = transferred(new Uint8Array(bytes))
      if (vectors) {
        segment.vectors = sent.get(rest.key) === vectors ? 'unchanged' : copyVectors(vectors)
      }
      return segment
    })
    sent = new Map(segments.map(({ key, vectors }) => [key, vectors]))
    return transfer({ revision, segments: sending }, buffers)
  }
}

/** Worker side: restores what the sender removed. It must see every change, in order. */
export function createReceiver(): (change: SentChange) => Change {
  let received: ReadonlyMap<string, LiveSegment> = new Map()
  return ({ revision, segments }) => {
    const restored = segments.map(({ bytes, vectors: sent, ...rest }): LiveSegment => {
      const previous = received.get(rest.key)
      const vectors = sent === 'unchanged' ? previous?.vectors : sent
      return {
        ...rest,
        bytes: bytes ?? (previous as LiveSegment).bytes,
        ...(vectors ? { vectors } : {}),
      }
    })
    received = new Map(restored.map(segment => [segment.key, segment]))
    return { revision, segments: restored }
  }
}
