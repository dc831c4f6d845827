import { countTokenFeatures, type TokenFeature } from '../../src/core/tokens.js'

interface Kind {
  kind: string
  texts: readonly { text: string; tokens: number }[]
}

/** Fits the token costs by weighted least squares (normal equations). Each kind has the same weight; errors are relative. */
export function fitCosts(kinds: readonly Kind[]): Record<TokenFeature, number> {
  const pieces = Object.keys(countTokenFeatures('')) as TokenFeature[]
  const system = pieces.map(() => new Float64Array(pieces.length + 1))
  for (const { texts } of kinds) {
    const some = texts.filter((_, index) => index % 2 === 0)
    for (const { text, tokens } of some) {
      const counts = countTokenFeatures(text)
      const weight = 1 / (tokens * tokens * some.length)
      for (const [row, piece] of pieces.entries()) {
        const line = system[row] as Float64Array
        for (const [column, other] of pieces.entries()) {
          line[column] = (line[column] as number) + weight * counts[piece] * counts[other]
        }
        line[pieces.length] = (line[pieces.length] as number) + weight * counts[piece] * tokens
      }
    }
  }
  const solved = solve(system)
  return Object.fromEntries(
    pieces.map((piece, row) => [piece, Number((solved[row] as number).toFixed(3))]),
  ) as Record<TokenFeature, number>
}

/** Gauss-Jordan elimination with pivoting. Pieces that occur in no text get 0. */
function solve(system: Float64Array[]): number[] {
  const size = system.length
  for (let column = 0; column < size; column++) {
    let pivot = column
    for (let row = column + 1; row < size; row++) {
      if (Math.abs(system[row]?.[column] ?? 0) > Math.abs(system[pivot]?.[column] ?? 0)) {
        pivot = row
      }
    }
    ;[system[column], system[pivot]] = [
      system[pivot] as Float64Array,
      system[column] as Float64Array,
    ]
    const top = system[column] as Float64Array
    if (Math.abs(top[column] as number) < 1e-12) continue
    for (const [row, line] of system.entries()) {
      if (row === column) continue
      const share = (line[column] as number) / (top[column] as number)
      for (let at = column; at <= size; at++) {
        line[at] = (line[at] as number) - share * (top[at] as number)
      }
    }
  }
  return system.map((line, row) =>
    Math.abs(line[row] as number) < 1e-12 ? 0 : (line[size] as number) / (line[row] as number),
  )
}
