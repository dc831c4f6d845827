import { invalidInput, isSkillshelfError } from '../../core/errors.js'
import type { OnProgress } from '../../core/progress.js'
import { plainLine } from '../../core/sanitize.js'
import { planInput } from '../../library/store/write/install-input.js'
import { bundled } from '../../search/model/bundled/package.js'
import { connectEngineFiles } from '../../server/client/engine-files.js'
import { type PublishToEngineResult, publishPlan } from '../../server/engine/publish.js'
import { qdrant } from '../../server/engine/qdrant/qdrant.js'
import type { WritableSource } from '../../source/source.js'
import { allowedInFolderOf } from './allow.js'
import type { CommonFlags } from './command.js'
import { createDiagnosticReporter } from './diagnostics.js'
import type { EncoderFlags } from './encoder.js'
import { folderSource } from './folder-source.js'
import { EXIT, type Io, plural, printErrors, printJson, printLines, withProgressBar } from './io.js'
import { findFolder } from './open-library.js'
import { displayPath } from './paths.js'
import { writeToken } from './publish-upload.js'

export interface PublishEngineFlags extends CommonFlags, EncoderFlags {
  to: string
  /** Address of the REST API of Qdrant. */
  engine: string
  collection?: string
  library?: string
  replicas?: number
  prune?: boolean
  allow?: readonly string[]
  internal?: boolean
}

/** Milliseconds. A publish reads pages of a thousand rows. */
const ENGINE_TIMEOUT = 30_000

/** Makes a library in a search engine equal to a folder. Files go to the server, rows to the engine. Run it again after an interruption. */
export async function publishToSearchEngine(
  io: Io,
  dir: string | undefined,
  {
    to,
    token,
    engine: url,
    collection,
    replicas,
    meaning = true,
    dryRun = false,
    ...flags
  }: PublishEngineFlags,
): Promise<number> {
  if (flags.encoder || flags.encoderModel !== undefined || flags.encoderFiles !== undefined) {
    throw invalidInput(
      '`--encoder` and `--engine` exclude each other',
      'leave --encoder out: a search engine has the vectors of the bundled model',
    )
  }
  if (flags.prune) {
    throw invalidInput(
      '`--prune` and `--engine` exclude each other',
      'leave --prune out: with --engine, skills that are not in the folder are always removed',
    )
  }
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  // First, so that a wrong token fails before the folder is read.
  const server = await connectEngineFiles(to, writeToken(io, token), io.signal)
  const { library } = server
  if (flags.library !== undefined && flags.library !== library) {
    throw invalidInput(
      `${server.files.name} serves the library ${library}, not ${flags.library}`,
      `use --library ${library}, or set QDRANT_LIBRARY of the Worker`,
    )
  }
  const apiKey = io.env?.['QDRANT_API_KEY'] || undefined
  const engine = qdrant({ url, library, collection, replicas, apiKey, timeout: ENGINE_TIMEOUT })
  let hasWritten = false
  const files: WritableSource = {
    ...server.files,
    write(changes, options) {
      hasWritten = true
      return server.files.write(changes, options)
    },
  }
  const allow = await allowedInFolderOf(io, path, flags.allow)
  const source = folderSource(io, path, { name: library })
  const result = await withProgressBar(io, async bar => {
    const { signal } = io
    const onProgress: OnProgress = ({ phase, done, total }) =>
      bar.update(phase === 'read' ? 'reading' : 'writing', done, total)
    const embedder = meaning ? await bundled() : undefined
    const { plan } = await planInput(source, {
      ...{ embedder, allow, signal, onProgress },
      internal: flags.internal,
    })
    return publishPlan(plan, {
      ...{ engine, library, files, dryRun, signal, onProgress },
      source: source.name,
      complete: true,
    })
  }).catch(error => {
    if (hasWritten && isSkillshelfError(error, 'source-failed', 'aborted')) {
      printErrors(io, 'The published skills are as before; run it again to go on')
    }
    throw error
  })
  createDiagnosticReporter(io, where)(result.diagnostics)
  if (flags.json) printJson(io, { ...result, dryRun })
  else printLines(io, summaryLine(result, dryRun))
  return EXIT.ok
}

function summaryLine(
  { library, revision, skills, added, retired }: PublishToEngineResult,
  dryRun: boolean,
): string {
  const total = `${plural(skills, 'skill')} in revision ${revision} of ${plainLine(library)}`
  if (added + retired === 0) return `nothing to change, ${total}`
  return dryRun
    ? `${added} to add, ${retired} to retire, ${total}`
    : `${added} added, ${retired} retired, ${total}`
}
