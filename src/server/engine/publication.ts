import { SkillshelfError } from '../../core/errors.js'
import { readPackedFile } from '../../library/catalog/packed-files.js'
import { openLexicon } from '../../search/index/lexicon.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { SkillSource } from '../../source/source.js'
import { countsFile, openCounts } from './counts.js'
import { type EngineHead, readHead, UNPUBLISHED_HEAD } from './head.js'
import type { RankedLibrary } from './ranking.js'
import type { SkillEngine } from './skill-engine.js'

/** A published revision: its head and counts. */
export interface Publication extends RankedLibrary {
  head: EngineHead
  version: string | undefined
  diagnostics: readonly Diagnostic[]
}

/** A library before its first publish. */
export const UNPUBLISHED: Publication = {
  head: UNPUBLISHED_HEAD,
  version: undefined,
  counts: {
    skills: 0,
    minSkills: 1,
    lexicon: openLexicon(new Uint8Array(0), new Uint32Array(0), 0, 0),
  },
  space: undefined,
  dimensions: 0,
  diagnostics: [],
}

/** Reads the head and the counts, if published and changed. @throws `source-not-found` if gone, `format`, `source-failed`, `aborted` */
export async function readPublication(
  engine: SkillEngine,
  files: SkillSource,
  options: {
    version: string | undefined
    model: SkillModel | undefined
    signal: AbortSignal | undefined
  },
): Promise<Publication | undefined> {
  const { model, signal } = options
  const found = await readHead(files, { ifVersion: options.version, signal })
  if (found === 'unchanged' || (found === undefined && options.version === undefined)) {
    return undefined
  }
  if (!found) {
    throw new SkillshelfError(
      'source-not-found',
      `Nothing is published in ${files.name} any more`,
      {
        subject: files.name,
      },
    )
  }
  const { head, version } = found
  if (head.revision === 0) return undefined
  const { library, space, dimensions } = head
  if (engine.library !== undefined && engine.library !== library) {
    throw new SkillshelfError(
      'format',
      `${files.name} holds the library ${library}, but the engine ${engine.name} searches ${engine.library}`,
      { subject: library, hint: `give the engine the library ${library}, or files of its own` },
    )
  }
  const counts = openCounts(
    await readPackedFile(files, countsFile(head.counts), head.counts, signal),
  )
  if (!counts) {
    throw new SkillshelfError('format', `The counts of ${library} cannot be read by this version`, {
      subject: countsFile(head.counts),
      hint: 'publish again with this version',
    })
  }
  const missing = model && model.space !== space ? [vectorsMissing(library)] : []
  const diagnostics = [...(head.diagnostics ?? []), ...missing]
  return { head, version, counts, space, dimensions, diagnostics }
}

function vectorsMissing(library: string): Diagnostic {
  const message = `${library} has no vectors of this embedder; its skills are matched by keywords only`
  const hint = 'publish again with this embedder'
  return { code: 'vectors-missing', severity: 'warning', message, path: library, hint }
}
