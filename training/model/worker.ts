/** A training thread: computes its shards of each phase, then waits for the others. */
import { parentPort, workerData } from 'node:worker_threads'
import { catchUp, update } from './adam.js'
import { compare, pullLeft, pullRight, sumTexts, totals } from './loss.js'
import { type Memory, SHARDS } from './memory.js'
import { createOccurrences, type Occurrences } from './occurrences.js'

const WAITING = 0
const OPENED = 1
const DONE = 2
/** Spins at the barrier before the thread sleeps. */
const SPINS = 2_000

const { memory, thread } = workerData as { memory: Memory; thread: number }
run(memory, thread)
parentPort?.postMessage('done')

function run(all: Memory, own: number): void {
  const { settings, control, losses } = all
  const { steps, batch, dimensions, rows } = settings
  const occurrences = createOccurrences(all)
  const gradient = new Float64Array(dimensions)
  const each = (work: (shard: number) => void): void => {
    for (let shard = own; shard < SHARDS; shard += settings.threads) work(shard)
    meet(control, settings.threads)
  }
  for (let step = 0; step < steps; step++) {
    const rate = settings.rate * (1 - step / steps)
    occurrences.read(step)
    each(shard => {
      const { from, to } = touchedOf(occurrences, shard)
      for (let index = from; index < to; index++)
        catchUp(all, occurrences.touched[index] as number, dimensions, step, rate)
    })
    each(shard => sumTexts(all, occurrences, shard))
    each(shard => compare(all, shard))
    const columns = totals(all.columnSums, batch * 2)
    each(shard => pullLeft(all, columns, shard))
    const pulls = totals(all.columnPulls, batch * 2)
    each(shard => pullRight(all, pulls, shard))
    if (own === 0) {
      losses[step] = all.shardLosses.reduce((sum, loss) => sum + loss, 0)
      Atomics.store(control, DONE, step + 1)
    }
    each(shard => move(all, occurrences, shard, gradient, step + 1, rate))
  }
  each(shard => {
    for (let row = shard; row < rows; row += SHARDS) catchUp(all, row, dimensions, steps, 0)
  })
}

function touchedOf({ count }: Occurrences, shard: number): { from: number; to: number } {
  return { from: Math.floor((count * shard) / SHARDS), to: Math.floor((count * (shard + 1)) / SHARDS) }
}

/** Sums the gradients of the texts with a row, and updates the row. */
function move(
  all: Memory,
  occurrences: Occurrences,
  shard: number,
  gradient: Float64Array,
  step: number,
  rate: number,
): void {
  const { touched, texts, textStarts } = occurrences
  const { dimensions } = all.settings
  const { from, to } = touchedOf(occurrences, shard)
  for (let index = from; index < to; index++) {
    gradient.fill(0)
    for (let at = textStarts[index] as number; at < (textStarts[index + 1] as number); at++) {
      const text = texts[at] as number
      const gradients = all.gradients[text & 1] as Float32Array
      const start = (text >> 1) * dimensions
      for (let d = 0; d < dimensions; d++) gradient[d] = (gradient[d] as number) + (gradients[start + d] as number)
    }
    update(all, touched[index] as number, gradient, step, rate)
  }
}

/** Returns when all threads have reached the barrier. */
function meet(control: Int32Array, threads: number): void {
  const opened = Atomics.load(control, OPENED)
  if (Atomics.add(control, WAITING, 1) + 1 === threads) {
    Atomics.store(control, WAITING, 0)
    Atomics.add(control, OPENED, 1)
    Atomics.notify(control, OPENED)
    return
  }
  for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(control, OPENED) !== opened) return
  while (Atomics.load(control, OPENED) === opened) Atomics.wait(control, OPENED, opened)
}
