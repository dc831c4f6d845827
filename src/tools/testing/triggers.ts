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
import { readTriggers, type TriggerCase, type TriggerProblem } from './trigger-file.js'

/** A parsed triggers.yaml. */
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
  /** The first match. */
  got?: { id: SkillId; name: string; score: number }
  /** Best rank of an expected skill, 1 to 5. Absent if none is among the first five. */
  rank?: number
  /** Whether the score of the deciding match is above the threshold: the best expected skill, or the first match if no skill may match. */
  above: boolean
  /** Whether an expected skill ranks first. If no skill may match: whether no score is above the threshold. */
  passed: boolean
  /** Path of the triggers.yaml. */
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
  /** Cases and files that could not be read. */
  problems: number
}

/** The result of `runTriggers`. */
export interface TriggerReport {
  summary: TriggerSummary
  /** One outcome for each case that was run, in order. */
  cases: readonly TriggerOutcome[]
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

/**
 * Reads the triggers.yaml of each skill in a library.
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
    const file = skill.files.find(({ path }) => isTriggerFile(path))
    if (!file) continue
    const { bytes } = await library.read(owner.id, file.path, options)
    files.push({
      ...readTriggers(decodeText(bytes).text, joinPath(owner.path, file.path)),
      owner: owner.id,
    })
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
  let model = ''
  for (const [index, one] of cases.entries()) {
    const expected = expectedSkills(one, skills)
    if (typeof expected === 'string') {
      problems.push({ file: one.file, line: one.line, message: expected })
    } else {
      const result = await library.search(one.message, { limit: MAX_RANK, signal })
      model = result.model
      outcomes.push(judge(one, expected, result.matches, threshold))
    }
    onProgress?.({ phase: 'test', done: index + 1, total: cases.length })
  }
  return {
    summary: summarize(outcomes, problems),
    cases: outcomes,
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
function findByName(name: string, skills: readonly SkillSummary[]): SkillSummary[] {
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

function judge(
  { message, file, line }: TriggerCase,
  expected: readonly SkillSummary[],
  matches: readonly SkillMatch[],
  threshold: number,
): TriggerOutcome {
  const ids = new Set(expected.map(({ id }) => id))
  const [first] = matches
  const index = matches.findIndex(match => ids.has(match.id))
  const deciding = expected.length === 0 ? first : matches[index]
  const above = deciding !== undefined && deciding.score > threshold
  return {
    message,
    expected: [...new Set(expected.map(({ name }) => name))],
    ...(first ? { got: { id: first.id, name: first.name, score: first.score } } : {}),
    ...(index >= 0 ? { rank: index + 1 } : {}),
    above,
    passed: expected.length === 0 ? !above : index === 0,
    file,
    line,
  }
}

function summarize(
  outcomes: readonly TriggerOutcome[],
  problems: readonly TriggerProblem[],
): TriggerSummary {
  const positive = outcomes.filter(({ expected }) => expected.length > 0)
  const none = outcomes.filter(({ expected }) => expected.length === 0)
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
    problems: problems.length,
  }
}
