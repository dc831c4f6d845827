/**
 * Edits JSON with comments as text. `jsonc-parser` says where each part is, and only the part that changes is written: comments, order,
 * spaces and trailing commas stay. Its own `modify` is not used: it drops comments beside a removed item, and makes `[12]` of `[1,2]` when
 * the second item is removed.
 */
import {
  applyEdits,
  createScanner,
  type Edit,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { invalidInput } from '../../core/errors.js'

/** Values of the constant enumeration `SyntaxKind`, which is not there at run time. */
const TOKEN = {
  openBrace: 1,
  closeBrace: 2,
  openBracket: 3,
  closeBracket: 4,
  comma: 5,
  lineComment: 12,
  blockComment: 13,
  lineBreak: 14,
  space: 15,
  end: 17,
} as const
/** Hosts write a few levels. Parsers that call themselves overflow the stack at some thousands. */
const MAX_DEPTH = 1_000

/** A text with its tree. */
export interface JsonDocument {
  /** Path of the file, for errors. */
  file: string
  /** Without a byte order mark. */
  text: string
  /** `undefined` if there is no value, only space or comments. */
  root: Node | undefined
}

interface Token {
  kind: number
  start: number
  end: number
}

/** @throws if the text is not JSON, even with comments and trailing commas allowed */
export function parseDocument(text: string, file: string): JsonDocument {
  // S6: nesting is counted first, without a call for each level.
  let depth = 0
  for (const { kind, start } of tokensFrom(text, 0)) {
    if (kind === TOKEN.openBrace || kind === TOKEN.openBracket) depth++
    if (kind === TOKEN.closeBrace || kind === TOKEN.closeBracket) depth--
    if (depth > MAX_DEPTH) {
      throw invalidInput(
        `${file} is nested more than ${MAX_DEPTH} levels deep in line ${lineAt(text, start)}`,
        'mend it, or add the hook by hand',
      )
    }
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const [first] = errors
  if (first) {
    const problem = printParseErrorCode(first.error).replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    throw invalidInput(
      `${file} is not JSON: ${problem.toLowerCase()} in line ${lineAt(text, first.offset)}`,
      'mend it, or add the hook by hand',
    )
  }
  return { file, text, root }
}

/** The values of a key in an object: none, one, or several, which JSON allows and parsers read differently. */
export function valuesOf(object: Node, key: string): Node[] {
  return (object.children ?? []).flatMap(({ children = [] }) => {
    const [name, value] = children
    return name?.value === key && value ? [value] : []
  })
}

/** @throws that a key is several times in one object */
export function duplicateError(
  { file, text }: JsonDocument,
  key: string,
  values: readonly Node[],
): Error {
  const lines = [...new Set(values.map(({ offset }) => lineAt(text, offset)))].join(' and ')
  return invalidInput(
    `${JSON.stringify(key)} is there ${values.length} times in one object of ${file}, in line ${lines}`,
    'make one of them: which one is read is not certain',
  )
}

/** The collections from the root to the list at `keys`, as far as they exist, and the keys that are missing. */
export function findList(
  document: JsonDocument,
  keys: readonly string[],
): { path: [Node, ...Node[]]; missing: readonly string[] } | undefined {
  const { root } = document
  if (!root) return undefined
  const path: [Node, ...Node[]] = [root]
  let node = root
  for (const [index, key] of keys.entries()) {
    if (node.type !== 'object') throw wrongType(document, keys.slice(0, index), 'an object', node)
    const values = valuesOf(node, key)
    if (values.length > 1) throw duplicateError(document, key, values)
    const [value] = values
    if (!value) return { path, missing: keys.slice(index) }
    path.push(value)
    node = value
  }
  if (node.type !== 'array') throw wrongType(document, keys, 'a list', node)
  return { path, missing: [] }
}

function wrongType(
  document: JsonDocument,
  keys: readonly string[],
  expected: string,
  { offset }: Node,
): Error {
  const what = keys.length === 0 ? 'The root' : JSON.stringify(keys.join('.'))
  return invalidInput(
    `${what} in line ${lineAt(document.text, offset)} of ${document.file} is not ${expected}`,
    'add the hook by hand',
  )
}

/** Adds a value to the list at `keys`, and creates what is missing. The document has a root. */
export function addToList(document: JsonDocument, keys: readonly string[], value: unknown): string {
  const { text } = document
  const found = findList(document, keys)
  if (!found) throw new Error('A document without a value has no list')
  const { path, missing } = found
  const container = path.at(-1) as Node
  const [first, ...rest] = missing
  const inner = rest.reduceRight<unknown>(
    (content, key) => ({ [key]: content }),
    first === undefined ? value : [value],
  )
  const unit = /\n([ \t]+)["/{]/.exec(text)?.[1] ?? '  '
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const outer = lineEnd + unit.repeat(path.length - 1)
  const line = outer + unit
  const name = first === undefined ? '' : `${JSON.stringify(first)}: `
  const added = (indent: string): string =>
    name + JSON.stringify(inner, undefined, unit).replaceAll('\n', () => indent)
  return applyEdits(
    text,
    insertion(text, container, { added, line, outer, isRoot: path.length === 1 }),
  )
}

interface Insertion {
  /** The added text. Its lines start with `indent`. */
  added(indent: string): string
  /** Line break and indentation of the items. */
  line: string
  /** Line break and indentation of the collection. */
  outer: string
  isRoot: boolean
}

function insertion(
  text: string,
  container: Node,
  { added, line, outer, isRoot }: Insertion,
): Edit[] {
  const inside = container.offset + 1
  const end = container.offset + container.length - 1
  const last = container.children?.at(-1)
  if (!last) {
    const comments = tokensBetween(text, inside, end).filter(isComment)
    const comment = comments.at(-1)
    if (comment) {
      return [
        {
          offset: comment.end,
          length: 0,
          content: line + added(line) + (isMultiLine(text, comment.end, end) ? '' : outer),
        },
      ]
    }
    // A collection that was empty has no line break after its bracket: `removal` keeps it.
    const content = isRoot ? line + added(line) + outer : added(outer)
    return [{ offset: inside, length: end - inside, content }]
  }
  const lastEnd = last.offset + last.length
  const rest = tokensBetween(text, lastEnd, end)
  const comma = rest.find(({ kind }) => kind === TOKEN.comma)
  // A comment in the line of the last item stays beside it.
  const beside = rest.filter(token => !isMultiLine(text, lastEnd, token.start))
  const at = Math.max(lastEnd, comma?.end ?? 0, beside.at(-1)?.end ?? 0)
  const item = { offset: at, length: 0, content: line + added(line) + (comma ? ',' : '') }
  return comma ? [item] : [{ offset: lastEnd, length: 0, content: ',' }, item]
}

/** Removes a part: an item of a list or a property. Its comma goes with it; comments beside it stay. */
export function removePart({ text }: JsonDocument, container: Node, index: number): string {
  const children = container.children ?? []
  const part = children[index] as Node
  const end = part.offset + part.length
  const before = children[index - 1]
  const inside = before ? before.offset + before.length : container.offset + 1
  const outside = container.offset + container.length - 1
  const commaAfter = tokensBetween(text, end, outside).find(({ kind }) => kind === TOKEN.comma)
  const tokensBefore = tokensBetween(text, inside, part.offset)
  const comma = commaAfter ?? tokensBefore.find(({ kind }) => kind === TOKEN.comma)
  let from = part.offset
  while (from > inside && isSpace(text[from - 1])) from--
  let to = commaAfter?.start === end ? commaAfter.end : end
  // The line break ends a line comment before it, unless there is another one behind it.
  if (tokensBefore.at(-1)?.kind === TOKEN.lineComment && !/^[ \t]*[\r\n]/.test(text.slice(to))) {
    from += text.startsWith('\r\n', from) ? 2 : 1
  }
  if (from === part.offset && commaAfter) {
    while (/[ \t]/.test(text[to] ?? '')) to++
  }
  const edits: Edit[] = [{ offset: from, length: to - from, content: '' }]
  if (comma && (comma.start < from || comma.start >= to)) {
    edits.push({ offset: comma.start, length: 1, content: '' })
  }
  if (
    children.length === 1 &&
    text.slice(container.offset + 1, from).trim() + text.slice(to, outside).trim() === ''
  ) {
    return text.slice(0, container.offset + 1) + text.slice(outside)
  }
  return applyEdits(text, edits)
}

/** Whether a collection holds one part only, on lines of its own and without comments, as `addToList` creates it. */
export function isCreatedFor(text: string, container: Node): boolean {
  const [only, ...others] = container.children ?? []
  if (!only || others.length > 0) return false
  const [start, end] = [container.offset + 1, container.offset + container.length - 1]
  const around = [
    ...tokensBetween(text, start, only.offset),
    ...tokensBetween(text, only.offset + only.length, end),
  ]
  return isMultiLine(text, start, only.offset) && !around.some(isComment)
}

export function replacePart(
  { text }: JsonDocument,
  { offset, length }: Node,
  value: unknown,
): string {
  return applyEdits(text, [{ offset, length, content: JSON.stringify(value) }])
}

/** 1-based. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** The tokens of a text from an offset on, without space. */
function* tokensFrom(text: string, offset: number): Generator<Token> {
  const scanner = createScanner(text)
  scanner.setPosition(offset)
  for (let kind: number = scanner.scan(); kind !== TOKEN.end; kind = scanner.scan()) {
    const start = scanner.getTokenOffset()
    if (kind !== TOKEN.lineBreak && kind !== TOKEN.space) {
      yield { kind, start, end: start + scanner.getTokenLength() }
    }
  }
}

function tokensBetween(text: string, start: number, end: number): Token[] {
  const tokens: Token[] = []
  for (const token of tokensFrom(text, start)) {
    if (token.start >= end) break
    tokens.push(token)
  }
  return tokens
}

function isComment({ kind }: Token): boolean {
  return kind === TOKEN.lineComment || kind === TOKEN.blockComment
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /[ \t\r\n]/.test(character)
}

function isMultiLine(text: string, start: number, end: number): boolean {
  return /[\r\n]/.test(text.slice(start, end))
}
