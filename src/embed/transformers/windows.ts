/**
 * Cuts a text that is too long into windows of nearly equal length, at white space where there is any.
 * @param count Tokens of a text.
 */
export function windowsOf(text: string, most: number, count: (text: string) => number): string[] {
  const tokens = count(text)
  if (tokens <= most) return [text]
  const windows = Math.ceil(tokens / most)
  const length = text.length / windows
  const cuts = [0]
  for (let index = 1; index < windows; index++) cuts.push(cutNear(text, Math.round(index * length), length / 4))
  return cuts.map((from, index) => text.slice(from, cuts[index + 1]).trim()).filter(window => window !== '')
}

/** The nearest white space before `at`, or `at` itself where there is none within `reach`: never within a surrogate pair. */
function cutNear(text: string, at: number, reach: number): number {
  for (let cut = at; cut > at - reach && cut > 0; cut--) if (/\s/.test(text[cut] as string)) return cut
  return /[\uDC00-\uDFFF]/.test(text[at] as string) ? at - 1 : at
}
