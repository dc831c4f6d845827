/** The `ln(1 + (n - df + .5) / (df + .5))` of BM25 (Robertson, Spärck Jones), never negative: how rare a term is that `df` of `n` documents have. */
export function idfOf(n: number, df: number): number {
  return Math.log(1 + (n - df + 0.5) / (df + 0.5))
}
