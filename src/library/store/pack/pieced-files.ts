import type { AbortOptions } from '../../../core/abort.js'
import { digestOf } from '../../../core/digest.js'
import { throwIfAborted } from '../../../core/errors.js'
import { foldText } from '../../../core/text/fold.js'
import { type PackedVectors, readPackedVectors } from '../../../search/index/packed-vectors.js'
import type { EncoderTraits } from '../../../search/pieces/encoder-pieces.js'
import type { PiecedSkill } from '../../../search/pieces/pieced-skill.js'
import { writePieces } from '../../../search/pieces/write-pieces.js'
import type { SkillSummary } from '../../../skill/skill.js'
import { splitCatalog } from '../../catalog/catalog-bytes.js'
import type { CatalogEntry } from '../../catalog/catalog-entry.js'
import { contentOfEntry, entryLine } from '../../catalog/catalog-line.js'
import { folderNames } from '../../catalog/lookup.js'
import { packedFile } from '../../catalog/packed-files.js'
import { openPackedSegment } from '../../catalog/packed-segment.js'
import { writePiecedCatalog } from '../../catalog/pieced-catalog.js'
import { createSnapshot, type Layer } from '../../catalog/snapshot.js'
import type { PackPlan } from './plan.js'
import type { PlannedFile } from './planned-file.js'

/** A piece, or the whole catalog. */
interface PieceOutput {
  path: string
  bytes: Uint8Array<ArrayBuffer>
  part: 'piece'
}

/**
 * Writes a library in pieces, and its whole catalog.
 * @returns The catalog that names them.
 */
export async function* piecedFiles(
  plan: PackPlan,
  whole: Uint8Array<ArrayBuffer>,
  { signal }: AbortOptions,
): AsyncGenerator<PieceOutput, Uint8Array<ArrayBuffer>> {
  const { name } = plan.catalog
  const content = splitCatalog(whole)?.digest ?? ''
  const shown = createSnapshot([shownLayer(plan)]).snapshot.skills
  const { skills, encoder } = await locateSkills(plan, shown, signal)
  const { list, others } = writePieces(skills, encoder)
  for (const { file, bytes } of [...others, list]) {
    throwIfAborted(signal)
    yield { path: file, bytes, part: 'piece' }
  }
  const wholeFile = packedFile(digestOf(whole), '.json')
  yield { path: wholeFile, bytes: whole, part: 'piece' }
  // WebKit does not wait for what a generator returns.
  return await writePiecedCatalog({
    name,
    skills: skills.length,
    list: list.file,
    whole: wholeFile,
    content,
    diagnostics: plan.catalog.diagnostics,
    disabled: plan.catalog.skills
      .filter(({ enabled }) => enabled === false)
      .map(({ path }) => path),
    copies: shown.flatMap(({ path, copies }) => (copies ? [[path, ...copies]] : [])),
  })
}

/** The library as a layer that shows neither disabled skills nor copies. */
function shownLayer({ catalog: { name, skills } }: PackPlan): Layer {
  return { origin: name, entries: skills, diagnostics: [], contentOf: contentOfEntry }
}

interface LocatedSkills {
  skills: PiecedSkill[]
  /** `undefined` unless every skill has a vector of it, and one of the bundled model, which says whose are read. Other readers read the whole library. */
  encoder: EncoderTraits | undefined
}

/** Finds the skills that a library shows in its segments. */
async function locateSkills(
  { catalog, files }: PackPlan,
  shown: readonly SkillSummary[],
  signal: AbortSignal | undefined,
): Promise<LocatedSkills> {
  const read = (file: string) => (files.get(file) as PlannedFile).read({ signal })
  const summaries = new Map(shown.map(skill => [skill.path, skill]))
  const skills: PiecedSkill[] = []
  const vectorsOfSegments: (PackedVectors | undefined)[] = []
  let next = 0
  for (const { file, vectors, ...packed } of catalog.segments) {
    const segment = await openPackedSegment(file, await read(file))
    const encoded = vectors && readPackedVectors(await read(vectors.file))
    vectorsOfSegments.push(encoded)
    const dead = new Set(packed.dead)
    for (let skill = 0; skill < packed.skills; skill++) {
      if (dead.has(skill)) continue
      const entry = catalog.skills[next++] as CatalogEntry
      const summary = summaries.get(entry.path)
      if (!summary) continue
      skills.push({ segment, skill, encoded: encoded?.skills[skill], ...describe(summary, entry) })
    }
  }
  const [encoder] = vectorsOfSegments
  const isOfOne = vectorsOfSegments.every(
    one => one?.space === encoder?.space && one?.dimensions === encoder?.dimensions,
  )
  const isWhole = isOfOne && skills.every(({ encoded, segment: { vectors } }) => encoded && vectors)
  return { skills, encoder: isWhole ? encoder : undefined }
}

/** What lists and lookups have of a skill. */
function describe(
  summary: SkillSummary,
  entry: CatalogEntry,
): Pick<PiecedSkill, 'line' | 'names' | 'tags' | 'folders'> {
  const { name, displayName = '', tags, copies = [], path } = summary
  const names = [name, displayName].map(foldText).filter(Boolean)
  return {
    line: entryLine(copies.length > 0 ? { ...entry, copies } : entry),
    names: [...new Set([...names, ...folderNames(summary)])],
    tags,
    folders: [...new Set([path, ...copies])],
  }
}
