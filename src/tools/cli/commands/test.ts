import { SkillshelfError } from '../../../core/errors.js'
import { basename, dirname } from '../../../core/paths.js'
import { plainLine } from '../../../core/sanitize.js'
import type { SkillLibrary } from '../../../library/api/skill-library.js'
import { skillId } from '../../../library/catalog/snapshot.js'
import { twoDigits } from '../../../search/match/score.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import { readTriggers } from '../../testing/trigger-file.js'
import {
  collectTriggers,
  hasTriggers,
  isTriggerFile,
  runTriggers,
  type TriggerFile,
  type TriggerReport,
} from '../../testing/triggers.js'
import {
  type CommandDefinition,
  type CommonFlags,
  DIR_HELP,
  OPTIONS,
  thresholdOption,
} from '../command.js'
import {
  EXIT,
  type Io,
  plural,
  printErrors,
  printJson,
  printLines,
  withProgressBar,
} from '../io.js'
import { openSkills } from '../open-library.js'
import { readText } from '../skill-triggers.js'
import { type Cell, colorsFor, printTable } from '../table.js'

type TestFlags = CommonFlags & { threshold: number }

export const testCommand: CommandDefinition = (command, run) =>
  command('test', 'Run trigger tests (triggers.yaml, trigger-evals.json)', [
    'test',
    'test ~/skills --json',
  ])
    .argument('[dir]', DIR_HELP)
    .addOption(thresholdOption('; cases with "skill: none" must stay at or below it'))
    .addOption(OPTIONS.noMeaning)
    .addOption(OPTIONS.json)
    .action(run(test))

async function test(io: Io, dir: string | undefined, flags: TestFlags): Promise<number> {
  const { library, source, where } = await openSkills(io, dir, flags)
  await using _ = library
  const { signal } = io
  const listed = await readListedTriggers(source, library, signal)
  // Files of a packed library are named by digest, so they are read through the library.
  const files = listed.length > 0 ? listed : await collectTriggers(library, { signal })
  if (files.length === 0) {
    throw new SkillshelfError(
      'resource-not-found',
      `No triggers.yaml or trigger-evals.json found in ${where}`,
      {
        hint: 'create triggers.yaml beside a SKILL.md, with a line "- message: ..." for each message that should match the skill',
      },
    )
  }
  const report = await withProgressBar(io, bar =>
    runTriggers(library, files, {
      threshold: flags.threshold,
      onProgress: ({ done, total }) => bar.update('testing', done, total),
      signal,
    }),
  )
  if (flags.json) printJson(io, report)
  else printReport(io, report)
  return report.summary.failed > 0 || report.problems.length > 0 ? EXIT.failed : EXIT.ok
}

/** Reads the trigger tests beside and below each SKILL.md and at the root of a source that can be listed. */
async function readListedTriggers(
  source: SkillSource,
  library: SkillLibrary,
  signal: AbortSignal | undefined,
) {
  const { skills, diagnostics } = library.snapshot
  const owners = new Map(skills.map(skill => [skill.path, skill.id]))
  const copies = new Set(skills.flatMap(skill => skill.copies ?? []))
  const listing = (await source.list?.({ signal })) ?? []
  // A packed library may contain copies of skills for other clients.
  if (listing.some(({ path }) => path === CATALOG_FILE)) return []
  const paths = listing.map(({ path }) => path)
  const folders = new Set([
    '',
    ...paths.filter(path => /^skill\.md$/i.test(basename(path))).map(dirname),
  ])
  const files: TriggerFile[] = []
  /** The folder of the skill that a file of trigger tests belongs to, or `''`. */
  const folderOf = (path: string): string => {
    let folder = dirname(path)
    while (!folders.has(folder)) folder = dirname(folder)
    return folder
  }
  const isBeside = (path: string): boolean => folders.has(dirname(path))
  for (const path of paths
    .filter(path => (isTriggerFile(basename(path)) ? isBeside(path) : hasTriggers(path)))
    .sort()) {
    const folder = folderOf(path)
    if (copies.has(folder)) continue
    const owner = owners.get(folder)
    if (owner || folder === '') {
      const text = await readText(source, path, signal)
      if (text !== undefined) files.push({ ...readTriggers(text, path), owner })
      continue
    }
    const id = skillId(source.name, folder)
    const disabled = diagnostics.some(one => one.code === 'skill-disabled' && one.path === id)
    const message = 'its skill was left out; see: skillshelf validate'
    // Disabling a skill is intended and no problem.
    files.push({ cases: [], problems: disabled ? [] : [{ file: path, message }], owner })
  }
  return files
}

function printReport(io: Io, report: TriggerReport): void {
  const { summary, cases, skills, problems, threshold } = report
  const colors = colorsFor(io)
  const failed = cases.filter(({ passed }) => !passed)
  if (failed.length > 0) {
    const rows = failed.map(({ message, expected, rejected, got, file, line }): Cell[] => [
      message,
      rejected === undefined ? expected.join(' or ') || 'none' : `not ${rejected}`,
      { text: got?.name ?? 'none', paint: colors.red },
      got ? twoDigits(got.score) : '',
      `${file}:${line}`,
    ])
    printTable(
      io,
      [
        ['message', 'flexible'],
        ['expected'],
        ['got'],
        ['score', 'right'],
        ['location', 'flexible'],
      ],
      rows,
    )
    printLines(io, '')
  }
  for (const { file, line, message } of problems) {
    printErrors(
      io,
      `skillshelf: ${plainLine(file)}${line === undefined ? '' : `:${line}`}: ${plainLine(message)}`,
    )
  }

  if (skills.length > 0) {
    const share = (part: number | null): string => (part === null ? '' : part.toFixed(2))
    printTable(
      io,
      [['skill'], ['precision', 'right'], ['recall', 'right'], ['messages', 'right']],
      skills.map(({ name, precision, recall, positive }): Cell[] => [
        name,
        share(precision),
        share(recall),
        String(positive),
      ]),
    )
    printLines(io, '')
  }

  const { total, passed, positive, first, amongFive, above, none, abstained, near } = summary
  const percent = (part: number): string => `${((part / positive) * 100).toFixed(1)} %`
  const shares = [
    `R@1 ${percent(first)} (${first}/${positive})`,
    `R@5 ${percent(amongFive)}`,
    `first and above ${threshold}: ${above}/${positive}`,
  ]
  const counts = [
    (passed === total && problems.length === 0 ? colors.green : colors.red)(
      `${passed} of ${total} passed`,
    ),
    ...(positive > 0 ? shares : []),
    ...(none > 0 ? [`abstained ${abstained}/${none}`] : []),
    ...(near > 0 ? [`near misses that match ${near - summary.rejected}/${near}`] : []),
    ...(problems.length > 0 ? [colors.red(plural(problems.length, 'problem'))] : []),
  ]
  printLines(io, counts.join(', '))
}
