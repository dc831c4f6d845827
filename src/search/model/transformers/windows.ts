/**
 * Splits a text into windows of similar length, at whitespace if possible.
 * @param countTokens Returns the tokens of a text.
 */
export function splitIntoWindows(text: string, maxTokens: number, countTokens: (text: string) => number): string[] {
  const tokens = countTokens(text)
  if (tokens <= maxTokens) return [text]
  const windows = Math.ceil(tokens / maxTokens)
  const length = text.length / windows
  const cuts = [0]
  for (let index = 1; index < windows; index++) cuts.push(cutNear(text, Math.round(index * length), length / 4))
  return cuts.map((from, index) => text.slice(from, cuts[index + 1]).trim()).filter(window => window !== '')
}

/** The last whitespace within `reach` before `position`, or `position` itself, moved out of a surrogate pair. */
function cutNear(text: string, position: number, reach: number): number {
  for (let cut = position; cut > position - reach && cut > 0; cut--) if (/\s/.test(text[cut] as string)) return cut
  return /[\uDC00-\uDFFF]/.test(text[position] as string) ? position - 1 : position
}
