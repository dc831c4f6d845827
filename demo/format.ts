/** Rounded down: what is under a limit never looks as if it had reached it. */
export function percent(share: number): string {
  const whole = Math.floor(share * 100)
  return share > 0 && whole === 0 ? '<1%' : `${whole}%`
}

/** `8.4 KB`; `unit` counts what is too small for that. */
export function bytes(size: number, unit: (size: number) => string): string {
  if (size < 1000) return unit(size)
  const [value, name] = size < 1_000_000 ? [size / 1000, 'KB'] : [size / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${name}`
}
