import { tryDecode, trySafePath } from '../core/paths.js'

/** A file of the skill that its instructions name. */
export interface FileReference {
  /** The path as written, without leading `./`, query and fragment. */
  path: string
  /** 1-based line. */
  line: number
  /** A link of Markdown, or a path in text or in a command, which may also be one in the user's project. */
  kind: 'link' | 'mention'
}

const FENCE = /^\s{0,8}(?:[-*+>]\s+)?(`{3,}|~{3,})/
/** The address of a Markdown link or image. */
const LINK =
  /\]\([ \t]{0,8}<?([^()\s<>]{1,512}(?:\([^()\s]{0,512}\)[^()\s<>]{0,512})?)>?(?:[ \t]+["'][^"'\n]{0,512}["'])?[ \t]{0,8}\)/g
/** The address of a link reference definition. */
const DEFINITION = /^ {0,3}\[[^\]^][^\]]{0,200}\]:[ \t]{1,8}<?([^\s<>]{1,512})>?/
/** A path in one of the folders of the specification, in text or in a command. */
const MENTION =
  /(?<=^|[\s"'`(=])(?:\.\/)?((?:scripts|references|assets)\/[\w./-]{1,512}\.[A-Za-z]\w{0,8})(?=$|[\s"'`),.:;])/g
/** Words before a path that is to be written, or is an example: "save it as scripts/report.py". */
const TO_WRITE =
  /(?:\b(?:create|creates|generate|generates|write|writes|save|saves|add|adds|put|store|output|outputs|produce|touch|rename|for example|such as|like|named|called)\b|\be\.g\.?)[^.!?]{0,60}$|(?:创建|生成|写入|保存|输出|例如|比如)[^。！？]{0,30}$/i
/** Names that stand for others. */
const STANDS_FOR_OTHERS =
  /(?:^|[/._-])(?:your|my|some|foo|bar|baz|xxx+|yyy+|example|sample|placeholder)(?=[._-][^/]*$)|\/(?:file|filename|script|name|skill|xx?)\.\w+$/i
const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** The relative paths that a Markdown text names, each with its first line: links, images, `scripts/…`. Links in code do not count. */
export function fileReferences(text: string): FileReference[] {
  const found = new Map<string, FileReference>()
  const add = (address: string, line: number, kind: FileReference['kind']): void => {
    const written = address.replace(/[?#].*$/, '').replace(/^(?:\.\/)+/, '')
    const path = tryDecode(written) ?? written
    if (path === '' || SCHEME.test(path) || /^[/\\~]/.test(path) || /[{}$*|…]|\.\.\./.test(path)) {
      return
    }
    if (kind === 'mention' && STANDS_FOR_OTHERS.test(path)) return
    if (!found.has(path)) found.set(path, { path, line, kind })
  }
  for (const { text: line, number, inCode } of markdownLines(text)) {
    if (!inCode) {
      const prose = line.replace(/`[^`]*`/g, code => ' '.repeat(code.length))
      for (const [, address = ''] of prose.matchAll(LINK)) add(address, number, 'link')
      const [, address] = DEFINITION.exec(prose) ?? []
      if (address) add(address, number, 'link')
    }
    // In code, assets/ is often a folder of the user's project.
    for (const { 1: path = '', index } of line.matchAll(MENTION)) {
      const isToWrite = !inCode && TO_WRITE.test(line.slice(0, index))
      if (!isToWrite && !(inCode && path.startsWith('assets/'))) add(path, number, 'mention')
    }
  }
  return [...found.values()]
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

/** The lines of a Markdown text, and whether each belongs to a code block or comment. */
function* markdownLines(
  text: string,
): Generator<{ text: string; number: number; inCode: boolean }> {
  let fence = ''
  let inComment = false
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    const [, mark = ''] = FENCE.exec(line) ?? []
    const closes = fence !== '' && mark.startsWith(fence)
    const opens = fence === '' && mark !== '' && !inComment
    if (fence === '' && line.includes('<!--')) inComment = true
    yield { text: line, number: index + 1, inCode: fence !== '' || opens || inComment }
    if (inComment && line.includes('-->')) inComment = false
    if (opens) fence = mark
    else if (closes) fence = ''
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
