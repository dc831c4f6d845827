import type { AbortOptions } from '../../../core/abort.js'
import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'

/** A file of a plan. */
export interface PlannedFile {
  readonly part: 'file' | 'segment' | 'vectors'
  /** Bytes. */
  readonly size: number
  /** @throws SkillshelfError `source-failed` if it has changed since it was planned, `aborted` */
  read(options?: AbortOptions): Promise<Uint8Array<ArrayBuffer>>
}

/** Reads files of a plan, at most six at a time. @throws SkillshelfError as `read` of a file */
export async function readPlanned(
  files: ReadonlyMap<string, PlannedFile>,
  paths: readonly string[],
  options: AbortOptions,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const contents = await mapParallel(paths, PARALLEL_READS, async path => {
    const file = files.get(path) as PlannedFile
    return [path, await file.read(options)] as const
  })
  return new Map(contents)
}
