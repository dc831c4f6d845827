import { skillId } from '../catalog/snapshot.js'
import { basename, dirname } from '../core/paths.js'
import type { SkillLibrary } from '../library/types.js'
import { decodeText } from '../skill/decode.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import type { SkillSource } from '../source/types.js'
import { readTriggers } from '../testing/trigger-file.js'
import {
  collectTriggers,
  isTriggerFile,
  runTriggers,
  type TriggerFile,
  type TriggerReport,
} from '../testing/triggers.js'
import { commandError, EXIT } from './errors.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { openSkills } from './open-library.js'
import { startProgressBar } from './progress-bar.js'
import { type Cell, colorsFor, table } from './table.js'
import { plural, singleLine } from './text.js'

export interface TestFlags {
  threshold: number
  json?: boolean
  meaning?: boolean
}

/** `skillshelf test DIR`: does each message of the triggers.yaml files find its skill? */
export async function testCommand(io: Io, dir: string | undefined, flags: TestFlags): Promise<number> {
  const { library, source, where } = await openSkills(io, dir, flags)
  await using _ = library
  const beside = await readListed(io, source, library)
  // In a packed library files are named by digest, and only the library knows whose they are.
  const files = beside.length > 0 ? beside : await collectTriggers(library, cancellable(io))
  if (files.length === 0)
    throw commandError(
      `${where} has no triggers.yaml`,
      'put one beside a SKILL.md, with a line "- message: ..." for each message that should find the skill',
      'resource-not-found',
    )
  const progress = startProgressBar(io)
  let report: TriggerReport
  try {
    report = await runTriggers(library, files, {
      threshold: flags.threshold,
      onProgress: (done, total) => progress.update('testing', done, total),
      ...cancellable(io),
    })
  } finally {
    progress.stop()
  }
  if (flags.json) printJson(io, report)
  else tell(io, report)
  return report.summary.failed > 0 || report.problems.length > 0 ? EXIT.failed : EXIT.ok
}

/** Every triggers.yaml of a tree: beside a SKILL.md, and one at the root. */
async function readListed(io: Io, source: SkillSource, library: SkillLibrary): Promise<TriggerFile[]> {
  const { skills, diagnostics } = library.snapshot
  const owners = new Map(skills.map(skill => [skill.path, skill.id]))
  const listing = (await source.list?.(cancellable(io))) ?? []
  // Beside it a packed library may have copies for other clients.
  if (listing.some(({ path }) => path === CATALOG_FILE)) return []
  const folders = new Set(
    listing.filter(({ path }) => /(?:^|\/)skill\.md$/i.test(path)).map(({ path }) => dirname(path)),
  )
  const listed = listing
    .filter(({ path }) => isTriggerFile(basename(path)))
    .filter(({ path }) => dirname(path) === '' || folders.has(dirname(path)))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const files: TriggerFile[] = []
  for (const { path } of listed) {
    const owner = owners.get(dirname(path))
    if (!owner && dirname(path) !== '') {
      const id = skillId(source.name, dirname(path))
      const disabled = diagnostics.some(one => one.code === 'skill-disabled' && one.path === id)
      const message = 'the skill beside it was left out; see: skillshelf validate'
      // A disabled skill is never found, and its author knows.
      files.push({ cases: [], problems: disabled ? [] : [{ file: path, message }], owner })
      continue
    }
    const result = await source.read(path, cancellable(io))
    if (result && result !== 'unchanged') files.push({ ...readTriggers(decodeText(result.bytes).text, path), owner })
  }
  return files
}

function tell(io: Io, { summary, cases: outcomes, problems, threshold }: TriggerReport): void {
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
    io.stderr(`skillshelf: ${singleLine(file)}${line === undefined ? '' : `:${line}`}: ${singleLine(message)}\n`)

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
      ...(problems.length > 0 ? [colors.red(plural(problems.length, 'problem'))] : []),
    ].join(', '),
  )
}
