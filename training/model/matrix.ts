/**
 * `out[i * stride + j] = a[i] . b[j]` for rows i of `from..to` and all `columns` rows j, over `length` numbers of each row.
 * Blocks of 4 x 4: each number that is read takes part in four products. `from`, `to` and `columns` are multiples of 4.
 */
export function dots(
  out: Float32Array,
  outAt: number,
  stride: number,
  a: Float32Array,
  aAt: number,
  aStride: number,
  rows: number,
  b: Float32Array,
  bAt: number,
  bStride: number,
  columns: number,
  length: number,
): void {
  for (let i = 0; i < rows; i += 4) {
    const a0 = aAt + i * aStride
    const a1 = a0 + aStride
    const a2 = a1 + aStride
    const a3 = a2 + aStride
    for (let j = 0; j < columns; j += 4) {
      const b0 = bAt + j * bStride
      const b1 = b0 + bStride
      const b2 = b1 + bStride
      const b3 = b2 + bStride
      let s00 = 0
      let s01 = 0
      let s02 = 0
      let s03 = 0
      let s10 = 0
      let s11 = 0
      let s12 = 0
      let s13 = 0
      let s20 = 0
      let s21 = 0
      let s22 = 0
      let s23 = 0
      let s30 = 0
      let s31 = 0
      let s32 = 0
      let s33 = 0
      for (let k = 0; k < length; k++) {
        const x0 = a[a0 + k] as number
        const x1 = a[a1 + k] as number
        const x2 = a[a2 + k] as number
        const x3 = a[a3 + k] as number
        const y0 = b[b0 + k] as number
        const y1 = b[b1 + k] as number
        const y2 = b[b2 + k] as number
        const y3 = b[b3 + k] as number
        s00 += x0 * y0
        s01 += x0 * y1
        s02 += x0 * y2
        s03 += x0 * y3
        s10 += x1 * y0
        s11 += x1 * y1
        s12 += x1 * y2
        s13 += x1 * y3
        s20 += x2 * y0
        s21 += x2 * y1
        s22 += x2 * y2
        s23 += x2 * y3
        s30 += x3 * y0
        s31 += x3 * y1
        s32 += x3 * y2
        s33 += x3 * y3
      }
      const o0 = outAt + i * stride + j
      const o1 = o0 + stride
      const o2 = o1 + stride
      const o3 = o2 + stride
      out[o0] = s00
      out[o0 + 1] = s01
      out[o0 + 2] = s02
      out[o0 + 3] = s03
      out[o1] = s10
      out[o1 + 1] = s11
      out[o1 + 2] = s12
      out[o1 + 3] = s13
      out[o2] = s20
      out[o2 + 1] = s21
      out[o2 + 2] = s22
      out[o2 + 3] = s23
      out[o3] = s30
      out[o3 + 1] = s31
      out[o3 + 2] = s32
      out[o3 + 3] = s33
    }
  }
}
