import { markdownLines } from './links.js'

/** Texts that templates and their writers leave for an author to replace. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\[TODO\b[^\]\n]*\p{L}[^\]\n]*\]?/u,
  /^\s*(?:[-*#>]+\s+)?TODO:\s*\S.*/,
  /^description:\s*["']?(?:TODO\b|<[^>]+>\s*["']?$|\[[^\]]+\]\s*["']?$)/,
  // The template of github.com/anthropics/skills, and the example of the specification.
  /\bReplace with description of the skill\b/,
  /^# Insert instructions below$/,
  /^description:\s*["']?A description of what this skill does and when to use it\.?["']?$/,
  /\blorem ipsum dolor sit amet\b/i,
]

export interface Placeholder {
  text: string
  /** 1-based line. */
  line: number
}

/**
 * Finds text of a template that was not replaced. Code does not count.
 * @param phrases More texts to find.
 */
export function findPlaceholders(text: string, phrases: readonly string[] = []): Placeholder[] {
  const found: Placeholder[] = []
  for (const { text: line, number, inCode } of markdownLines(text)) {
    if (inCode) continue
    const prose = line.replace(/`[^`]*`/g, '')
    const phrase =
      phrases.find(one => line.includes(one)) ??
      PLACEHOLDERS.map(pattern => pattern.exec(prose)?.[0].trim()).find(Boolean)
    if (phrase !== undefined) found.push({ text: phrase, line: number })
  }
  return found
}
