import { nearest } from '../catalog/lookup.js'
import { skillId } from '../catalog/snapshot.js'
import type { SkillLibrary } from '../library/types.js'
import type { SkillMatch } from '../match/types.js'
import { decodeText } from '../skill/decode.js'
import { dirname } from '../skill/path.js'
import type { SkillSummary } from '../skill/types.js'
import type { SkillSource } from '../source/types.js'
import { EXIT, failure } from './failure.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { openSkills } from './opening.js'
import { type Cell, colorsFor, table } from './output.js'
import { startProgress } from './progress.js'
import { count, oneLine } from './text.js'
import { readTriggers, type TriggerCase, type TriggerProblem } from './triggers.js'

export interface TestFlags {
  threshold: number
  json?: boolean
}

interface Outcome {
  message: string
  /** Names; empty: none. */
  expected: readonly string[]
  /** The first match. */
  got?: { id: string; name: string; score: number }
  /** Where the first expected skill stands, 1 to 5. */
  rank?: number
  /** Whether the match that decides is above the threshold. */
  above: boolean
  passed: boolean
  file: string
  line: number
}

const TRIGGERS = /^triggers\.ya?ml$/i
const NEAREST = 5

/** `skillshelf test DIR`: does each message of the triggers.yaml files find its skill? */
export async function testCommand(io: Io, dir: string | undefined, flags: TestFlags): Promise<number> {
  const { threshold } = flags
  const { library, source, where } = await openSkills(io, dir)
  await using _ = library
  const { files, problems } = await readAll(io, source, library)
  if (files.length === 0)
    throw failure(
      `${where} has no triggers.yaml`,
      'put one beside a SKILL.md, with a line "- message: ..." for each message that should find the skill',
      'resource-not-found',
    )
  const progress = startProgress(io)
  const outcomes: Outcome[] = []
  const cases = files.flatMap(file => file.cases.map(one => ({ ...one, owner: file.owner })))
  const { skills } = library.snapshot
  let model = ''
  try {
    for (const [at, one] of cases.entries()) {
      const expected = expectedOf(one, skills)
      if (typeof expected === 'string') {
        problems.push({ file: one.file, line: one.line, message: expected })
        continue
      }
      const result = await library.search(one.message, { limit: NEAREST, ...cancellable(io) })
      model = result.model
      outcomes.push(judge(one, expected, result.matches, threshold))
      progress.update('testing', at + 1, cases.length)
    }
  } finally {
    progress.stop()
  }

  const summary = summaryOf(outcomes, problems)
  if (flags.json) {
    const { revision } = library.snapshot
    printJson(io, { summary, threshold, revision, model, cases: outcomes, problems })
  } else tell(io, summary, outcomes, problems, threshold)
  return summary.failed > 0 || problems.length > 0 ? EXIT.failed : EXIT.fine
}

interface TriggerFile {
  cases: readonly TriggerCase[]
  /** The skill that the file stands beside. `undefined` at the root. */
  owner: SkillSummary | undefined
}

