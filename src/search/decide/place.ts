import { invalidInput } from '../../core/errors.js'
import { tryDecode } from '../../core/paths.js'
import type { SkillSummary } from '../../skill/skill.js'
import { reasonOf } from '../match/reason.js'
import type { Language, MatcherResult, MatchQuery, SkillMatch } from '../match/skill-match.js'

/** How much likelier a skill is the right one if its paths fit: a score below 0.44 stays below the threshold. */
const FIT_WEIGHT = 3
const MAX_FILES = 200
/** Globs of a skill, with `{a,b}` as two, and characters of each: a library is data from outside. */
const MAX_GLOBS = 32
const MAX_GLOB = 256

/** The paths of a skill. */
export type Paths = Pick<SkillSummary, 'paths' | 'pathsRequired'>

type Place = ReturnType<typeof placeOf>

/** Where the user works. */
export function placeOf({ files = [], url }: Pick<MatchQuery, 'files' | 'url'>) {
  const places = files.slice(0, MAX_FILES).map(shown => ({ shown, parts: toParts(shown) }))
  const page = url === undefined ? undefined : toUrl(url)
  const address = page && {
    shown: `${page.origin}${page.pathname}`,
    parts: toParts(tryDecode(page.pathname) ?? page.pathname),
  }
  const whole = page && {
    shown: address?.shown as string,
    parts: toParts(`${page.protocol}//${page.host}${page.pathname}`),
  }
  const all = address ? [...places, address] : places
  return {
    /** How much likelier the paths of a skill make it, and the first file, or else the URL, that they fit. */
    weigh({ paths = [], pathsRequired }: Paths): { weight: number; fits?: string } {
      const globs = paths.flatMap(path => (path.length > MAX_GLOB ? [] : expandBraces(path, MAX_GLOBS)))
      // A glob that fits everything says nothing.
      const telling = globs.filter(glob => !/^[*?./]*$/.test(glob)).slice(0, MAX_GLOBS)
      for (const glob of telling) {
        const segments = toGlob(glob)
        const candidates = !glob.includes('://') ? all : whole ? [whole] : []
        const found = candidates.find(({ parts }) => matchPath(segments, parts))
        if (found) return { weight: FIT_WEIGHT, fits: found.shown }
      }
      return { weight: pathsRequired && telling.length > 0 ? 0 : 1 }
    },
  }
}

/**
 * Applies a place to a result by Bayes' rule: a skill whose paths fit counts `FIT_WEIGHT` times, and one that requires a path which is absent
 * not at all. Without either, the result stays as it is.
 * @param pathsOf `undefined` for a skill that is gone.
 */
export function applyPlace(
  { abstained, ...result }: MatcherResult,
  place: Place,
  pathsOf: (skill: SkillMatch) => Paths | undefined,
  language: Language | undefined,
): MatcherResult {
  const weighed = result.matches.map(match => ({ match, ...place.weigh(pathsOf(match) ?? {}) }))
  const change = weighed.reduce((sum, { match, weight }) => sum + match.score * (weight - 1), 0)
  const matches = weighed
    .filter(({ weight }) => weight > 0)
    .map(({ match, fits, weight }): SkillMatch => {
      const score = (match.score * weight) / (1 + change)
      if (fits === undefined) return { ...match, score }
      const signals = { ...match.signals, place: fits }
      return { ...match, score, signals, reason: reasonOf(signals, language) }
    })
    .sort((a, b) => b.score - a.score)
  const reason = abstained ?? (matches.length === 0 ? 'no-common-word' : undefined)
  return {
    ...result,
    served: (result.served + change) / (1 + change),
    matches,
    ...(reason ? { abstained: reason } : {}),
  }
}

/** A segment of a glob: `**`, or what each character may be, `undefined` for any number of them. */
type Segment = '**' | readonly (((character: string) => boolean) | undefined)[]

/** A glob without a slash fits at any depth, and one that ends with a slash fits everything below. */
function toGlob(glob: string): Segment[] {
  const path = glob.replace(/^(\.?\/)+/, '')
  const parts = toParts(path.endsWith('/') ? `${path}**` : path)
  const segments = parts.map(part => (part === '**' ? part : toSegment(part)))
  return glob.slice(0, -1).includes('/') ? segments : ['**', ...segments]
}

function toSegment(text: string): Segment {
  return (text.match(/\[!?[^\]]+\]|./gsu) ?? []).map(token => {
    if (token === '*') return undefined
    if (token === '?') return () => true
    if (token.length > 2 && token.startsWith('[')) return toSet(token.slice(1, -1))
    return one => one === token
  })
}

/** `a-z_` or, negated, `!a-z`. */
function toSet(text: string): (character: string) => boolean {
  const negated = /^[!^]/.test(text)
  const ranges = text.slice(negated ? 1 : 0).match(/.-.|./gu) ?? []
  const contains = (one: string): boolean =>
    ranges.some(range => {
      const [from = '', , to = from] = [...range]
      return one >= from && one <= to
    })
  return one => contains(one) !== negated
}

function matchPath(glob: readonly Segment[], path: readonly string[]): boolean {
  const isAnyRun = (accepts: unknown): boolean => accepts === undefined
  const matchPart = (segment: Segment, part: string): boolean =>
    segment !== '**' && matchRuns(segment, [...part], isAnyRun, (accepts, one) => accepts?.(one) === true)
  return matchRuns(glob, path, segment => segment === '**', matchPart)
}

/** Matches items by a pattern in which a star is any number of them. Goes back to the last star only, so that no pattern takes long. */
function matchRuns<Part, Item>(
  pattern: readonly Part[],
  items: readonly Item[],
  isStar: (part: Part) => boolean,
  accepts: (part: Part, item: Item) => boolean,
): boolean {
  let part = 0
  let star = -1
  let from = 0
  for (let item = 0; item < items.length; ) {
    const current = pattern[part]
    if (part < pattern.length && isStar(current as Part)) {
      star = part++
      from = item
    } else if (part < pattern.length && accepts(current as Part, items[item] as Item)) {
      part++
      item++
    } else if (star >= 0) {
      part = star + 1
      item = ++from
    } else return false
  }
  return pattern.slice(part).every(isStar)
}

/** `*.{ts,tsx}` as `*.ts` and `*.tsx`. Beyond `most`, the rest is left out. */
function expandBraces(glob: string, most: number): string[] {
  const [whole, before = '', choices = '', after = ''] = /^([^{}]*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? []
  if (whole === undefined) return [glob]
  const expanded: string[] = []
  for (const choice of choices.split(',')) {
    if (expanded.length >= most) break
    expanded.push(...expandBraces(`${before}${choice}${after}`, most - expanded.length))
  }
  return expanded
}

function toParts(path: string): string[] {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part, index) => part !== '' && (part !== '.' || index > 0))
}

function toUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw invalidInput('"url" must be an absolute URL, such as https://example.com/')
  }
}
