import { join } from 'node:path'
import { plainLine } from '../../core/sanitize.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { createDiagnosticReporter } from './diagnostics.js'
import { commandError, describeError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { findFolder } from './open-library.js'
import { displayPath, pathKind } from './paths.js'
import { startProgressBar } from './progress-bar.js'
import { readLocal } from './publish-local.js'
import { planPublish } from './publish-plan.js'
import { doneLines, plannedLines, summaryJson } from './publish-summary.js'
import { isIncomplete, type UploadResult, upload } from './publish-upload.js'
import { formatBytes, plural } from './text.js'
import { writeClient } from './write-client.js'

export interface PublishFlags {
  to: string
  /** Default: the environment variable SKILLSHELF_TOKEN. */
  token?: string
  prune?: boolean
  dryRun?: boolean
  json?: boolean
}

/** `skillshelf publish DIR --to URL`: uploads new and changed skills. Run it again after an interruption. */
export async function publishCommand(io: Io, dir: string | undefined, flags: PublishFlags): Promise<number> {
  const { to, prune = false, dryRun = false } = flags
  const client = writeClient(io, to, flags.token)
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  if ((await pathKind(join(path, CATALOG_FILE))) === 'file')
    throw commandError(`${where} is a packed library`, 'publish the folder of skills that it was made from')
  const tell = createDiagnosticReporter(io, where)
  const progress = startProgressBar(io)
  const sent: UploadResult = { taken: 0, refused: [], removed: 0, diagnostics: [] }
  try {
    // First, so that a wrong token fails before the folder is read.
    const stored = await client.list()
    const local = await readLocal(io, path, progress)
    const plan = planPublish(local, stored)
    const onProgress = progress.update
    try {
      if (!dryRun) await upload(client, plan, { alone: local.alone, prune, onProgress }, sent)
    } finally {
      progress.stop()
      tell([...local.diagnostics, ...sent.diagnostics])
      for (const { skill, error } of sent.refused)
        io.stderr(
          `${plainLine(`${skill.folder} (${formatBytes(skill.size)}) was refused: ${describeError(error).message}`)}\n`,
        )
      const total = plan.put.length + plan.replace.length
      if (sent.taken > 0 && sent.taken + sent.refused.length < total)
        io.stderr(`${sent.taken} of ${plural(total, 'skill')} were sent; run it again to go on\n`)
    }
    if (flags.json) printJson(io, summaryJson(plan, sent, dryRun))
    else printLines(io, ...(dryRun ? plannedLines : doneLines)(plan, sent, where, prune))
    return isIncomplete(plan, sent) ? EXIT.failed : EXIT.ok
  } finally {
    progress.stop()
  }
}
