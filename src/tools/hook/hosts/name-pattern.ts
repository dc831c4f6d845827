/** Compares with a name in which `*` stands for any text. Not a regular expression: a pattern of many stars would take minutes. */
export function fitsPattern(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return text === pattern
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop() ?? ''
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
