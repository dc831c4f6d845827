import type { Diagnostic } from './diagnostics.js'

/** A SKILL.md cut in two. Nothing is lost: text before the fence goes to the front of `body`. */
export interface SplitFrontmatter {
  /** The text between the fences, as written. */
  frontmatter: string
  /** 1-based line on which `frontmatter` starts; 0 where there is none. */
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
/** How far down a frontmatter may start, in lines, and how long it may be. */
const SEARCH_LINES = 60
const MAX_LINES = 4_000

/** Finds the frontmatter in text without BOM, however its fences are spelled, and says what was odd about it. */
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
              message: 'There is no frontmatter: the whole file is read as instructions',
              line: 1,
              hint: 'start the file with ---, name and description, and ---',
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
      : runaway(lines, from, closing)
  const closed = closing >= 0 && (prose < 0 || prose >= closing)
  const end = closed ? closing : prose
  let after = closed ? closing + 1 : prose

  if (!closed && start.kind !== 'bare') {
    diagnostics.push({
      code: 'frontmatter-unclosed',
      severity: 'warning',
      message: 'The frontmatter is not closed; it was read up to the first line that is not YAML',
      line: from,
      hint: 'add a line --- after the last field',
    })
  } else if (start.kind === 'fence' && (lines[from - 1]?.text !== '---' || lines[closing]?.text !== '---')) {
    diagnostics.push({
      code: 'fence-trailing-blanks',
      severity: 'info',
      message: 'A frontmatter fence is not exactly ---',
      line: lines[from - 1]?.text === '---' ? closing + 1 : from,
    })
  }

  let wrapped = start.inCode
  if (start.inCode && closed) {
    // What closes the code block belongs to the frontmatter; where nothing does, the whole file stands in the block.
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
  /** Index of the line at which the frontmatter opens: what stands above it is body. */
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
        hint: 'put a line --- before it',
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
      message: 'Text stands before the frontmatter; it was kept as part of the instructions',
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
      message: 'The frontmatter stands in a code fence',
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

/** Index of the first line from `from` that is not blank; the number of lines where there is none. */
function nextLine(lines: readonly Line[], from: number): number {
  const index = lines.findIndex((line, at) => at >= from && line.text.trim() !== '')
  return index < 0 ? lines.length : index
}

/** Index of the first line from `from` that cannot be YAML; blank lines and headings right before it are prose too. */
function yamlEnd(lines: readonly Line[], from: number, to: number): number {
  let index = from
  for (; index < to; index++) {
    const text = lines[index]?.text ?? ''
    const yaml = text.trim() === '' || /^[ \t#\-\]}"']/.test(text) || keyLine.test(text)
    if (!yaml || fence.test(text) || codeOpening.test(text)) break
  }
  return withHeadings(lines, from, index)
}

/** Where what the fences hold is prose after some point (the "closing" fence is a rule in the body): the index of that point, else -1. */
function runaway(lines: readonly Line[], from: number, end: number): number {
  const blank = (index: number): boolean => lines[index]?.text.trim() === ''
  const prose = ({ text }: Line): boolean => text.trim() !== '' && !/^[\s#-]/.test(text) && !keyLine.test(text)
  for (let index = from + 1; index < end; index++) {
    if (!heading.test(lines[index]?.text ?? '') || !blank(index - 1)) continue
    const rest = lines.slice(index + 1, end)
    if (rest.some(line => leadingKey.test(line.text))) break
    return rest.some(prose) ? index : -1
  }
  // Without a heading: a paragraph after the last field, with blank lines around it.
  if (!blank(end - 1)) return -1
  const key = lines.findLastIndex((line, index) => index >= from && index < end && keyLine.test(line.text))
  const start = lines.findIndex(
    (line, index) => index > key && index < end && /^\p{L}/u.test(line.text) && blank(index - 1),
  )
  return key < 0 || start < 0 ? -1 : withHeadings(lines, from, start)
}

/** The index of the first of the blank lines and headings right before `index`. */
function withHeadings(lines: readonly Line[], from: number, index: number): number {
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
