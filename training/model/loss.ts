/**
 * Symmetric InfoNCE (van den Oord et al. 2018; both directions as in CLIP) over the pairs of a batch: with cosines c and scale s,
 *     L = 1/2B sum_i -log( exp(s c_ii) / sum_j exp(s c_ij) ) - log( exp(s c_ii) / sum_j exp(s c_ji) )
 * once over all dimensions and once over the first ones (Matryoshka; Kusupati et al. 2022). The work of each function is one shard:
 * some rows of the batch's matrix. Whatever crosses shards is added up in the order of shards.
 */
import { dots } from './matrix.js'
import { type Memory, SHARDS } from './memory.js'
import type { Occurrences } from './occurrences.js'

/** Sums the rows of each text: the vectors, also transposed, and 1 / their lengths. */
export function sumTexts(memory: Memory, occurrences: Occurrences, shard: number): void {
  const { settings, table } = memory
  const { batch, dimensions, first } = settings
  const { rows, starts } = occurrences
  const size = batch / SHARDS
  for (let side = 0; side < 2; side++) {
    const vectors = memory.vectors[side] as Float32Array
    const across = memory.across[side] as Float32Array
    const inverse = memory.inverse[side] as Float32Array
    for (let i = shard * size; i < (shard + 1) * size; i++) {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions)
      vector.fill(0)
      for (let at = starts[i * 2 + side] as number; at < (starts[i * 2 + side + 1] as number); at++) {
        const row = (rows[at] as number) * dimensions
        for (let d = 0; d < dimensions; d++) vector[d] = (vector[d] as number) + (table[row + d] as number)
      }
      let sum = 0
      for (let d = 0; d < dimensions; d++) {
        const value = vector[d] as number
        across[d * batch + i] = value
        sum += value * value
        if (d + 1 === first) inverse[batch + i] = 1 / Math.sqrt(Math.max(sum, 1e-12))
      }
      inverse[i] = 1 / Math.sqrt(Math.max(sum, 1e-12))
    }
  }
}

/** Dot products of left and right, their exponentials, and the sums of those over rows and (this shard's part) over columns. */
export function compare(memory: Memory, shard: number): void {
  const { settings, encoded, order, wholeDots, prefixDots, whole, prefix, rowSums, columnSums } = memory
  const { batch, dimensions, first, scale } = settings
  const size = batch / SHARDS
  const from = shard * size
  const [left, right] = memory.vectors as [Float32Array, Float32Array]
  const [leftInverse, rightInverse] = memory.inverse as [Float32Array, Float32Array]
  const start = from * dimensions
  dots(prefixDots, from * batch, batch, left, start, dimensions, size, right, 0, dimensions, batch, first)
  dots(
    wholeDots,
    from * batch,
    batch,
    left,
    start + first,
    dimensions,
    size,
    right,
    first,
    dimensions,
    batch,
    dimensions - first,
  )
  const sums = columnSums.subarray(shard * batch * 2, (shard + 1) * batch * 2)
  sums.fill(0)
  const step = (memory.control[2] as number) * batch
  for (let i = from; i < from + size; i++) {
    const pair = order[step + i] as number
    const leftGroup = encoded.groups[pair * 2]
    const rightGroup = encoded.groups[pair * 2 + 1]
    const wholeFactor = leftInverse[i] as number
    const prefixFactor = leftInverse[batch + i] as number
    let wholeSum = 0
    let prefixSum = 0
    for (let j = 0; j < batch; j++) {
      const at = i * batch + j
      const partly = prefixDots[at] as number
      const wholly = partly + (wholeDots[at] as number)
      wholeDots[at] = wholly
      const other = order[step + j] as number
      if (i !== j && (encoded.groups[other * 2] === leftGroup || encoded.groups[other * 2 + 1] === rightGroup)) {
        whole[at] = 0
        prefix[at] = 0
        continue
      }
      const w = Math.fround(Math.exp(scale * (wholly * wholeFactor * (rightInverse[j] as number) - 1)))
      const p = Math.fround(Math.exp(scale * (partly * prefixFactor * (rightInverse[batch + j] as number) - 1)))
      whole[at] = w
      prefix[at] = p
      wholeSum += w
      prefixSum += p
      sums[j] = (sums[j] as number) + w
      sums[batch + j] = (sums[batch + j] as number) + p
    }
    rowSums[i] = wholeSum
    rowSums[batch + i] = prefixSum
  }
}

/** Adds up what all shards have of each column, in their order. */
export function totals(parts: Float64Array, length: number): Float64Array {
  const sums = new Float64Array(length)
  for (let shard = 0; shard < SHARDS; shard++)
    for (let at = 0; at < length; at++) sums[at] = (sums[at] as number) + (parts[shard * length + at] as number)
  return sums
}

