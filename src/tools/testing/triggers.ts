import type { AbortOptions } from '../../core/abort.js'
import { joinPath } from '../../core/paths.js'
import type { OnProgress } from '../../core/progress.js'
import { similarNames } from '../../core/text/nearest-name.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { SkillMatch } from '../../library/api/match-result.js'
import type { SkillLibrary } from '../../library/api/skill-library.js'
import { THRESHOLD } from '../../search/match/score.js'
import { decodeText } from '../../skill/decode.js'
import type { SkillId, SkillSummary } from '../../skill/skill.js'
import type { TriggerCase, TriggerProblem } from './trigger-case.js'
import { isTriggerEvals } from './trigger-evals.js'
import { readTriggers } from './trigger-file.js'

/** A parsed file of trigger tests. */
export interface TriggerFile {
  cases: readonly TriggerCase[]
  problems: readonly TriggerProblem[]
  /** Id of the skill in the file's folder. `undefined` for a file at the root. */
  owner: SkillId | undefined
}

/** The result of one case. */
export interface TriggerOutcome {
  message: string
  /** Names of the skills that may rank first. Empty if no skill may match. */
  expected: readonly string[]
  /** Name of the skill that must not match: a near miss. Then `expected` is empty. */
  rejected?: string
  /** The first match. */
  got?: { id: SkillId; name: string; score: number }
  /** Best rank of an expected skill, 1 to 5. Absent if none is among the first five. */
  rank?: number
  /** Whether the score of the deciding match is above the threshold: the best expected skill, or the first match if no skill may match. */
  above: boolean
  /** Whether an expected skill ranks first. Otherwise: whether no skill, or not the rejected one, ranks first with a score above the threshold. */
  passed: boolean
  /** Path of the file. */
  file: string
  /** Line of the case, from 1. */
  line: number
}

/** Counts over all cases. */
export interface TriggerSummary {
  /** Cases that were run. */
  total: number
  passed: number
  failed: number
  /** Cases that expect a skill. */
  positive: number
  /** Of `positive`: an expected skill ranks first. */
  first: number
  /** Of `positive`: an expected skill is among the first five. */
  amongFive: number
  /** Of `positive`: an expected skill ranks first, with a score above the threshold. */
  above: number
  /** `first / positive`. `null` if `positive` is 0. */
  recallAt1: number | null
  /** `amongFive / positive`. `null` if `positive` is 0. */
  recallAt5: number | null
  /** Cases with `skill: none`. */
  none: number
  /** Of `none`: no score is above the threshold. */
  abstained: number
  /** Near misses. */
  near: number
  /** Of `near`: the skill does not match. */
  rejected: number
  /** Cases and files that could not be read. */
  problems: number
}

/** How well one skill matches in all cases. It matches a message if it ranks first with a score above the threshold. */
export interface SkillTriggers {
  id: SkillId
  name: string
  /** Cases that expect it. */
  positive: number
  /** Of `positive`: it matches. */
  found: number
  /** Cases that it matches, those of other skills too, except their near misses: these may be its own. */
  fired: number
  /** Of `fired`: a case that expects it. `null` if it matches none. */
  precision: number | null
  /** `found / positive`. `null` if `positive` is 0. */
  recall: number | null
}

/** The result of `runTriggers`. */
export interface TriggerReport {
  summary: TriggerSummary
  /** One outcome for each case that was run, in order. */
  cases: readonly TriggerOutcome[]
  /** The skills that a case expects or rejects, or that match one, in the order of the library. */
  skills: readonly SkillTriggers[]
  problems: readonly TriggerProblem[]
  threshold: number
  /** Revision of the library. */
  revision: string
  /** Name of the model that ranked the skills. */
  model: string
}

/** Options of `runTriggers`. */
export interface TriggerOptions extends AbortOptions {
  /** Score above which a skill matches, 0 to 1. @default 0.7 */
  threshold?: number | undefined
  /** Called after each case, with the phase `test`. */
  onProgress?: OnProgress | undefined
}

const FILE_NAME = /^triggers\.ya?ml$/i
const MAX_RANK = 5

/** Whether a file name is `triggers.yaml` or `triggers.yml`. */
export function isTriggerFile(name: string): boolean {
  return FILE_NAME.test(name)
}

