import { CATALOG_FILE } from '../catalog/packed.js'
import { type PackedOutput, type PackSummary, pack } from '../pack/pack.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { EXIT, failure } from './failure.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { findFolder, noSkills, openFolder, shown } from './opening.js'
import { type OutputFolder, openOutputFolder } from './output-folder.js'
import { startProgress } from './progress.js'
import { count, oneLine, size } from './text.js'

export interface PackFlags {
  out: string
  name?: string
  strict?: boolean
  keepOld?: boolean
  json?: boolean
}

interface Written {
  written: number
  kept: number
  bytes: number
}

/** Reasons that are printed; of more only the number. */
const SHOWN = 10
const PARALLEL_WRITES = 8

/** `skillshelf pack DIR --out DIR`: a folder of skills as files for any static host. */
export async function packCommand(io: Io, dir: string | undefined, flags: PackFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const out = await openOutputFolder(resolveOut(io, flags.out), path)
  const progress = startProgress(io)
  let done: Written & PackSummary
  try {
    done = await writeAll(out, outputs())
  } finally {
    progress.stop()
  }
  async function* outputs(): AsyncGenerator<PackedOutput, PackSummary> {
    const summary = yield* pack(openFolder(path, flags.name), {
      ...cancellable(io),
      ...(flags.strict ? { strict: true } : {}),
      onProgress: ({ phase, done, total }) => progress.update(phase === 'read' ? 'reading' : 'writing', done, total),
    })
    return summary
  }
  const removed = flags.keepOld ? 0 : await out.sweep()
  return tell(io, path, out, done, removed, flags)
}
