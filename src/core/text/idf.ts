/** Inverse document frequency of BM25, never negative, for a term that `df` of `n` documents contain. */
export function idfOf(n: number, df: number): number {
  return Math.log(1 + (n - df + 0.5) / (df + 0.5))
}