/** Whether a file has trigger tests, by its path in the folder of its skill: JSON may be in folders below. */
export function hasTriggers(path: string): boolean {
  return isTriggerFile(path) || isTriggerEvals(path)
}

/**
 * Reads the trigger tests of each skill in a library: its triggers.yaml, and files such as `evals/trigger-evals.json`.
 * @param options `signal` aborts the reads.
 * @returns The parsed files, in the order of the skills.
 * @throws {SkillshelfError} the errors of `library.get` and `library.read`.
 * @example
 * ```ts
 * import { openLibrary } from 'skillshelf'
 * import { collectTriggers, runTriggers } from 'skillshelf/testing'
 *
 * await using library = await openLibrary('https://example.com/skills/')
 * const { summary } = await runTriggers(library, await collectTriggers(library))
 * console.log(`${summary.passed} of ${summary.total} passed`)
 * ```
 */
export async function collectTriggers(
  library: SkillLibrary,
  options: AbortOptions = {},
): Promise<TriggerFile[]> {
  const files: TriggerFile[] = []
  for (const owner of library.snapshot.skills) {
    const skill = await library.get(owner.id, options)
    for (const { path } of skill.files.filter(file => hasTriggers(file.path))) {
      const { bytes } = await library.read(owner.id, path, options)
      const { text } = decodeText(bytes)
      files.push({ ...readTriggers(text, joinPath(owner.path, path)), owner: owner.id })
    }
  }
  return files
}

const OPTIONS = { threshold: 1, onProgress: 1, signal: 1 } satisfies OptionNames<TriggerOptions>

/**
 * Runs trigger tests: searches the library for each message and checks which skill ranks first.
 *
 * A case that names an unknown skill becomes a problem and does not affect the other cases.
 * @param files Parsed trigger files, from `collectTriggers` or `readTriggers`.
 * @throws {SkillshelfError} the errors of `library.search`.
 * @example
 * ```ts
 * import { memory, openLibrary } from 'skillshelf'
 * import { readTriggers, runTriggers } from 'skillshelf/testing'
 *
 * await using library = await openLibrary(
 *   memory({ 'slides/SKILL.md': '---\nname: slides\ndescription: Makes slides.\n---\nOutline first.' }),
 * )
 * const triggers = readTriggers('- message: make slides\n  skill: slides', 'triggers.yaml')
 * const { summary } = await runTriggers(library, [{ ...triggers, owner: undefined }])
 * ```
 */
export async function runTriggers(
  library: SkillLibrary,
  files: readonly TriggerFile[],
  options: TriggerOptions = {},
): Promise<TriggerReport> {
  checkOptionNames(options, OPTIONS)
  const { threshold = THRESHOLD, onProgress, signal } = options
  const { skills, revision } = library.snapshot
  const problems = files.flatMap(file => file.problems)
  const cases = files.flatMap(({ cases, owner }) => cases.map(one => ({ ...one, owner })))
  const outcomes: TriggerOutcome[] = []
  const counts = new Map(skills.map(({ id }) => [id, { positive: 0, found: 0, fired: 0, near: 0 }]))
  let model = ''
  for (const [index, one] of cases.entries()) {
    const expected = expectedSkills(one, skills)
    if (typeof expected === 'string') {
      problems.push({ file: one.file, line: one.line, message: expected })
    } else {
      const result = await library.search(one.message, { limit: MAX_RANK, signal })
      model = result.model
      const outcome = judge(one, expected, result.matches, threshold)
      outcomes.push(outcome)
      count(counts, one, expected, firedIn(result.matches, threshold))
    }
    onProgress?.({ phase: 'test', done: index + 1, total: cases.length })
  }
  return {
    summary: summarize(outcomes, problems),
    cases: outcomes,
    skills: skills.flatMap(({ id, name }) => measured(id, name, counts.get(id))),
    problems,
    threshold,
    revision,
    model,
  }
}

