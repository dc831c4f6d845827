import { SkillshelfError } from '../../core/errors.js'
import { readPackedFile } from '../../library/catalog/packed-files.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/source.js'
import { countsFile, noCounts, openCounts } from './counts.js'
import { checkLibrary, type EngineHead, readHead, UNPUBLISHED as UNPUBLISHED_HEAD } from './head.js'
import type { RankedLibrary } from './ranking.js'
import type { SkillEngine } from './skill-engine.js'

/** A published revision: its head and counts. */
export interface Publication extends RankedLibrary {
  head: EngineHead
  /** Version of the head's file. */
  version: string | undefined
  diagnostics: readonly Diagnostic[]
}

/** A library before its first publish. */
export const UNPUBLISHED: Publication = {
  head: UNPUBLISHED_HEAD,
  version: undefined,
  counts: noCounts(),
  space: undefined,
  dimensions: 0,
  diagnostics: [],
}

/** Reads the head and the counts, if published and changed. @throws `source-not-found` if gone, `format`, `source-failed`, `aborted` */
export async function readPublication(
  engine: SkillEngine,
  files: SkillSource,
  options: { version: string | undefined; model: SkillModel | undefined; signal: AbortSignal | undefined },
): Promise<Publication | undefined> {
  const { model, signal } = options
  const found = await readHead(files, { ifVersion: options.version, signal })
  if (found === 'unchanged' || (found === undefined && options.version === undefined)) return undefined
  if (!found)
    throw new SkillshelfError('source-not-found', `Nothing is published in ${files.name} any more`, {
      subject: files.name,
    })
  const { head, version } = found
  if (head.revision === 0) return undefined
  checkLibrary(head, engine, files)
  const counts = openCounts(await readPackedFile(files, countsFile(head.counts), head.counts, signal))
  if (!counts)
    throw new SkillshelfError('format', `The counts of ${head.library} cannot be read by this version`, {
      subject: countsFile(head.counts),
      hint: 'publish again with this version',
    })
  const { space, dimensions } = head
  const diagnostics = [...(head.diagnostics ?? []), ...(model && model.space !== space ? [vectorsMissing(head)] : [])]
  return { head, version, counts, space, dimensions, diagnostics }
}

function vectorsMissing({ library }: EngineHead): Diagnostic {
  return {
    code: 'vectors-missing',
    severity: 'warning',
    message: `${library} has no vectors of this embedder; its skills are matched by keywords only`,
    path: library,
    hint: 'publish again with this embedder',
  }
}
