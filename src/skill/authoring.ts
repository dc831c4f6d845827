import { tryDecode, trySafePath } from '../core/paths.js'
import {
  clonesRepository,
  isMarkdown,
  isNotYet,
  isOtherInCode,
  isOtherInText,
  mentionsIn,
} from './mentions.js'

/** A file of the skill that its instructions name. */
export interface FileReference {
  /** The path as written, without leading `./`, query and fragment. */
  path: string
  /** 1-based line. */
  line: number
  /** A link of Markdown, or a path in text or in a command, which may also be one in the user's project. */
  kind: 'link' | 'mention'
  /** The line before, and its own up to the path: they may name the skill that has the file. */
  before: string
}

const FENCE = /^\s{0,8}(?:[-*+>]\s+)?(`{3,}|~{3,})\s*([\w+-]*)/
/** The address of a Markdown link or image. */
const LINK =
  /\]\([ \t]{0,8}<?([^()\s<>]{1,512}(?:\([^()\s]{0,512}\)[^()\s<>]{0,512})?)>?(?:[ \t]+["'][^"'\n]{0,512}["'])?[ \t]{0,8}\)/g
/** The address of a link reference definition. */
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,200}\]:[ \t]{1,8}<?([^\s<>]{1,512})>?/
const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** The relative paths that a Markdown text names, each with its first line: links, images, `scripts/…`. Links in code do not count. */
export function fileReferences(text: string): FileReference[] {
  const found = new Map<string, FileReference>()
  /** Paths that the text explains once: they need not exist wherever it names them. */
  const explained = new Set<string>()
  const add = (address: string, { line, kind, before }: Omit<FileReference, 'path'>): void => {
    const written = address.replace(/[?#].*$/, '').replace(/^(?:\.\/)+/, '')
    const path = tryDecode(written) ?? written
    if (path === '' || SCHEME.test(path) || /^[/\\~]/.test(path) || /[{}$*|…]|\.\.\./.test(path)) {
      return
    }
    const earlier = found.get(path)
    if (!earlier) found.set(path, { path, line, kind, before })
    else if (kind === 'link') earlier.kind = kind
  }
  let previous = ''
  let hasClone = false
  for (const { text: line, number, inCode, language } of markdownLines(text)) {
    const before = (index = 0): string => `${previous}\n${line.slice(0, index)}`
    if (!inCode) {
      const prose = line.replace(/`[^`]*`/g, code => ' '.repeat(code.length))
      for (const { 0: link, 1: address = '', index } of prose.matchAll(LINK)) {
        if (isNotYet(line.slice(index + link.length))) continue
        add(address, { line: number, kind: 'link', before: before(index) })
      }
      const [, address] = DEFINITION.exec(prose) ?? []
      if (address) add(address, { line: number, kind: 'link', before: before() })
    }
    hasClone ||= inCode && clonesRepository(line)
    for (const { path, index, ...around } of mentionsIn(line)) {
      const needNotExist = inCode
        ? hasClone || isOtherInCode({ path, ...around }, language)
        : isOtherInText({ path, ...around })
      if (needNotExist) explained.add(path)
      else add(path, { line: number, kind: 'mention', before: before(index) })
    }
    previous = line
  }
  return [...found.values()].filter(({ path, kind }) => kind === 'link' || !explained.has(path))
}

/** Resolves a path against the folder of a skill. @returns The path in the source. `undefined` if it leaves the source. */
export function resolveReference(folder: string, path: string): string | undefined {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of path.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined
    } else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.length === 0 ? '' : trySafePath(parts.join('/'))
}

interface MarkdownLine {
  text: string
  /** 1-based. */
  number: number
  /** Whether it belongs to a code block or comment. */
  inCode: boolean
  /** Language of the code block, as written; `''` for none. */
  language: string
}

/** The lines of a Markdown text. A code block in one of Markdown is taken for nested, as authors mean it. */
function* markdownLines(text: string): Generator<MarkdownLine> {
  const fences: { mark: string; language: string }[] = []
  let inComment = false
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const [, mark = '', info = ''] = FENCE.exec(line) ?? []
    const fence = fences.at(-1)
    const isNested = fence !== undefined && isMarkdown(fence.language) && info !== ''
    const opens = mark !== '' && !inComment && (fence === undefined || isNested)
    const closes = fence !== undefined && !opens && mark.startsWith(fence.mark)
    if (fence === undefined && line.includes('<!--')) inComment = true
    const inCode = fence !== undefined || opens || inComment
    yield { text: line, number: index + 1, inCode, language: fences[0]?.language ?? '' }
    if (inComment && line.includes('-->')) inComment = false
    if (opens) fences.push({ mark, language: info })
    else if (closes) fences.pop()
  }
}

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

/** Finds text of a template that was not replaced. Code does not count. @param phrases More texts to find. */
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
