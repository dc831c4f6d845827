/*
 * Paths in a message, as people write, paste and drag them, and as hosts write the files that a user names: `/home/ada/rope.jpg`,
 * `@src/tax.ts`, `"C:\My files\a.docx"`, `/a/My\ files/b.pdf`, `[tax.ts](src/tax.ts)`, `src/[id]/page.tsx`.
 */

/** Scripts without blanks: a path may stand between their words. */
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`
/** One character of a name, an escaped blank, or a group as routers have it: `[id]`, `(shop)`. No text is a unit in two ways. */
const UNIT = String.raw`(?:[\p{L}\p{M}\w.@~+$%*&=,-]|\\[ ()&']|\([\w .@~+-]{1,40}\)|\[[\w .@~+-]{1,40}\])`
/** A backslash before a blank or a parenthesis escapes it. */
const SEPARATOR = String.raw`(?:\/|\\(?![ ()&'\n]))`
const ROOT = [
  String.raw`(?:file|vscode|cursor):\/{2,3}`,
  String.raw`[#@](?:file|folder|dir|code):\/?`,
  String.raw`@?(?:[A-Za-z]:[\\/]|~[\\/]|\.{1,2}[\\/]|\\\\|\/)`,
  String.raw`\$(?:\{[A-Za-z]\w{0,40}\}|[A-Za-z]\w{0,40})[\\/]`,
  String.raw`%[A-Za-z]\w{0,40}%[\\/]`,
  '@',
].join('|')
/** A place in the file: `:12:3`, `#L10-20`. */
const LOCATION = String.raw`(?::\d{1,7}(?::\d{1,7})?|#L?\d{1,7}(?:-L?\d{1,7})?)`
/** A run of names with separators. No match begins inside another, and nothing can be divided in two ways, so the time is linear. */
const RUN = new RegExp(
  String.raw`(?<![\p{L}\w\/:.\\@~+$%-])(?:${ROOT})?(?:${UNIT}+${SEPARATOR}+)*${UNIT}*${LOCATION}?`,
  'gu',
)
/** Of what stands in quotes or is the target of a link, blanks are part. */
const QUOTED = /@?(["'`])([^"'`\n]{1,300})\1/g
const LINK = /\[[^[\]\n]{1,200}\]\(([^()\s]{1,300})\)/g
const HAS_SEPARATOR = /[\\/]|@\w[\w-]*\./

const LEADING_WORD = new RegExp(`^${UNSPACED}+`, 'u')
const LEADING_ROOT = new RegExp(`^(?:${ROOT})`, 'u')
const TRAILING_LOCATION = new RegExp(`${LOCATION}$`, 'u')
const EXTENSION = /\.([A-Za-z]\w{0,7})$/
/** The name of a file before words of a script without blanks, or particles: `tax.ts看看`, `tax.ts를`. */
const NAME_BEFORE_WORD = /^(.*\.[A-Za-z][A-Za-z\d]{0,7})(?=[^\0-\x7f])/u
const TRAILING_MARKS = /[.,*&=+-]+$/
const DOMAIN = /^(?:[\w-]+\.)+[A-Za-z]{2,}[\\/]/
/** The first folder of paths in a project. */
const PROJECT_FOLDER = /^(?:src|packages|node_modules|dist|\.[a-z][\w-]*)[\\/]/i

/** A text without its paths. */
export interface WithoutPaths {
  /** The text, with the extension of each path in its place: the kind of a file is part of what is asked. */
  text: string
  /** The text without the extensions. */
  rest: string
  paths: string[]
}

/** Takes the paths out of a text. URLs, package names and "and/or" stay. */
export function withoutPaths(text: string): WithoutPaths {
  if (!HAS_SEPARATOR.test(text)) return { text, rest: text, paths: [] }
  const paths: string[] = []
  const take = (path: string): string => {
    paths.push(path)
    return EXTENSION.exec(path.replace(TRAILING_LOCATION, ''))?.[0] ?? ''
  }
  const replaced = replacePaths(text, take)
  return { text: replaced, rest: paths.length === 0 ? text : replacePaths(text, () => ''), paths }
}

function replacePaths(text: string, replacement: (path: string) => string): string {
  return text
    .replace(LINK, (link, target: string) => (isPath(target) ? replacement(target) : link))
    .replace(QUOTED, (quoted, _, inner: string) =>
      isQuotedPath(inner) ? replacement(inner) : quoted,
    )
    .replace(RUN, run => {
      const { before, path, after } = splitRun(run)
      return path !== '' && isPath(path) ? `${before}${replacement(path)}${after}` : run
    })
}

/** The path in a run: without the words of a script without blanks that stand before and after it, and without punctuation. */
function splitRun(run: string): { before: string; path: string; after: string } {
  const word = LEADING_WORD.exec(run)?.[0] ?? ''
  // `文件/a.pdf` is a path. In `打开/home/a.pdf` and `打开src/a.pdf`, it begins after the word.
  const isFolder = /^[\\/][^\w]/.test(run.slice(word.length))
  const before = isFolder ? '' : word
  const location = TRAILING_LOCATION.exec(run)?.[0] ?? ''
  const path = run.slice(before.length, run.length - location.length)
  const nameStart = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  const name = path.slice(nameStart)
  const known =
    NAME_BEFORE_WORD.exec(name)?.[1] ?? (hasUnspaced(name) && !EXTENSION.test(name) ? '' : name)
  const kept = known.replace(TRAILING_MARKS, '')
  const isWhole = kept === name
  return {
    before,
    path: path.slice(0, nameStart) + kept + (isWhole ? location : ''),
    after: name.slice(kept.length) + (isWhole ? '' : location),
  }
}

function hasUnspaced(text: string): boolean {
  return new RegExp(UNSPACED, 'u').test(text)
}

/** In quotes, a path has a root, or an extension. */
function isQuotedPath(text: string): boolean {
  const root = LEADING_ROOT.exec(text)?.[0] ?? ''
  return isPath(text) && (root.length > 1 || EXTENSION.test(text)) && !/[\\/] /.test(text)
}

function isPath(path: string): boolean {
  const plain = path.replace(TRAILING_LOCATION, '')
  const root = LEADING_ROOT.exec(plain)?.[0] ?? ''
  const inside = plain.slice(root.length)
  const segments = inside.split(/[\\/]+/).filter(segment => segment !== '')
  const isFolder = /[\\/]$/.test(inside)
  const extension = EXTENSION.exec(inside)?.[1]
  if (segments.length === 0) return false
  // A file, or a folder with a slash at its end. `@vue/test-utils` is a package, `@ada` a person.
  if (root === '@') {
    const isFile =
      segments.length > 1 ? extension !== undefined : /^[a-z][a-z\d]{0,4}$/.test(extension ?? '')
    return isFile || isFolder || segments.length > 2
  }
  if (root === '') {
    if (segments.length < 2 || /:\/\//.test(inside) || DOMAIN.test(inside)) return false
    if (PROJECT_FOLDER.test(inside)) return true
    // Two names, such as React/Next.js.
    if (segments.length === 2 && /^[A-Z]/.test(inside)) return false
    return extension !== undefined || isFolder
  }
  // A command, such as `/review`, has one segment.
  return extension !== undefined || segments.length > 1 || root !== '/'
}
