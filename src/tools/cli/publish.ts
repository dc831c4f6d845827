import { plainLine } from '../../core/sanitize.js'
import { type CommandDefinition, DIR_HELP, OPTIONS, parsePositiveInteger } from './command.js'
import { createDiagnosticReporter } from './diagnostics.js'
import { commandError, describeError, EXIT } from './errors.js'
import { type Io, printJson, printLines, withProgressBar } from './io.js'
import { findFolder, rejectPacked } from './open-library.js'
import { displayPath } from './paths.js'
import { type PublishEngineFlags, publishToSearchEngine } from './publish-engine.js'
import { readLocal } from './publish-local.js'
import { doneLines, plannedLines, summaryJson } from './publish-summary.js'
import { isIncomplete, planPublish, type UploadResult, upload, writeClient } from './publish-upload.js'
import { formatBytes, plural } from './text.js'

interface PublishFlags {
  to: string
  /** Default: the environment variable SKILLSHELF_TOKEN. */
  token?: string
  prune?: boolean
  dryRun?: boolean
  json?: boolean
}

export const publishCommand: CommandDefinition = (command, run) =>
  command('publish', 'Upload changed skills to a server', [
    'publish skills --to https://skills.example.com/',
    'publish --to https://skills.example.com/ --prune --dry-run',
    'publish skills --to https://skills.example.com/ --engine https://xyz.cloud.qdrant.io:6333',
  ])
    .argument('[dir]', DIR_HELP)
    .requiredOption('--to <url>', 'URL of the server')
    .addOption(OPTIONS.token)
    .option('--prune', 'remove skills from the server that are not in the folder')
    .option('--dry-run', 'print the changes without making them')
    .option('--engine <url>', 'publish to this Qdrant; its key is in the environment variable QDRANT_API_KEY')
    .option('--collection <name>', 'collection in Qdrant (default: skillshelf)')
    .option('--library <name>', 'name of the library (default: that of the server)')
    .option('--replicas <n>', 'replicas of a collection that is created', parsePositiveInteger)
    .option('--no-meaning', 'publish to Qdrant without vectors')
    .addOption(OPTIONS.json)
    .action((dir: string | undefined, { engine, ...flags }: PublishFlags & Partial<PublishEngineFlags>) =>
      run(io =>
        engine === undefined ? publish(io, dir, flags) : publishToSearchEngine(io, dir, { ...flags, engine }),
      ),
    )

/** Uploads new and changed skills. Run it again after an interruption. */
async function publish(
  io: Io,
  dir: string | undefined,
  { collection, library, replicas, meaning, ...flags }: PublishFlags & Partial<PublishEngineFlags>,
): Promise<number> {
  if (meaning === false || [collection, library, replicas].some(one => one !== undefined))
    throw commandError(
      '`--collection`, `--library`, `--replicas` and `--no-meaning` need `--engine`',
      'add the address of Qdrant',
    )
  const { to, prune = false, dryRun = false } = flags
  const client = writeClient(io, to, flags.token)
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  await rejectPacked(io, path, 'publish the folder of skills that it was made from')
  const reportDiagnostics = createDiagnosticReporter(io, where)
  const sent: UploadResult = { taken: 0, refused: [], removed: 0, diagnostics: [] }
  const plan = await withProgressBar(io, async bar => {
    // First, so that a wrong token fails before the folder is read.
    const stored = await client.list()
    const local = await readLocal(io, path, bar)
    const plan = planPublish(local, stored)
    try {
      if (!dryRun) await upload(client, plan, { alone: local.alone, prune, onProgress: bar.update }, sent)
    } finally {
      bar.stop()
      reportDiagnostics([...local.diagnostics, ...sent.diagnostics])
      for (const { skill, error } of sent.refused)
        io.stderr(
          `${plainLine(`${skill.folder} (${formatBytes(skill.size)}) was refused: ${describeError(error).message}`)}\n`,
        )
      const total = plan.put.length + plan.replace.length
      if (sent.taken > 0 && sent.taken + sent.refused.length < total)
        io.stderr(`${sent.taken} of ${plural(total, 'skill')} were sent; run it again to go on\n`)
    }
    return plan
  })
  if (flags.json) printJson(io, summaryJson(plan, sent, dryRun))
  else printLines(io, ...(dryRun ? plannedLines : doneLines)(plan, sent, where, prune))
  return isIncomplete(plan, sent) ? EXIT.failed : EXIT.ok
}
