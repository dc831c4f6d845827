import { invalidInput } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { plainLine } from '../../../core/sanitize.js'
import type { Embedder } from '../../../search/model/skill-model.js'
import { allowedInFolderOf, allowOption, internalOption } from '../allow.js'
import {
  type CommandDefinition,
  type CommonFlags,
  DIR_HELP,
  OPTIONS,
  parsePositiveInteger,
} from '../command.js'
import { createDiagnosticReporter } from '../diagnostics.js'
import { type EncoderFlags, encoderOf, encoderOptions } from '../encoder.js'
import {
  describeError,
  EXIT,
  formatBytes,
  type Io,
  type ProgressBar,
  plural,
  printErrors,
  printJson,
  printLines,
  withProgressBar,
} from '../io.js'
import { findFolder, rejectPacked } from '../open-library.js'
import { displayPath } from '../paths.js'
import { type PublishEngineFlags, publishToSearchEngine } from '../publish-engine.js'
import { readLocal } from '../publish-local.js'
import {
  isIncomplete,
  planUpload,
  type UploadPlan,
  type UploadResult,
  type UploadVectors,
  upload,
  writeClient,
} from '../publish-upload.js'

/** Loaded with `--encoder`. */
const loadEncoding = onDemand(() => import('../../../library/store/pack/plan-vectors.js'))

type PublishFlags = CommonFlags &
  EncoderFlags & {
    to: string
    prune?: boolean
    allow?: readonly string[]
    internal?: boolean
  }

export const publishCommand: CommandDefinition = (command, run) => {
  const publishing = command('publish', 'Upload changed skills to a server', [
    'publish skills --to https://skills.example.com/',
    'publish --to https://skills.example.com/ --prune --dry-run',
    'publish skills --to https://skills.example.com/ --engine https://xyz.cloud.qdrant.io:6333',
  ])
    .argument('[dir]', DIR_HELP)
    .requiredOption('--to <url>', 'URL of the server')
    .addOption(OPTIONS.token)
    .option('--prune', 'remove skills from the server that are not in the folder')
    .option('--dry-run', 'print the changes without making them')
    .addOption(allowOption())
    .addOption(internalOption())
    .option(
      '--engine <url>',
      'publish to this Qdrant; its key is in the environment variable QDRANT_API_KEY',
    )
    .option('--collection <name>', 'collection in Qdrant (default: skillshelf)')
    .option('--library <name>', 'name of the library (default: that of the server)')
    .option('--replicas <n>', 'replicas of a collection that is created', parsePositiveInteger)
    .option('--no-meaning', 'publish to Qdrant without vectors')
    .addOption(OPTIONS.json)
  for (const option of encoderOptions()) publishing.addOption(option)
  publishing.action(
    run(
      (
        io,
        dir: string | undefined,
        { engine, ...flags }: PublishFlags & Partial<PublishEngineFlags>,
      ) =>
        engine === undefined
          ? publish(io, dir, flags)
          : publishToSearchEngine(io, dir, { ...flags, engine }),
    ),
  )
}

/** Uploads new and changed skills. Run it again after an interruption. */
async function publish(
  io: Io,
  dir: string | undefined,
  { collection, library, replicas, meaning, ...flags }: PublishFlags & Partial<PublishEngineFlags>,
): Promise<number> {
  if (meaning === false || [collection, library, replicas].some(one => one !== undefined)) {
    throw invalidInput(
      '`--collection`, `--library`, `--replicas` and `--no-meaning` need `--engine`',
      'add the address of Qdrant',
    )
  }
  const { to, prune = false, dryRun = false } = flags
  const client = writeClient(io, to, flags.token)
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  await rejectPacked(io, path, 'publish the folder of skills that it was made from')
  const allow = await allowedInFolderOf(io, path, flags.allow)
  const reportDiagnostics = createDiagnosticReporter(io, where)
  const sent: UploadResult = { taken: 0, refused: [], removed: 0, diagnostics: [] }
  const plan = await withProgressBar(io, async bar => {
    // First, so that a wrong token fails before the folder is read.
    const stored = await client.list()
    const local = await readLocal(io, path, { progress: bar, allow, internal: flags.internal })
    const embedder = await (await encoderOf(io, flags))?.({
      signal: io.signal,
      onProgress: ({ done, total }) => bar.update('loading the encoder', done, total),
    })
    const plan = planUpload(local, stored, embedder?.id)
    try {
      if (!dryRun) {
        const vectors = embedder && (await encodeChanged(io, plan, embedder, bar))
        await upload(
          client,
          plan,
          {
            alone: local.alone,
            allow: local.allow,
            prune,
            vectors,
            signal: io.signal,
            onProgress: bar.update,
          },
          sent,
        )
      }
    } finally {
      await embedder?.close?.()
      bar.stop()
      reportDiagnostics([...local.diagnostics, ...sent.diagnostics])
      for (const { skill, error } of sent.refused) {
        printErrors(
          io,
          plainLine(
            `${skill.folder} (${formatBytes(skill.size)}) was refused: ${describeError(error).message}`,
          ),
        )
      }
      const total = plan.put.length + plan.replace.length
      if (sent.taken > 0 && sent.taken + sent.refused.length < total) {
        printErrors(
          io,
          `${sent.taken} of ${plural(total, 'skill')} were sent; run it again to go on`,
        )
      }
    }
    return plan
  })
  if (flags.json) printJson(io, summaryJson(plan, sent, dryRun))
  else printLines(io, summaryLines(plan, sent, { where, prune, dryRun }))
  return isIncomplete(plan, sent) ? EXIT.failed : EXIT.ok
}