/** The gradient with respect to the dot products, its transpose, and from it that of the left vectors. */
export function pullLeft(memory: Memory, columns: Float64Array, shard: number): void {
  const { settings, wholeDots, prefixDots, whole, prefix, wholeAcross, prefixAcross, rowSums } = memory
  const { batch, dimensions, first, scale } = settings
  const size = batch / SHARDS
  const from = shard * size
  const [leftInverse, rightInverse] = memory.inverse as [Float32Array, Float32Array]
  const pulls = memory.columnPulls.subarray(shard * batch * 2, (shard + 1) * batch * 2)
  pulls.fill(0)
  const own = new Float64Array(size * 2)
  let loss = 0
  for (let i = from; i < from + size; i++) {
    const wholeFactor = leftInverse[i] as number
    const prefixFactor = leftInverse[batch + i] as number
    const wholeRow = 1 / (rowSums[i] as number)
    const prefixRow = 1 / (rowSums[batch + i] as number)
    let wholePull = 0
    let prefixPull = 0
    for (let j = 0; j < batch; j++) {
      const at = i * batch + j
      const w = wholeFactor * (rightInverse[j] as number)
      const p = prefixFactor * (rightInverse[batch + j] as number)
      let gw = (whole[at] as number) * (wholeRow + 1 / (columns[j] as number))
      let gp = (prefix[at] as number) * (prefixRow + 1 / (columns[batch + j] as number))
      if (i === j) {
        loss -= Math.log((whole[at] as number) * wholeRow) + Math.log((whole[at] as number) / (columns[j] as number))
        loss -= Math.log((prefix[at] as number) * prefixRow)
        loss -= Math.log((prefix[at] as number) / (columns[batch + j] as number))
        gw -= 2
        gp -= 2
      }
      gw *= scale / (2 * batch)
      gp *= scale / (2 * batch)
      const wc = gw * w * (wholeDots[at] as number)
      const pc = gp * p * (prefixDots[at] as number)
      wholePull += wc
      prefixPull += pc
      pulls[j] = (pulls[j] as number) + wc
      pulls[batch + j] = (pulls[batch + j] as number) + pc
      const wholly = gw * w
      const both = wholly + gp * p
      whole[at] = wholly
      prefix[at] = both
      wholeAcross[j * batch + i] = wholly
      prefixAcross[j * batch + i] = both
    }
    own[i - from] = wholePull
    own[size + i - from] = prefixPull
  }
  memory.shardLosses[shard] = loss / (2 * batch)
  const out = memory.gradients[0] as Float32Array
  const other = memory.across[1] as Float32Array
  gather(out, from, prefix, whole, other, batch, dimensions, first, size)
  for (let i = 0; i < size; i++)
    straighten(memory, 0, from + i, own[i] as number, own[size + i] as number, dimensions, first)
}

/** The gradient of the right vectors. */
export function pullRight(memory: Memory, pulls: Float64Array, shard: number): void {
  const { settings, wholeAcross, prefixAcross } = memory
  const { batch, dimensions, first } = settings
  const size = batch / SHARDS
  const from = shard * size
  const out = memory.gradients[1] as Float32Array
  gather(out, from, prefixAcross, wholeAcross, memory.across[0] as Float32Array, batch, dimensions, first, size)
  for (let j = from; j < from + size; j++)
    straighten(memory, 1, j, pulls[j] as number, pulls[batch + j] as number, dimensions, first)
}

function gather(
  out: Float32Array,
  from: number,
  prefix: Float32Array,
  whole: Float32Array,
  across: Float32Array,
  batch: number,
  dimensions: number,
  first: number,
  size: number,
): void {
  dots(out, from * dimensions, dimensions, prefix, from * batch, batch, size, across, 0, batch, first, batch)
  dots(
    out,
    from * dimensions + first,
    dimensions,
    whole,
    from * batch,
    batch,
    size,
    across,
    first * batch,
    batch,
    dimensions - first,
    batch,
  )
}

/** Takes the part along the vector itself out of a gradient: only the direction counts. */
function straighten(
  memory: Memory,
  side: number,
  i: number,
  wholePull: number,
  prefixPull: number,
  dimensions: number,
  first: number,
): void {
  const vectors = memory.vectors[side] as Float32Array
  const gradients = memory.gradients[side] as Float32Array
  const inverse = memory.inverse[side] as Float32Array
  const w = wholePull * (inverse[i] as number) ** 2
  const p = prefixPull * (inverse[memory.settings.batch + i] as number) ** 2
  for (let d = 0; d < dimensions; d++) {
    const at = i * dimensions + d
    gradients[at] = (gradients[at] as number) - (w + (d < first ? p : 0)) * (vectors[at] as number)
  }
}
