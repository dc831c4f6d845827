import { splitFrontmatter } from '../../skill/frontmatter.js'

const FIELD = /^description[ \t]*:/i

/** A SKILL.md with another description. Every other line stays as it is. */
export function replaceDescription(text: string, description: string): string {
  const { frontmatter, line, start } = splitFrontmatter(text)
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n'
  // A JSON string is a YAML string.
  const field = `description: ${JSON.stringify(description)}`
  if (line === 0) return ['---', field, '---', '', text].join(lineBreak)
  const lines = frontmatter.split(/\r?\n/)
  const at = lines.findIndex(one => FIELD.test(one))
  let after = at + 1
  while (at >= 0 && after < lines.length && isContinued(lines[after] as string)) after++
  // Without the field, it becomes the first one.
  const replaced = [...lines.slice(0, Math.max(at, 0)), field, ...lines.slice(after)]
  const rest = text.slice(start + frontmatter.length)
  return text.slice(0, start) + replaced.join(lineBreak) + rest
}

/** Whether a line goes on with the value of the line before: it is indented or empty. */
function isContinued(line: string): boolean {
  return line.trim() === '' || /^[ \t]/.test(line)
}
