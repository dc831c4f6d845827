/** The default threshold of `match`. */
export const THRESHOLD = 0.7

/** Formats a whole number, such as `1,234`. `Intl.NumberFormat` takes 20 ms of a first visit, and 90 on a phone. */
export const grouped = (value: number): string => String(value).replace(/\B(?=(...)+$)/g, ',')

/** Formats a share from 0 to 1. Rounds down, so that a value below a threshold never appears to reach it. */
export function percent(share: number): string {
  const whole = Math.floor(share * 100 + 1e-9)
  return share > 0 && whole === 0 ? '<1%' : `${whole}%`
}

/** Formats a size, such as `8.4 KB`. Sizes under 1,000 bytes are formatted by `formatSmall`. */
export function bytes(size: number, formatSmall: (size: number) => string): string {
  if (size < 1000) return formatSmall(size)
  const [value, name] = size < 1_000_000 ? [size / 1000, 'KB'] : [size / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${name}`
}
