// AssemblyScript: see scripts/kernel.ts. Arguments are counts and byte offsets in the memory.

/**
 * Cosines of a message and skills: `out[n] = dot(query, vectors[n]) * scales[n] * step`. Plain: `src/search/match/vector-scan.ts`.
 * @param query i16 × dimensions, with values of `step`.
 * @param dimensions A multiple of 8.
 * @param vectors i8 × dimensions × skills.
 * @param scales f32 × skills.
 * @param out f32 × skills. Rounded up to a multiple of 4 skills, as are the others.
 */
export function cosines(
  query: usize,
  step: f32,
  dimensions: usize,
  vectors: usize,
  scales: usize,
  skills: usize,
  out: usize,
): void {
  const steps = f32x4.splat(step)
  const end = out + skills * 4
  for (; out < end; out += 16, scales += 16, vectors += 3 * dimensions) {
    let a = i32x4.splat(0)
    let b = i32x4.splat(0)
    let c = i32x4.splat(0)
    let d = i32x4.splat(0)
    const next = vectors + dimensions
    for (let from = query; vectors < next; vectors += 8, from += 16) {
      const eight = v128.load(from)
      a = i32x4.add(a, i32x4.dot_i16x8_s(eight, v128.load_ext<i8>(vectors)))
      b = i32x4.add(b, i32x4.dot_i16x8_s(eight, v128.load_ext<i8>(vectors + dimensions)))
      c = i32x4.add(c, i32x4.dot_i16x8_s(eight, v128.load_ext<i8>(vectors + 2 * dimensions)))
      d = i32x4.add(d, i32x4.dot_i16x8_s(eight, v128.load_ext<i8>(vectors + 3 * dimensions)))
    }
    const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7))
    const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7))
    const dots = i32x4.add(
      v128.shuffle<i32>(ab, cd, 0, 1, 4, 5),
      v128.shuffle<i32>(ab, cd, 2, 3, 6, 7),
    )
    v128.store(out, f32x4.mul(f32x4.mul(f32x4.convert_i32x4_s(dots), v128.load(scales)), steps))
  }
}
