import { invalidInput } from '../../core/errors.js'
import {
  expandBraces,
  type Glob,
  matchGlob,
  type PathParts,
  parseGlob,
  type Steps,
  toPathParts,
} from '../../core/glob.js'
import { tryDecode } from '../../core/paths.js'
import { MAX_PATH, MAX_PATHS } from '../../skill/paths.js'
import type { SkillSummary } from '../../skill/skill.js'
import { reasonOf } from '../match/reason.js'
import type { Language, MatcherResult, MatchQuery, RankedMatch } from '../match/skill-match.js'

/** How much likelier a skill is the right one if its paths fit: a score below 0.44 stays below the threshold. */
const FIT_WEIGHT = 3
const MAX_FILES = 200
/** Characters of a file or address that are compared. No path of a file system is longer. */
const MAX_PLACE = 4_096
/** Globs of a skill, with `{a,b}` as two. */
const MAX_GLOBS = 32
/** Steps of a skill, about what 32 globs take for 200 files, and of all skills of a message, which share them equally. */
const SKILL_STEPS = 200_000
const ALL_STEPS = 10_000_000

/** The paths of a skill. */
export type Paths = Pick<SkillSummary, 'paths' | 'pathsRequired'>

/** Where the user works. */
export interface Place {
  /**
   * How much likelier the paths of a skill make it, and the first file, or else the URL, that they fit. The weight is 0 if the skill
   * requires paths and none of them is here.
   *
   * S6: each skill has a number of steps, which the paths of another one cannot spend. If they do not suffice, the paths say nothing, so
   * that no skill is left out for paths that were not compared.
   * @param allowance Steps. Default 200,000.
   */
  weigh(skill: Paths, allowance?: number): { weight: number; fits?: string }
}
/** One of the paths of a skill. `!` before it makes an exception of those before it. */
interface PathGlob {
  glob: string
  parsed: Glob
  isException: boolean
}

/** A file, or the address of a page. */
interface Location {
  shown: string
  parts: PathParts
}

export function placeOf({ files = [], url }: Pick<MatchQuery, 'files' | 'url'>): Place {
  const page = url === undefined ? undefined : toUrl(url)
  const pageLocation = (path: string): Location[] =>
    page ? locate(`${page.origin}${page.pathname}`, path) : []
  const address = pageLocation(page ? (tryDecode(page.pathname) ?? page.pathname) : '')
  const whole = pageLocation(page ? `${page.protocol}//${page.host}${page.pathname}` : '')
  const all = [...files.slice(0, MAX_FILES).flatMap(file => locate(file, file)), ...address]

  /** The first file or page that a glob fits, and none of the exceptions after it. */
  const find = (
    { glob, parsed }: PathGlob,
    exceptions: readonly PathGlob[],
    steps: Steps,
  ): Location | undefined => {
    const fits = (one: Glob, { parts }: Location) => steps.left >= 0 && matchGlob(one, parts, steps)
    const candidates = glob.includes('://') ? whole : all
    return candidates.find(
      location => fits(parsed, location) && !exceptions.some(one => fits(one.parsed, location)),
    )
  }
  return {
    weigh({ paths = [], pathsRequired }, allowance = SKILL_STEPS) {
      const steps: Steps = { left: allowance }
      const { globs, isComplete } = tellingGlobs(paths, steps)
      const wanted = globs.filter(({ isException }) => !isException)
      for (const glob of wanted) {
        if (steps.left < 0) break
        const later = globs.slice(globs.indexOf(glob))
        const exceptions = later.filter(({ isException }) => isException)
        const found = find(glob, exceptions, steps)
        // Steps that ran out may have left out an exception.
        if (found && steps.left >= 0) return { weight: FIT_WEIGHT, fits: found.shown }
      }
      const isCertain = isComplete && steps.left >= 0
      return { weight: pathsRequired && wanted.length > 0 && isCertain ? 0 : 1 }
    },
  }
}

function locate(shown: string, path: string): Location[] {
  return path.length > MAX_PLACE ? [] : [{ shown, parts: toPathParts(path) }]
}

/** The globs that say something: one that fits everything does not. `isComplete`: there are no others. */
function tellingGlobs(
  paths: readonly string[],
  steps: Steps,
): { globs: readonly PathGlob[]; isComplete: boolean } {
  const globs: string[] = []
  let isComplete = paths.length <= MAX_PATHS
  for (const path of paths.slice(0, MAX_PATHS)) {
    if (globs.length > MAX_GLOBS || steps.left < 0) break
    const isShort = path.length <= MAX_PATH
    if (!isShort) isComplete = false
    const expanded = isShort ? expandBraces(path, MAX_GLOBS + 1, steps) : []
    globs.push(...expanded.filter(glob => !/^[*?./]*$/.test(glob)))
  }
  const read = globs.slice(0, MAX_GLOBS).map((glob): PathGlob => {
    steps.left -= glob.length
    const isException = glob.startsWith('!')
    return { glob, parsed: parseGlob(isException ? glob.slice(1) : glob), isException }
  })
  return { globs: read, isComplete: isComplete && globs.length <= MAX_GLOBS }
}

/**
 * Applies a place to a result by Bayes' rule: a skill whose paths fit counts `FIT_WEIGHT` times, and one that requires a path which is absent
 * not at all. Without either, the result stays as it is.
 * @param pathsOf `undefined` for a skill that is gone.
 */
export function applyPlace(
  { abstained, ...result }: MatcherResult,
  place: Place,
  pathsOf: (skill: RankedMatch) => Paths | undefined,
  language: Language | undefined,
): MatcherResult {
  const allowance = Math.min(SKILL_STEPS, Math.floor(ALL_STEPS / result.matches.length))
  const weighed = result.matches.map(match => ({
    match,
    ...place.weigh(pathsOf(match) ?? {}, allowance),
  }))
  const change = weighed.reduce((sum, { match, weight }) => sum + match.score * (weight - 1), 0)
  const matches = weighed
    .filter(({ weight }) => weight > 0)
    .map(({ match, fits, weight }): RankedMatch => {
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

function toUrl(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw invalidInput('"url" must be an absolute URL, such as https://example.com/')
  }
}
