/** The pairs of each batch: all pairs in a new order every epoch. */
import { randomFrom } from '../random.js'
import { shared } from './encode.js'

export interface OrderOptions {
  kinds: Uint8Array
  /** Visits per epoch of the pairs of each kind. 1.5 visits half of them twice. */
  weights: readonly number[]
  batch: number
  epochs: number
  seed: number
}

/** Returns pair numbers batch by batch, and the number of batches. */
export function orderPairs({ kinds, weights, batch, epochs, seed }: OrderOptions): {
  order: Uint32Array<SharedArrayBuffer>
  steps: number
} {
  const random = randomFrom(seed)
  const order: number[] = []
  for (let epoch = 0; epoch < epochs; epoch++) {
    const epochOrder: number[] = []
    for (let pair = 0; pair < kinds.length; pair++) {
      const weight = weights[kinds[pair] as number] as number
      const times = Math.floor(weight) + (random() < weight % 1 ? 1 : 0)
      for (let time = 0; time < times; time++) epochOrder.push(pair)
    }
    for (let at = epochOrder.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1))
      const kept = epochOrder[at] as number
      epochOrder[at] = epochOrder[other] as number
      epochOrder[other] = kept
    }
    // Pairs that do not fill a batch are left for another epoch.
    for (let at = 0; at < epochOrder.length - (epochOrder.length % batch); at++) order.push(epochOrder[at] as number)
  }
  return { order: shared(Uint32Array<SharedArrayBuffer>, order), steps: order.length / batch }
}
