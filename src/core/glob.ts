/*
 * Globs that cost a known number of steps. The published libraries compile a glob to a regular expression, whose time has no bound, and the
 * globs of a skill come from strangers.
 */

/** Steps that matching may still take. Below 0 they are spent, and what did not fit may fit after all. */
export interface Steps {
  left: number
}

/** A character of a glob: any number of any characters, any one, one of a set, or itself. */
type Token = '*' | '?' | CharacterSet | { is: string }

/** `[a-z_]` or, negated, `[!a-z]`. */
interface CharacterSet {
  ranges: readonly (readonly [from: string, to: string])[]
  negated: boolean
}

/** A segment of a glob: `**`, or its characters. One with a set has two readings: `[id]` is also the name of a folder. */
type GlobSegment = '**' | readonly (readonly Token[])[]

/** A glob, read once. */
export interface Glob {
  segments: readonly GlobSegment[]
  /** What a path must end with. */
  end: string
}

/** How a glob is read. */
export interface GlobOptions {
  /** Whether it fits all that is below a folder that it fits, as in .gitignore. @default only if its last segment has no wildcard */
  below?: boolean
}

/** A segment of a path. Its characters are split once, when a glob is compared with them. */
interface PathPart {
  text: string
  characters?: readonly string[]
}

export type PathParts = readonly PathPart[]

/**
 * Reads a glob. One without a slash fits at any depth. One that ends with a slash, or whose last segment has no wildcard, fits everything
 * below that folder.
 */
export function parseGlob(glob: string, { below }: GlobOptions = {}): Glob {
  const path = glob.replace(/^(\.?\/)+/, '')
  const parts = toParts(path)
  const last = parts.at(-1) ?? '**'
  const isFolder = below ?? (path.endsWith('/') || !/[*?]/.test(last))
  const segments = parts.map(
    (part): GlobSegment => (part === '**' ? part : parseSegment([...part])),
  )
  return {
    segments: [
      ...(glob.slice(0, -1).includes('/') ? [] : ['**' as const]),
      ...segments,
      ...(isFolder ? ['**' as const] : []),
    ],
    end: isFolder ? '' : literalEnd(last),
  }
}

/** What is after the last wildcard of a segment. */
function literalEnd(segment: string): string {
  return /[^*?\]]*$/.exec(segment)?.[0] ?? ''
}

function parseSegment(characters: readonly string[]): (readonly Token[])[] {
  const read = parseTokens(characters)
  return read.some(token => typeof token === 'object' && 'ranges' in token)
    ? [read, characters.map(toToken)]
    : [read]
}

function toToken(one: string): Token {
  return one === '*' || one === '?' ? one : { is: one }
}

function parseTokens(characters: readonly string[]): Token[] {
  const tokens: Token[] = []
  const lastEnd = characters.lastIndexOf(']')
  for (let at = 0; at < characters.length; at++) {
    const one = characters[at] as string
    // Without the comparison, many `[` would each look for an end that is missing.
    const end = one === '[' && at < lastEnd ? characters.indexOf(']', at) : -1
    if (end > at + 1) {
      tokens.push(parseSet(characters.slice(at + 1, end)))
      at = end
    } else tokens.push(toToken(one))
  }
  return tokens
}

function parseSet(characters: readonly string[]): CharacterSet {
  const negated = characters[0] === '!' || characters[0] === '^'
  const ranges: [string, string][] = []
  for (let at = negated ? 1 : 0; at < characters.length; at++) {
    const from = characters[at] as string
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length
    ranges.push([from, isRange ? (characters[at + 2] as string) : from])
    if (isRange) at += 2
  }
  return { ranges, negated }
}

/** Whether a path fits. `false` also if the steps are spent. */
export function matchGlob({ segments, end }: Glob, path: PathParts, steps: Steps): boolean {
  if (--steps.left < 0) return false
  // Most files have another extension.
  if (!(path.at(-1)?.text ?? '').endsWith(end)) return false
  return matchRuns(segments, path, SEGMENTS, steps)
}

/** How the parts of a pattern accept items. */
interface Acceptance<Part, Item> {
  /** Whether a part is any number of items. */
  isStar(part: Part): boolean
  accepts(part: Part, item: Item, steps: Steps): boolean
}

const CHARACTERS: Acceptance<Token, string> = {
  isStar: token => token === '*',
  accepts(token, one, steps) {
    if (token === '?') return true
    if (token === '*') return false
    if ('is' in token) return one === token.is
    steps.left -= token.ranges.length
    return token.ranges.some(([from, to]) => one >= from && one <= to) !== token.negated
  },
}

const SEGMENTS: Acceptance<GlobSegment, PathPart> = {
  isStar: segment => segment === '**',
  accepts(segment, part, steps) {
    part.characters ??= [...part.text]
    const { characters } = part
    return (
      segment !== '**' && segment.some(tokens => matchRuns(tokens, characters, CHARACTERS, steps))
    )
  },
}

/**
 * Matches items by a pattern in which a star is any number of them. It goes back to the last star only, so that it takes at most as many steps
 * as items times parts. S6: it ends when the steps are spent.
 */
function matchRuns<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  { isStar, accepts }: Acceptance<Part, Item>,
  steps: Steps,
): boolean {
  let part = 0
  let star = -1
  let from = 0
  for (let item = 0; item < items.length; ) {
    if (--steps.left < 0) return false
    const current = pattern[part]
    if (part < pattern.length && isStar(current as Part)) {
      star = part++
      from = item
    } else if (part < pattern.length && accepts(current as Part, items[item] as Item, steps)) {
      part++
      item++
    } else if (star >= 0) {
      part = star + 1
      item = ++from
    } else return false
  }
  return pattern.slice(part).every(isStar)
}

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`. Beyond `most`, or when the steps are spent, the rest is left out. */
export function expandBraces(glob: string, most: number, steps: Steps): string[] {
  steps.left -= glob.length
  if (steps.left < 0) return []
  const [whole, before = '', choices = '', after = ''] =
    /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? []
  if (whole === undefined) return [glob]
  const expanded: string[] = []
  for (const choice of choices.split(',')) {
    if (expanded.length >= most) break
    expanded.push(...expandBraces(`${before}${choice}${after}`, most - expanded.length, steps))
  }
  return expanded
}

/** The segments of a path. Like those of a glob they are in Unicode's composed form, because a file system may decompose names. */
export function toPathParts(path: string): PathParts {
  return toParts(path).map(text => ({ text }))
}

function toParts(path: string): string[] {
  return path
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter((part, index) => part !== '' && (part !== '.' || index > 0))
}