/** Every triggers.yaml: beside a SKILL.md, and one at the root. */
async function readAll(
  io: Io,
  source: SkillSource,
  library: SkillLibrary,
): Promise<{ files: TriggerFile[]; problems: TriggerProblem[] }> {
  const files: TriggerFile[] = []
  const problems: TriggerProblem[] = []
  const { skills, diagnostics } = library.snapshot
  const owners = new Map(skills.map(skill => [skill.path, skill]))
  const add = (file: string, owner: SkillSummary | undefined, bytes: Uint8Array): void => {
    const read = readTriggers(decodeText(bytes).text, file)
    problems.push(...read.problems)
    files.push({ cases: read.cases, owner })
  }

  const listing = (await source.list?.(cancellable(io))) ?? []
  const folders = new Set(
    listing.filter(({ path }) => /(?:^|\/)skill\.md$/i.test(path)).map(({ path }) => dirname(path)),
  )
  const listed = listing
    .filter(({ path }) => TRIGGERS.test(path.slice(path.lastIndexOf('/') + 1)))
    .filter(({ path }) => dirname(path) === '' || folders.has(dirname(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  for (const { path } of listed) {
    const owner = owners.get(dirname(path))
    if (!owner && dirname(path) !== '') {
      const id = skillId(source.name, dirname(path))
      const disabled = diagnostics.some(one => one.code === 'skill-disabled' && one.path === id)
      // A disabled skill is never found, and its author knows.
      if (!disabled)
        problems.push({ file: path, message: 'the skill beside it was left out; see: skillshelf validate' })
      continue
    }
    const result = await source.read(path, cancellable(io))
    if (result && result !== 'unchanged') add(path, owner, result.bytes)
  }
  if (listed.length > 0) return { files, problems }

  // A packed library: its files are named by digest, and only the library knows whose they are.
  for (const owner of skills) {
    const skill = await library.get(owner.id, cancellable(io))
    const file = skill.files.find(({ path }) => TRIGGERS.test(path))
    if (!file) continue
    const { bytes } = await library.read(owner.id, file.path, cancellable(io))
    add(owner.path === '' ? file.path : `${owner.path}/${file.path}`, owner, bytes)
  }
  return { files, problems }
}

/** The skills that may come first, or what is wrong with the names. */
function expectedOf(
  { skills: names, owner }: TriggerCase & { owner: SkillSummary | undefined },
  skills: readonly SkillSummary[],
): SkillSummary[] | string {
  if (names === undefined)
    return owner ? [owner] : 'the case stands beside no skill; say which with skill: NAME or none'
  const expected: SkillSummary[] = []
  for (const name of names) {
    const found = named(name, skills)
    if (found.length === 0) {
      const near = nearest(name, skills)
      return `there is no skill ${oneLine(name)}${near.length > 0 ? `; nearest: ${near.join(', ')}` : ''}`
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
): Outcome {
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

interface TestSummary {
  total: number
  passed: number
  failed: number
  /** Cases that name a skill: how many there are, how often it came first and among the first five, and how often above the threshold. */
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

function summaryOf(outcomes: readonly Outcome[], problems: readonly TriggerProblem[]): TestSummary {
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

function tell(
  io: Io,
  summary: TestSummary,
  outcomes: readonly Outcome[],
  problems: readonly TriggerProblem[],
  threshold: number,
): void {
  const colors = colorsFor(io)
  const failed = outcomes.filter(({ passed }) => !passed)
  if (failed.length > 0) {
    const rows = failed.map(({ message, expected, got, file, line }): Cell[] => [
      message,
      expected.join(' or ') || 'none',
      { text: got?.name ?? 'none', paint: colors.red },
      got ? got.score.toFixed(2) : '',
      `${file}:${line}`,
    ])
    io.stdout(
      table(
        io,
        [
          { head: 'message', flexible: true },
          { head: 'expected' },
          { head: 'got' },
          { head: 'score', right: true },
          { head: 'where', flexible: true },
        ],
        rows,
      ),
    )
    printLines(io, '')
  }
  for (const { file, line, message } of problems)
    io.stderr(`skillshelf: ${oneLine(file)}${line === undefined ? '' : `:${line}`}: ${oneLine(message)}\n`)

  const { total, passed, positive, first, amongFive, above, none, abstained } = summary
  const percent = (part: number, whole: number): string => `${((part / whole) * 100).toFixed(1)} %`
  printLines(
    io,
    [
      (passed === total && problems.length === 0 ? colors.green : colors.red)(`${passed} of ${total} passed`),
      ...(positive > 0
        ? [
            `R@1 ${percent(first, positive)} (${first}/${positive})`,
            `R@5 ${percent(amongFive, positive)}`,
            `first and above ${threshold}: ${above}/${positive}`,
          ]
        : []),
      ...(none > 0 ? [`abstained ${abstained}/${none}`] : []),
      ...(problems.length > 0 ? [colors.red(count(problems.length, 'problem'))] : []),
    ].join(', '),
  )
}
