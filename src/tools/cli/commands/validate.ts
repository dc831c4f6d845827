import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Option } from 'commander'
import { invalidInput } from '../../../core/errors.js'
import { readTree, type Tree } from '../../../library/catalog/read-tree.js'
import { checkRequired, requiringSkills } from '../../../library/catalog/required.js'
import { confusableNames } from '../../../library/catalog/snapshot.js'
import { openLibrary } from '../../../library/open-library.js'
import { inFolder } from '../../../library/store/write/install-input.js'
import { bundled } from '../../../search/model/bundled/package.js'
import type { ListableSource } from '../../../source/source.js'
import { projectFolders } from '../../hook/places.js'
import { type CommandDefinition, type CommonFlags, DIR_HELP, OPTIONS } from '../command.js'
import { type Dialect, dialectOption, missingFields, SYSTEM_RULES } from '../dialects.js'
import { homeOf } from '../environment.js'
import { folderSource } from '../folder-source.js'
import { EXIT, type Io, printJson, withProgressBar } from '../io.js'
import { findFolder, noSkillsError, rejectPacked } from '../open-library.js'
import { findOverlaps, type Overlap, printOverlaps } from '../overlap.js'
import { displayPath } from '../paths.js'
import { authoringDiagnostics } from '../validate-authoring.js'
import { fixSkills, printFixed } from '../validate-fix.js'
import { bySeverity, printReport, sarif, summarize } from '../validate-report.js'
import { leftOutOfMcp } from './mcp.js'

interface ValidateFlags extends CommonFlags {
  strict?: boolean
  dialect: Dialect
  overlap?: boolean
  fix?: boolean
  all?: boolean
  format: 'text' | 'json' | 'sarif'
}

export const validateCommand: CommandDefinition = (command, run) =>
  command('validate', 'Validate skills', [
    'validate',
    'validate skills/pdf --strict',
    'validate ~/skills --overlap',
  ])
    .argument('[dir]', `${DIR_HELP}, or one skill`)
    .option('--strict', 'report violations of the specification as errors and infer nothing')
    .addOption(dialectOption('also check the fields that this system requires'))
    .option('--fix', 'correct the files where it is certain what was meant, and print what changed')
    .option('--dry-run', 'print what --fix would change, and write nothing')
    .option('--overlap', 'also report pairs of skills that compete for messages')
    .option('--all', 'also print notes, and every row of a long report')
    .addOption(
      new Option('--format <format>', 'format of the report: SARIF is for code hosts')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .addOption(OPTIONS.json)
    .action(run(validate))

async function validate(io: Io, dir: string | undefined, flags: ValidateFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const single = (await readdir(path)).some(name => name.toLowerCase() === 'skill.md')
  if (single && flags.overlap) {
    throw invalidInput(
      '`--overlap` compares the skills of a folder',
      'pass the folder that contains the skill',
    )
  }
  const root = single ? dirname(path) : path
  const { folders, repository } = projectFolders(root, homeOf(io))
  const isInProject = (file: string): boolean =>
    repository !== undefined && folders.some(folder => existsSync(join(folder, file)))
  const source = single ? singleSkillSource(io, path) : folderSource(io, path)
  const read = (): Promise<Tree> =>
    withProgressBar(io, bar =>
      readTree(source, {
        signal: io.signal,
        strict: flags.strict,
        allows: SYSTEM_RULES[flags.dialect],
        onProgress: (done, total) => bar.update('reading', done, total),
      }),
    )
  let tree = await read()
  const isFixing = (flags.fix || flags.dryRun) && !tree.packed
  const fixes = isFixing
    ? await fixSkills(source, tree.changed, {
        root: flags.dryRun ? undefined : root,
        keep: flags.dialect === 'tokendance' ? ['allowed_tools'] : [],
        signal: io.signal,
      })
    : undefined
  if (fixes?.fixed.length && !flags.dryRun) tree = await read()
  const diagnostics = [
    ...tree.diagnostics,
    ...tree.changed.flatMap(({ details, file }) => [
      ...details.diagnostics,
      ...missingFields(flags.dialect, details.metadata, file),
    ]),
    ...(single ? [] : checkRequired(requiringSkills(tree.changed))),
    ...(await leftOutOfMcp(tree.changed)),
    ...confusableNames(tree.changed.map(({ entry: { path, name } }) => ({ id: path, name }))),
    ...(await authoringDiagnostics(source, tree, {
      isInProject,
      isOnDisk: file => existsSync(join(root, file)),
      signal: io.signal,
    })),
  ].sort(bySeverity)
  if (tree.found === 0 && diagnostics.length === 0) {
    await rejectPacked(io, path, 'validate the folder of skills it was packed from')
    throw noSkillsError(displayPath(io, path))
  }
  const summary = summarize(tree, diagnostics)
  const overlaps = flags.overlap ? await readOverlaps(io, source, tree) : undefined
  const taken = overlaps?.some(({ messages }) => messages.some(message => message.taken)) ?? false
  if (flags.format === 'sarif') printJson(io, sarif(diagnostics, { root, cwd: io.cwd }))
  else if (flags.json || flags.format === 'json') {
    printJson(io, { summary, diagnostics, overlaps, ...fixes })
  } else {
    if (fixes) printFixed(io, fixes, !flags.dryRun)
    printReport(io, summary, diagnostics, { notes: flags.all ?? false, every: flags.all || single })
    if (overlaps) printOverlaps(io, overlaps, flags.all ?? false)
  }
  return summary.errors > 0 || (taken && flags.strict) ? EXIT.failed : EXIT.ok
}

async function readOverlaps(io: Io, source: ListableSource, tree: Tree): Promise<Overlap[]> {
  const { signal } = io
  return withProgressBar(io, async bar => {
    await using library = await openLibrary(source, {
      signal,
      embedder: bundled(),
      modelTimeout: Number.POSITIVE_INFINITY,
    })
    const onProgress = (done: number, total: number): void => bar.update('matching', done, total)
    return await findOverlaps(library, source, tree.changed, { signal, onProgress })
  })
}

/** A skill's folder as seen from its parent, because the skill's name is compared with the folder's name. */
function singleSkillSource(io: Io, path: string): ListableSource {
  const name = basename(path)
  return { ...inFolder(folderSource(io, path), name), name: basename(dirname(path)) || name }
}