/** @returns The skills that may rank first, or a message about an invalid name. */
function expectedSkills(
  { skills: names, owner }: TriggerCase & { owner: SkillId | undefined },
  skills: readonly SkillSummary[],
): SkillSummary[] | string {
  if (names === undefined) {
    const own = skills.filter(({ id }) => id === owner)
    return own.length > 0
      ? own
      : 'the file is not in a skill folder; add skill: NAME or skill: none'
  }
  const expected: SkillSummary[] = []
  for (const name of names) {
    const found = findByName(name, skills)
    if (found.length === 0) {
      const near = similarNames(
        name,
        skills.map(skill => skill.name),
      )
      return `unknown skill ${name}${near.length > 0 ? `; nearest: ${near.join(', ')}` : ''}`
    }
    expected.push(...found)
  }
  return expected
}

/** Looks up a name as a library does, but accepts all skills that share it. */
export function findByName(name: string, skills: readonly SkillSummary[]): SkillSummary[] {
  const folded = name.toLowerCase()
  const lookups: ((skill: SkillSummary) => boolean)[] = [
    skill => skill.id === name || skill.path === name,
    skill => skill.name === name,
    skill => skill.displayName === name,
    skill => skill.name.toLowerCase() === folded || skill.displayName?.toLowerCase() === folded,
  ]
  for (const lookup of lookups) {
    const found = skills.filter(lookup)
    if (found.length > 0) return found
  }
  return []
}

/** Numbers of cases of one skill. */
interface Counts extends Pick<SkillTriggers, 'positive' | 'found' | 'fired'> {
  near: number
}

function count(
  counts: ReadonlyMap<SkillId, Counts>,
  { rejects }: TriggerCase,
  skills: readonly SkillSummary[],
  fired: SkillId | undefined,
): void {
  // Of skills that may all match, one does.
  const skill = skills.find(({ id }) => id === fired) ?? skills[0]
  const ofSkill = skill && counts.get(skill.id)
  if (ofSkill && rejects) ofSkill.near++
  else if (ofSkill) {
    ofSkill.positive++
    if (skill.id === fired) ofSkill.found++
  }
  const isOfOther = rejects && skill?.id !== fired
  const ofFired = fired === undefined || isOfOther ? undefined : counts.get(fired)
  if (ofFired) ofFired.fired++
}

function measured(id: SkillId, name: string, counts: Counts | undefined): SkillTriggers[] {
  const { positive = 0, found = 0, fired = 0, near = 0 } = counts ?? {}
  if (positive + fired + near === 0) return []
  const precision = fired === 0 ? null : found / fired
  const recall = positive === 0 ? null : found / positive
  return [{ id, name, positive, found, fired, precision, recall }]
}

function firedIn([first]: readonly SkillMatch[], threshold: number): SkillId | undefined {
  return first && first.score > threshold ? first.id : undefined
}

function judge(
  { message, rejects, file, line }: TriggerCase,
  expected: readonly SkillSummary[],
  matches: readonly SkillMatch[],
  threshold: number,
): TriggerOutcome {
  const ids = new Set(expected.map(({ id }) => id))
  const [first] = matches
  const index = matches.findIndex(match => ids.has(match.id))
  const deciding = expected.length === 0 ? first : matches[index]
  const above = deciding !== undefined && deciding.score > threshold
  const names = [...new Set(expected.map(({ name }) => name))]
  const isNone = expected.length === 0
  return {
    message,
    expected: rejects ? [] : names,
    ...(rejects ? { rejected: names.join(', ') } : {}),
    ...(first ? { got: { id: first.id, name: first.name, score: first.score } } : {}),
    ...(index >= 0 ? { rank: index + 1 } : {}),
    above,
    passed: rejects ? !(index === 0 && above) : isNone ? !above : index === 0,
    file,
    line,
  }
}

function summarize(
  outcomes: readonly TriggerOutcome[],
  problems: readonly TriggerProblem[],
): TriggerSummary {
  const positive = outcomes.filter(({ expected }) => expected.length > 0)
  const near = outcomes.filter(({ rejected }) => rejected !== undefined)
  const none = outcomes.filter(one => one.expected.length === 0 && one.rejected === undefined)
  const passed = outcomes.filter(one => one.passed).length
  const first = positive.filter(({ rank }) => rank === 1).length
  const amongFive = positive.filter(({ rank }) => rank !== undefined).length
  const share = (number: number): number | null =>
    positive.length === 0 ? null : number / positive.length
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
    near: near.length,
    rejected: near.filter(one => one.passed).length,
    problems: problems.length,
  }
}
