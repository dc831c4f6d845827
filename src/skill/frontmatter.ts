import { type Diagnostic, fixedDiagnostics } from './diagnostics.js'

const fence = /^[ \t]*-{3,}[ \t]*$/
/** Lines that stand for `---` in other formats. They count only above a field. */
const otherFence = /^[ \t]*(?:-{3,}[ \t]*ya?ml|\+{3,}|\*{3,})[ \t]*$/i
const otherClosing = /^[ \t]*(?:\+{3,}|\*{3,})[ \t]*$/
const codeOpening = /^[ \t]*(?:```+|~~~+)[ \t]*(?:[\w-]+[ \t]*)?$/
const codeClosing = /^[ \t]*(?:```+|~~~+)[ \t]*$/
const keyLine = /^["']?[A-Za-z_][\w .-]{0,100}["']?[ \t]{0,100}:(?:[ \t]|$)/
const leadingKey = /^["']?(?:name|description)["']?[ \t]*:/i
/** A field of YAML, or of the TOML between lines of `+++`. */
const otherField = /^["']?(?:name|description)["']?[ \t]*[:=]/i
const heading = /^#{1,6}[ \t]+\S/
/** Lines searched for the start of a frontmatter. */
const SEARCH_LINES = 60
/** Longest frontmatter, in lines. */
const MAX_LINES = 4_000

const diagnostic = /* @__PURE__ */ fixedDiagnostics({
  'no-frontmatter': [
    'warning',
    'The file has no frontmatter; all of it is read as instructions',
    'start the file with a line ---, the fields name and description, and a line ---',
  ],
  'text-before-frontmatter': [
    'warning',
    'Text before the frontmatter is read as part of the instructions',
    'move it below the closing ---',
  ],
  'frontmatter-in-code-fence': [
    'warning',
    'The frontmatter is inside a code block',
    'remove the ``` lines around it',
  ],
  'frontmatter-unopened': [
    'warning',
    'The frontmatter has no opening ---',
    'add a line --- before the first field',
  ],
  'frontmatter-unclosed': [
    'warning',
    'The frontmatter has no closing ---; it was read up to the first line that is not YAML',
    'add a line --- after the last field',
  ],
  'frontmatter-fence': [
    'warning',
    'The frontmatter is not between lines of three hyphens',
    'write --- above and below the fields, which are YAML',
  ],
  'fence-trailing-blanks': [
    'info',
    'A frontmatter fence is not exactly ---',
    'write exactly three hyphens',
  ],
})

/** A SKILL.md, divided. Offsets are in UTF-16 units of the text. */
export interface SplitText {
  /** The text between the fences, unchanged. Empty without frontmatter. */
  frontmatter: string
  /** Its first line, from 1; 0 without frontmatter. */
  line: number
  /** The text after the frontmatter. Text before it is kept at the start. */
  body: string
  /** Problems of the fences. */
  diagnostics: Diagnostic[]
  /** Offset of the opening line. */
  opening: number
  /** Offset of the frontmatter. */
  start: number
  /** Offset of what is below its last line. */
  below: number
}

/** Finds the frontmatter in a text without byte order mark, tolerating malformed fences, and reports them. */
export function splitFrontmatter(text: string): SplitText {
  const lines = readLines(text, SEARCH_LINES + MAX_LINES)
  const start = findStart(lines)
  if (!start) {
    const diagnostics = text.trim() === '' ? [] : [diagnostic('no-frontmatter', 1)]
    return { frontmatter: '', line: 0, body: text, opening: 0, start: 0, below: 0, diagnostics }
  }
  const end = findEnd(lines, start)
  const problem = fenceProblem(lines, start, end)
  const { line: bodyLine, inCode } = findBody(lines, start, end)
  const offset = (index: number): number => lines[index]?.start ?? lines.at(-1)?.next ?? text.length

  const opening = offset(start.opening)
  const first = offset(start.line)
  const below = offset(bodyLine)
  const before = text.slice(0, opening)
  const rest = text.slice(below)
  const body = inCode ? rest.replace(/\n[ \t]*(?:```+|~~~+)\s*$/, '\n') : rest
  return {
    frontmatter: text.slice(first, offset(end.line)).replace(/\r?\n$/, ''),
    line: start.line + 1,
    body: before.trim() === '' ? body : before + body,
    opening,
    start: first,
    below,
    diagnostics: problem ? [...start.diagnostics, problem] : start.diagnostics,
  }
}

interface Start {
  /** `code`: the lines around a code block are its fences. `other`: the fence of another format. `bare`: it starts with a field. */
  kind: 'fence' | 'code' | 'other' | 'bare'
  /** Index of the first line of YAML. */
  line: number
  /** Index of the opening line. The text above it belongs to the body. */
  opening: number
  inCode: boolean
  diagnostics: Diagnostic[]
}

function findStart(lines: readonly Line[]): Start | undefined {
  const first = nextLine(lines, 0)
  const opening = startAt(lines, first)
  if (opening) return opening
  if (leadingKey.test(textAt(lines, first))) {
    const diagnostics = [diagnostic('frontmatter-unopened', first + 1)]
    return { kind: 'bare', line: first, opening: first, inCode: false, diagnostics }
  }
  for (let index = first + 1; index < Math.min(lines.length, SEARCH_LINES); index++) {
    const later = startAt(lines, index)
    if (!later || !leadingKey.test(textAt(lines, nextLine(lines, later.line)))) continue
    if (findClosing(lines, later) < 0 && !hasNameAndDescription(lines, later)) continue
    later.diagnostics.push(diagnostic('text-before-frontmatter', first + 1))
    return later
  }
  return undefined
}

/** Tells a frontmatter without a closing line from a horizontal rule above a line such as "Name: ...". */
function hasNameAndDescription(lines: readonly Line[], { line }: Start): boolean {
  return (
    lines
      .slice(line, yamlEnd(lines, line, lines.length))
      .filter(({ text }) => leadingKey.test(text)).length > 1
  )
}

function startAt(lines: readonly Line[], index: number): Start | undefined {
  const text = textAt(lines, index)
  if (fence.test(text)) {
    return { kind: 'fence', line: index + 1, opening: index, inCode: false, diagnostics: [] }
  }
  const inner = nextLine(lines, index + 1)
  if (otherFence.test(text) && otherField.test(textAt(lines, inner))) {
    const diagnostics = [diagnostic('frontmatter-fence', index + 1)]
    return { kind: 'other', line: index + 1, opening: index, inCode: false, diagnostics }
  }
  if (!codeOpening.test(text)) return undefined
  const isFence = fence.test(textAt(lines, inner))
  if (!isFence && !leadingKey.test(textAt(lines, inner))) return undefined
  return {
    kind: isFence ? 'fence' : 'code',
    line: isFence ? inner + 1 : inner,
    opening: index,
    inCode: true,
    diagnostics: [diagnostic('frontmatter-in-code-fence', index + 1)],
  }
}

interface End {
  /** Index of the closing line, or of the first line that is not YAML. */
  line: number
  closed: boolean
}

/** A closing line below prose does not count: it is a horizontal rule of the body. */
function findEnd(lines: readonly Line[], start: Start): End {
  const closing = findClosing(lines, start)
  const prose =
    closing >= 0 && start.kind !== 'bare'
      ? proseStart(lines, start.line, closing)
      : yamlEnd(lines, start.line, closing < 0 ? lines.length : closing)
  const closed = closing >= 0 && (prose < 0 || prose >= closing)
  return { line: closed ? closing : prose, closed }
}

function findClosing(lines: readonly Line[], { kind, line, inCode }: Start): number {
  const closes = (text: string): boolean =>
    fence.test(text) ||
    (inCode && codeClosing.test(text)) ||
    (kind === 'other' && otherClosing.test(text))
  return lines.findIndex(({ text }, index) => index >= line && closes(text))
}

function fenceProblem(
  lines: readonly Line[],
  { kind, line }: Start,
  end: End,
): Diagnostic | undefined {
  if (!end.closed) return kind === 'bare' ? undefined : diagnostic('frontmatter-unclosed', line)
  const isExact = (index: number): boolean => textAt(lines, index) === '---'
  if (kind !== 'fence' || (isExact(line - 1) && isExact(end.line))) return undefined
  return diagnostic('fence-trailing-blanks', isExact(line - 1) ? end.line + 1 : line)
}

/** Finds the first line of the body, and whether a code block that is still open contains it. */
function findBody(
  lines: readonly Line[],
  { inCode }: Start,
  end: End,
): { line: number; inCode: boolean } {
  if (!end.closed) return { line: end.line, inCode }
  const line = end.line + 1
  if (!inCode) return { line, inCode }
  const isFence = fence.test(textAt(lines, end.line))
  // The frontmatter has two closing lines then: its fence and that of the code block, in either order.
  const next = nextLine(lines, line)
  if ((isFence ? codeClosing : fence).test(textAt(lines, next))) {
    return { line: next + 1, inCode: false }
  }
  return { line, inCode: isFence }
}

function textAt(lines: readonly Line[], index: number): string {
  return lines[index]?.text ?? ''
}

/** Index of the first line from `from` that is not blank, or the number of lines. */
function nextLine(lines: readonly Line[], from: number): number {
  const index = lines.findIndex((line, at) => at >= from && line.text.trim() !== '')
  return index < 0 ? lines.length : index
}

/** Index of the first line from `from` that cannot be YAML. Blank lines and headings right before it count as prose. */
function yamlEnd(lines: readonly Line[], from: number, to: number): number {
  let index = from
  for (; index < to; index++) {
    const text = textAt(lines, index)
    const yaml = text.trim() === '' || /^[ \t#\-\]}"']/.test(text) || keyLine.test(text)
    if (!yaml || fence.test(text) || codeOpening.test(text)) break
  }
  return beforeHeadings(lines, from, index)
}

/** Index at which prose starts between the fences, or -1. Prose there means that the "closing" fence is a horizontal rule of the body. */
function proseStart(lines: readonly Line[], from: number, end: number): number {
  const blank = (index: number): boolean => lines[index]?.text.trim() === ''
  const prose = ({ text }: Line): boolean =>
    text.trim() !== '' && !/^[\s#-]/.test(text) && !keyLine.test(text)
  for (let index = from + 1; index < end; index++) {
    if (!heading.test(textAt(lines, index)) || !blank(index - 1)) continue
    const rest = lines.slice(index + 1, end)
    if (rest.some(line => leadingKey.test(line.text))) break
    return rest.some(prose) ? index : -1
  }
  // Without a heading, prose is a paragraph after the last field with blank lines around it.
  if (!blank(end - 1)) return -1
  const key = lines.findLastIndex(
    (line, index) => index >= from && index < end && keyLine.test(line.text),
  )
  const start = lines.findIndex(
    (line, index) => index > key && index < end && /^\p{L}/u.test(line.text) && blank(index - 1),
  )
  return key < 0 || start < 0 ? -1 : beforeHeadings(lines, from, start)
}

/** Moves an index up over the blank lines and headings right before it. */
function beforeHeadings(lines: readonly Line[], from: number, index: number): number {
  let first = index
  while (first > from && /^(?:#.*)?$/.test(lines[first - 1]?.text.trim() ?? '')) first--
  return first
}

interface Line {
  text: string
  start: number
  next: number
}

function readLines(text: string, limit: number): Line[] {
  const lines: Line[] = []
  let start = 0
  while (start < text.length && lines.length < limit) {
    const feed = text.indexOf('\n', start)
    const stop = feed < 0 ? text.length : feed
    const next = feed < 0 ? text.length : feed + 1
    lines.push({
      text: text.slice(start, stop > start && text[stop - 1] === '\r' ? stop - 1 : stop),
      start,
      next,
    })
    start = next
  }
  return lines
}