/** Embeds the skills that are uploaded. */
async function encodeChanged(
  io: Io,
  { put, replace }: UploadPlan,
  encoder: Embedder,
  bar: ProgressBar,
): Promise<UploadVectors> {
  const { encodeSkills } = await loadEncoding()
  const skills = [...put, ...replace]
  const packed = await encodeSkills(
    skills.map(one => one.packed),
    {
      encoder,
      signal: io.signal,
      onProgress: ({ done, total }) => bar.update('embedding', done, total),
    },
  )
  return { skills, packed }
}

const MAX_FOLDERS = 10

/** What was uploaded, or with `dryRun` would be, and the skills on the server that differ from the folder and are kept. */
function summaryLines(
  plan: UploadPlan,
  sent: UploadResult,
  { where, prune, dryRun }: { where: string; prune: boolean; dryRun: boolean },
): string[] {
  const { put, replace, same, partial, gone, hidden, atRoot } = plan
  const isKept = !prune || isIncomplete(plan, sent)
  const reason = prune
    ? 'they are kept until every other skill is uploaded'
    : 'remove them with --prune'
  const [removed, kept] = isKept ? [[], gone] : [gone, []]
  const line = (label: string, folder: string, size = ''): string =>
    `${label.padEnd(9)}${plainLine(folder)}${size}`
  const changed = (label: string, skills: UploadPlan['put']): string[] =>
    skills.map(({ folder, size }) => line(label, folder, `, ${formatBytes(size)}`))
  const one = same === 1
  const counts: [number, string][] = [
    [accepted(put, sent).length, dryRun ? 'to put' : 'put'],
    [accepted(replace, sent).length, dryRun ? 'to replace' : 'replaced'],
    [same, dryRun ? (one ? 'as it is' : 'as they are') : one ? 'as it was' : 'as they were'],
    [sent.refused.length, 'refused'],
    [partial.length, dryRun ? 'not to be sent' : 'not sent'],
    [dryRun ? removed.length : sent.removed, dryRun ? 'to remove' : 'removed'],
    [kept.length, `not in ${where} any more (${reason})`],
  ]
  const changes = [
    ...changed('put', put),
    ...changed('replace', replace),
    ...removed.map(one => line('remove', one)),
  ]
  return [
    ...(dryRun ? changes : []),
    counts
      .filter(([count]) => count > 0)
      .map(([count, label]) => `${count.toLocaleString('en')} ${label}`)
      .join(', '),
    ...folderLines(kept),
    ...unreadableLines(partial, `cannot be read whole in ${where}`),
    ...unreadableLines(hidden, `cannot be read in ${where}`),
    ...(atRoot
      ? ['the server has one skill outside of any folder; it cannot be removed and is kept']
      : []),
  ]
}

/** Result of an upload, or of a dry run: folders of skills. */
function summaryJson(plan: UploadPlan, sent: UploadResult, dryRun: boolean): object {
  return {
    dryRun,
    put: accepted(plan.put, sent),
    replaced: accepted(plan.replace, sent),
    unchanged: plan.same,
    refused: sent.refused.map(({ skill: { folder }, error: { code, message } }) => ({
      folder,
      code,
      message,
    })),
    unreadable: [...plan.partial, ...plan.hidden],
    notInFolder: plan.gone,
    removed: sent.removed,
  }
}

/** The folders of skills that the server did not refuse. */
function accepted(skills: UploadPlan['put'], { refused }: UploadResult): string[] {
  return skills
    .filter(one => !refused.some(({ skill }) => skill === one))
    .map(({ folder }) => folder)
}

function unreadableLines(folders: readonly string[], problem: string): string[] {
  if (folders.length === 0) return []
  return [
    `${folders.length} ${problem}, and ${folders.length === 1 ? 'stays' : 'stay'}`,
    ...folderLines(folders),
  ]
}

function folderLines(folders: readonly string[]): string[] {
  const more = folders.length > MAX_FOLDERS ? [`  … and ${folders.length - MAX_FOLDERS} more`] : []
  return [...folders.slice(0, MAX_FOLDERS).map(folder => `  ${plainLine(folder)}`), ...more]
}
