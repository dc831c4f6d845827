import type { Diagnostic } from './diagnostics.js'

/** A SKILL.md split into frontmatter and body. Text before the frontmatter is kept at the start of `body`. */
export interface SplitFrontmatter {
  /** The text between the fences, unchanged. */
  frontmatter: string
  /** 1-based line on which `frontmatter` starts, `0` without frontmatter. */
  line: number
  body: string
  diagnostics: Diagnostic[]
}

const fence = /^[ \t]*-{3,}[ \t]*$/
const codeOpening = /^[ \t]*(?:```+|~~~+)[ \t]*(?:[\w-]+[ \t]*)?$/
const codeClosing = /^[ \t]*(?:```+|~~~+)[ \t]*$/
const keyLine = /^["']?[A-Za-z_][\w .-]{0,100}["']?[ \t]{0,100}:(?:[ \t]|$)/
const leadingKey = /^["']?(?:name|description)["']?[ \t]*:/i
const heading = /^#{1,6}[ \t]+\S/
/** Lines searched for the start of a frontmatter. */
const SEARCH_LINES = 60
/** Longest frontmatter, in lines. */
const MAX_LINES = 4_000

/** Finds the frontmatter in a text without byte order mark, tolerating malformed fences, and reports them. */
export function splitFrontmatter(text: string): SplitFrontmatter {
  const lines = readLines(text, SEARCH_LINES + MAX_LINES)
  const start = findStart(lines)
  if (!start) {
    const diagnostics: Diagnostic[] =
      text.trim() === ''
        ? []
        : [
            {
              code: 'no-frontmatter',
              severity: 'warning',
              message: 'The file has no frontmatter; all of it is read as instructions',
              line: 1,
              hint: 'start the file with a line ---, the fields name and description, and a line ---',
            },
          ]
    return { frontmatter: '', line: 0, body: text, diagnostics }
  }

  const { diagnostics } = start
  const from = start.line
  const closing = lines.findIndex((line, index) => index >= from && start.closes(line.text))
  const prose =
    start.kind === 'bare' || closing < 0
      ? yamlEnd(lines, from, closing < 0 ? lines.length : closing)
      : proseStart(lines, from, closing)
  const closed = closing >= 0 && (prose < 0 || prose >= closing)
  const end = closed ? closing : prose
  let after = closed ? closing + 1 : prose

  if (!closed && start.kind !== 'bare') {
    diagnostics.push({
      code: 'frontmatter-unclosed',
      severity: 'warning',
      message: 'The frontmatter has no closing ---; it was read up to the first line that is not YAML',
      line: from,
      hint: 'add a line --- after the last field',
    })
  } else if (start.kind === 'fence' && (lines[from - 1]?.text !== '---' || lines[closing]?.text !== '---')) {
    diagnostics.push({
      code: 'fence-trailing-blanks',
      severity: 'info',
      message: 'A frontmatter fence is not exactly ---',
      line: lines[from - 1]?.text === '---' ? closing + 1 : from,
      hint: 'write exactly three hyphens',
    })
  }

  let wrapped = start.inCode
  if (start.inCode && closed) {
    // The line that closes the code block belongs to the frontmatter. Without one, the code block contains the whole file.
    const next = nextLine(lines, after)
    const other = lines[next]?.text ?? ''
    if (fence.test(lines[closing]?.text ?? '') ? codeClosing.test(other) : fence.test(other)) {
      after = next + 1
      wrapped = false
    } else if (codeClosing.test(lines[closing]?.text ?? '')) wrapped = false
  }

  const offset = (index: number): number =>
    lines[index]?.start ?? (index >= lines.length ? (lines.at(-1)?.next ?? text.length) : text.length)
  const frontmatter = text.slice(offset(from), offset(end)).replace(/\r?\n$/, '')
  const before = text.slice(0, offset(start.before))
  let body = text.slice(offset(after))
  if (wrapped) body = body.replace(/\n[ \t]*(?:```+|~~~+)\s*$/, '\n')
  return { frontmatter, line: from + 1, body: before.trim() === '' ? body : before + body, diagnostics }
}

interface Start {
  kind: 'fence' | 'code' | 'bare'
  /** Index of the first line of YAML. */
  line: number
  /** Index of the opening line. The text above it belongs to the body. */
  before: number
  inCode: boolean
  closes(line: string): boolean
  diagnostics: Diagnostic[]
}

function findStart(lines: readonly Line[]): Start | undefined {
  const first = nextLine(lines, 0)
  const opening = startAt(lines, first)
  if (opening) return opening
  if (leadingKey.test(lines[first]?.text ?? '')) {
    const diagnostics: Diagnostic[] = [
      {
        code: 'frontmatter-unopened',
        severity: 'warning',
        message: 'The frontmatter has no opening ---',
        line: first + 1,
        hint: 'add a line --- before the first field',
      },
    ]
    return { kind: 'bare', line: first, before: first, inCode: false, closes: line => fence.test(line), diagnostics }
  }
  for (let index = first + 1; index < Math.min(lines.length, SEARCH_LINES); index++) {
    const later = startAt(lines, index)
    if (!later || !leadingKey.test(lines[nextLine(lines, later.line)]?.text ?? '')) continue
    if (!lines.slice(later.line).some(line => later.closes(line.text))) continue
    later.diagnostics.push({
      code: 'text-before-frontmatter',
      severity: 'warning',
      message: 'Text before the frontmatter is read as part of the instructions',
      line: first + 1,
      hint: 'move it below the closing ---',
    })
    return later
  }
  return undefined
}

function startAt(lines: readonly Line[], index: number): Start | undefined {
  const text = lines[index]?.text ?? ''
  if (fence.test(text))
    return {
      kind: 'fence',
      line: index + 1,
      before: index,
      inCode: false,
      closes: line => fence.test(line),
      diagnostics: [],
    }
  if (!codeOpening.test(text)) return undefined
  const inner = nextLine(lines, index + 1)
  const inside = lines[inner]?.text ?? ''
  const fenced = fence.test(inside)
  if (!fenced && !leadingKey.test(inside)) return undefined
  const diagnostics: Diagnostic[] = [
    {
      code: 'frontmatter-in-code-fence',
      severity: 'warning',
      message: 'The frontmatter is inside a code block',
      line: index + 1,
      hint: 'remove the ``` lines around it',
    },
  ]
  return {
    kind: fenced ? 'fence' : 'code',
    line: fenced ? inner + 1 : inner,
    before: index,
    inCode: true,
    closes: line => fence.test(line) || codeClosing.test(line),
    diagnostics,
  }
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
    const text = lines[index]?.text ?? ''
    const yaml = text.trim() === '' || /^[ \t#\-\]}"']/.test(text) || keyLine.test(text)
    if (!yaml || fence.test(text) || codeOpening.test(text)) break
  }
  return beforeHeadings(lines, from, index)
}

/** Index at which prose starts between the fences, or -1. Prose there means that the "closing" fence is a horizontal rule of the body. */
function proseStart(lines: readonly Line[], from: number, end: number): number {
  const blank = (index: number): boolean => lines[index]?.text.trim() === ''
  const prose = ({ text }: Line): boolean => text.trim() !== '' && !/^[\s#-]/.test(text) && !keyLine.test(text)
  for (let index = from + 1; index < end; index++) {
    if (!heading.test(lines[index]?.text ?? '') || !blank(index - 1)) continue
    const rest = lines.slice(index + 1, end)
    if (rest.some(line => leadingKey.test(line.text))) break
    return rest.some(prose) ? index : -1
  }
  // Without a heading, prose is a paragraph after the last field with blank lines around it.
  if (!blank(end - 1)) return -1
  const key = lines.findLastIndex((line, index) => index >= from && index < end && keyLine.test(line.text))
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
    lines.push({ text: text.slice(start, stop > start && text[stop - 1] === '\r' ? stop - 1 : stop), start, next })
    start = next
  }
  return lines
}
