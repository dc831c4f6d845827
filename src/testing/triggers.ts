import { nearestNames } from '../catalog/lookup.js'
import { joinPath } from '../core/paths.js'
import type { SkillLibrary } from '../library/types.js'
import type { SkillMatch } from '../match/types.js'
import { decodeText } from '../skill/decode.js'
import type { SkillId, SkillSummary } from '../skill/types.js'
import { readTriggers, type TriggerCase, type TriggerProblem } from './trigger-file.js'

/** A triggers.yaml, read. */
export interface TriggerFile {
  cases: readonly TriggerCase[]
  problems: readonly TriggerProblem[]
  /** The skill that the file stands beside. `undefined`: beside none. */
  owner: SkillId | undefined
}

/** One message, answered. */
export interface TriggerOutcome {
  message: string
  /** Names of the skills that may come first; empty: none. */
  expected: readonly string[]
  /** The first match. */
  got?: { id: SkillId; name: string; score: number }
  /** Where the first expected skill stands, 1 to 5. */
  rank?: number
  /** Whether the match that decides is above the threshold. */
  above: boolean
  /** An expected skill came first; for none: nothing was above the threshold. */
  passed: boolean
  file: string
  line: number
}

export interface TriggerSummary {
  total: number
  passed: number
  failed: number
  /** Cases that name a skill: how many there are, how often it came first and among the first five, and how often first and above the threshold. */
  positive: number
  first: number
  amongFive: number
  above: number
  recallAt1: number | null
  recallAt5: number | null
  /** Cases of `none`, and how many of them found nothing above the threshold. */
  none: number
  abstained: number
  /** Cases and files that could not be read. */
  problems: number
}

export interface TriggerReport {
  summary: TriggerSummary
  cases: readonly TriggerOutcome[]
  problems: readonly TriggerProblem[]
  threshold: number
  /** What was tested: the library's revision, and what ranked. */
  revision: string
  model: string
}

export interface TriggerOptions {
  /** As in `match`. Default 0.7. */
  threshold?: number | undefined
  onProgress?: ((done: number, total: number) => void) | undefined
  signal?: AbortSignal | undefined
}

const TRIGGERS = /^triggers\.ya?ml$/i
const THRESHOLD = 0.7
const NEAREST = 5

/** Whether a file of this name holds trigger tests. */
export function isTriggerFile(name: string): boolean {
  return TRIGGERS.test(name)
}

/** Reads the triggers.yaml beside each skill, in the order of the skills. */
export async function collectTriggers(
  library: SkillLibrary,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<TriggerFile[]> {
  const files: TriggerFile[] = []
  for (const owner of library.snapshot.skills) {
    const skill = await library.get(owner.id, options)
    const file = skill.files.find(({ path }) => isTriggerFile(path))
    if (!file) continue
    const { bytes } = await library.read(owner.id, file.path, options)
    files.push({ ...readTriggers(decodeText(bytes).text, joinPath(owner.path, file.path)), owner: owner.id })
  }
  return files
}

/**
 * Asks a library every message, and says whether the right skill came first. A case that cannot be asked is a problem and
 * hides no other.
 */
export async function runTriggers(
  library: SkillLibrary,
  files: readonly TriggerFile[],
  { threshold = THRESHOLD, onProgress, signal }: TriggerOptions = {},
): Promise<TriggerReport> {
  const { skills, revision } = library.snapshot
  const problems = files.flatMap(file => file.problems)
  const cases = files.flatMap(({ cases: some, owner }) => some.map(one => ({ ...one, owner })))
  const outcomes: TriggerOutcome[] = []
  let model = ''
  for (const [at, one] of cases.entries()) {
    const expected = expectedOf(one, skills)
    if (typeof expected === 'string') problems.push({ file: one.file, line: one.line, message: expected })
    else {
      const result = await library.search(one.message, { limit: NEAREST, ...(signal ? { signal } : {}) })
      model = result.model
      outcomes.push(judge(one, expected, result.matches, threshold))
    }
    onProgress?.(at + 1, cases.length)
  }
  return { summary: summaryOf(outcomes, problems), cases: outcomes, problems, threshold, revision, model }
}

/** The skills that may come first, or what is wrong with the names. */
function expectedOf(
  { skills: names, owner }: TriggerCase & { owner: SkillId | undefined },
  skills: readonly SkillSummary[],
): SkillSummary[] | string {
  if (names === undefined) {
    const own = skills.filter(({ id }) => id === owner)
    return own.length > 0 ? own : 'the case stands beside no skill; say which with skill: NAME or none'
  }
  const expected: SkillSummary[] = []
  for (const name of names) {
    const found = named(name, skills)
    if (found.length === 0) {
      const near = nearestNames(name, skills)
      return `there is no skill ${name}${near.length > 0 ? `; nearest: ${near.join(', ')}` : ''}`
    }
    expected.push(...found)
  }
  return expected
}

/** As a library looks names up, except that all skills of one name may come first. */
function named(name: string, skills: readonly SkillSummary[]): SkillSummary[] {
  const folded = name.toLowerCase()
  const ways: ((skill: SkillSummary) => boolean)[] = [
    skill => skill.id === name || skill.path === name,
    skill => skill.name === name,
    skill => skill.displayName === name,
    skill => skill.name.toLowerCase() === folded || skill.displayName?.toLowerCase() === folded,
  ]
  for (const way of ways) {
    const found = skills.filter(way)
    if (found.length > 0) return found
  }
  return []
}

function judge(
  { message, file, line }: TriggerCase,
  expected: readonly SkillSummary[],
  matches: readonly SkillMatch[],
  threshold: number,
): TriggerOutcome {
  const ids = new Set(expected.map(({ id }) => id))
  const [first] = matches
  const at = matches.findIndex(match => ids.has(match.id))
  const deciding = expected.length === 0 ? first : matches[at]
  const above = deciding !== undefined && deciding.score > threshold
  return {
    message,
    expected: [...new Set(expected.map(({ name }) => name))],
    ...(first ? { got: { id: first.id, name: first.name, score: first.score } } : {}),
    ...(at >= 0 ? { rank: at + 1 } : {}),
    above,
    passed: expected.length === 0 ? !above : at === 0,
    file,
    line,
  }
}

function summaryOf(outcomes: readonly TriggerOutcome[], problems: readonly TriggerProblem[]): TriggerSummary {
  const positive = outcomes.filter(({ expected }) => expected.length > 0)
  const none = outcomes.filter(({ expected }) => expected.length === 0)
  const passed = outcomes.filter(one => one.passed).length
  const first = positive.filter(({ rank }) => rank === 1).length
  const amongFive = positive.filter(({ rank }) => rank !== undefined).length
  const share = (number: number): number | null => (positive.length === 0 ? null : number / positive.length)
  return {
    total: outcomes.length,
    passed,
    failed: outcomes.length - passed,
    positive: positive.length,
    first,
    amongFive,
    above: positive.filter(({ rank, above }) => rank === 1 && above).length,
    recallAt1: share(first),
    recallAt5: share(amongFive),
    none: none.length,
    abstained: none.filter(one => one.passed).length,
    problems: problems.length,
  }
}
