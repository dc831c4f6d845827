// AssemblyScript: see scripts/kernel.ts. Arguments are counts and byte offsets in the memory.

/**
 * A tile of a product of matrices: four rows by eight outputs. Plain: `src/search/model/multilingual/matrix.ts`.
 * @param from f32: the first row of inputs. The next is `fromStride` bytes after it.
 * @param inputs A multiple of 4.
 * @param panel f32 × 4 × inputs, the weights of the first four outputs; then those of the other four.
 * @param to f32: the first row of outputs. The next is `toStride` bytes after it.
 */
export function four(from: usize, fromStride: usize, inputs: usize, panel: usize, to: usize, toStride: usize): void {
  const end = from + inputs * 4
  const half = inputs * 16
  const second = fromStride
  const third = 2 * fromStride
  const fourth = 3 * fromStride
  let a0 = f32x4.splat(0)
  let a1 = f32x4.splat(0)
  let b0 = f32x4.splat(0)
  let b1 = f32x4.splat(0)
  let c0 = f32x4.splat(0)
  let c1 = f32x4.splat(0)
  let d0 = f32x4.splat(0)
  let d1 = f32x4.splat(0)
  for (; from < end; from += 4, panel += 16) {
    const first = v128.load(panel)
    const other = v128.load(panel + half)
    let input = v128.load_splat<f32>(from)
    a0 = f32x4.add(a0, f32x4.mul(input, first))
    a1 = f32x4.add(a1, f32x4.mul(input, other))
    input = v128.load_splat<f32>(from + second)
    b0 = f32x4.add(b0, f32x4.mul(input, first))
    b1 = f32x4.add(b1, f32x4.mul(input, other))
    input = v128.load_splat<f32>(from + third)
    c0 = f32x4.add(c0, f32x4.mul(input, first))
    c1 = f32x4.add(c1, f32x4.mul(input, other))
    input = v128.load_splat<f32>(from + fourth)
    d0 = f32x4.add(d0, f32x4.mul(input, first))
    d1 = f32x4.add(d1, f32x4.mul(input, other))
  }
  v128.store(to, a0)
  v128.store(to, a1, 16)
  to += toStride
  v128.store(to, b0)
  v128.store(to, b1, 16)
  to += toStride
  v128.store(to, c0)
  v128.store(to, c1, 16)
  to += toStride
  v128.store(to, d0)
  v128.store(to, d1, 16)
}

/** One row by eight outputs. Arguments as of `four`. */
export function one(from: usize, inputs: usize, panel: usize, to: usize): void {
  const end = from + inputs * 4
  const half = inputs * 16
  let a0 = f32x4.splat(0)
  let a1 = f32x4.splat(0)
  for (; from < end; from += 4, panel += 16) {
    const input = v128.load_splat<f32>(from)
    a0 = f32x4.add(a0, f32x4.mul(input, v128.load(panel)))
    a1 = f32x4.add(a1, f32x4.mul(input, v128.load(panel + half)))
  }
  v128.store(to, a0)
  v128.store(to, a1, 16)
}
