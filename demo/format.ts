const numbers = new Intl.NumberFormat('en')

/** `1,234 tokens`, `1 file` */
export function count(amount: number, one: string): string {
  return `${numbers.format(amount)} ${one}${amount === 1 ? '' : 's'}`
}

/** Rounded down: what is under a limit never looks as if it had reached it. */
export function percent(share: number): string {
  const whole = Math.floor(share * 100)
  return share > 0 && whole === 0 ? '<1%' : `${whole}%`
}

export function bytes(size: number): string {
  if (size < 1000) return count(size, 'byte')
  const [value, unit] = size < 1_000_000 ? [size / 1000, 'KB'] : [size / 1_000_000, 'MB']
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}
