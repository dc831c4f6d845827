export interface Background {
  readonly id: string
  /** How rare a term is in skills at large: `ln(1 + (n - df + .5) / (df + .5))`. */
  idf(term: string): number
}
