import { CATALOG_FORMAT, writeCatalog } from '../../catalog/packed-catalog.js'
import { packedFile } from '../../catalog/packed-files.js'
import { readTree, type TreeOptions } from '../../catalog/read-tree.js'
import type { CatalogEntry } from '../../catalog/types.js'
import { mapParallel } from '../../core/concurrency.js'
import { digestOf, shortDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { joinPath } from '../../core/paths.js'
import type { SkillModel } from '../../embed/types.js'
import { createSegmentBuilder } from '../../segment/build.js'
import type { Diagnostic } from '../../skill/diagnostics.js'
import type { FileInfo } from '../../skill/types.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/types.js'
import type { PublishedSummary } from '../publish/well-known.js'
import type { PackedSkill } from '../publish/well-known-plan.js'
import { readWhole } from './listed-file.js'
import type { PackedOutput, PackedPart } from './output.js'

export type { PackedOutput, PackedPart } from './output.js'

export interface PackOptions extends Omit<TreeOptions, 'onProgress'> {
  /** Gives the segments the vectors of a model. */
  embedder?: SkillModel | undefined
  /**
   * Publishes the skills to other clients too, by well-known v0.2 and v0.1: an archive of each skill, copies of its files under their own
   * paths, two indexes, and what static hosts are to do with them. Default false.
   */
  wellKnown?: boolean | undefined
  /** `read`: skills parsed; `write`: skills whose files were handed on, with `wellKnown` each once more when it was published. */
  onProgress?: ((progress: { phase: 'read' | 'write'; done: number; total: number }) => void) | undefined
}

/** Skills in one segment: small enough to merge, large enough that a few hold a big library. */
const SEGMENT_SKILLS = 16_384
const PARALLEL_READS = 8

/**
 * Turns a source of skill folders into the files of a packed library. Pure: it writes nothing itself. `skillshelf.json` comes last, so that
 * whoever writes in order never shows half a library; before it come the indexes of `wellKnown`, behind what they name. The same folders give
 * the same bytes.
 * @throws SkillshelfError `unsupported` for a source that cannot be listed or is packed already, `source-failed` when a file cannot be read
 */
export async function* pack(source: SkillSource, options: PackOptions = {}): AsyncGenerator<PackedOutput, PackSummary> {
  if (!source.list)
    throw new SkillshelfError('unsupported', `${source.name} cannot be listed, so it cannot be packed`, {
      subject: source.name,
    })
  const { onProgress, signal, embedder, wellKnown, ...reading } = options
  if ((await source.read(CATALOG_FILE, signal ? { signal } : {})) !== undefined)
    throw new SkillshelfError('unsupported', `${source.name} has a ${CATALOG_FILE}: it is a packed library already`, {
      subject: source.name,
      hint: 'pack the folder of skills that it was made from',
    })
  const tree = await readTree(source as Required<Pick<SkillSource, 'list'>> & SkillSource, {
    ...reading,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress: (done, total) => onProgress({ phase: 'read', done, total }) } : {}),
  })

  // Loaded where it is wanted: a page that packs seldom publishes.
  const publishing = wellKnown ? await import('../publish/well-known.js') : undefined
  const entries: CatalogEntry[] = []
  const packed: PackedSkill[] = []
  const segments: { file: string; skills: number; dead: number[] }[] = []
  const written = new Set<string>()
  const total =
    tree.changed.length + (wellKnown ? tree.changed.filter(({ entry }) => entry.enabled !== false).length : 0)
  let files = 0
  let done = 0
  let builder = createSegmentBuilder({ embedder })
  const output = function* (
    path: string,
    bytes: Uint8Array<ArrayBuffer>,
    part: PackedPart = 'file',
  ): Generator<PackedOutput> {
    if (written.has(path)) return
    written.add(path)
    yield { path, bytes, part }
  }
  const closeSegment = function* (): Generator<PackedOutput> {
    if (builder.length === 0) return
    const bytes = builder.finish()
    const file = `${shortDigest(digestOf(bytes))}.seg`
    segments.push({ file, skills: builder.length, dead: [] })
    builder = createSegmentBuilder({ embedder })
    yield* output(file, bytes, 'segment')
  }

  for (const skill of tree.changed) {
    const { entry, details } = skill
    const contents = await mapParallel(
      [{ path: details.file }, ...details.files],
      PARALLEL_READS,
      async ({ path }) => ({ path, bytes: await readWhole(source, joinPath(entry.path, path), signal) }),
    )
    const listed: FileInfo[] = []
    for (const [at, { path, bytes }] of contents.entries()) {
      const digest = digestOf(bytes)
      if (at === 0 && digest !== entry.digest)
        throw new SkillshelfError('source-failed', `${joinPath(entry.path, path)} changed while it was packed`, {
          subject: entry.path,
          hint: 'pack again',
        })
      if (at > 0) listed.push({ path, size: bytes.length, digest })
      yield* output(packedFile(digest, path), bytes)
      files++
    }
    const json = new TextEncoder().encode(JSON.stringify({ ...details, files: listed }))
    const digest = digestOf(json)
    yield* output(packedFile(digest, '.json'), json)
    entries.push({ ...entry, details: digest })
    if (publishing)
      packed.push({
        entry,
        details: { ...details, files: listed },
        unreadable: await publishing.unreadableFor(contents[0]?.bytes ?? new Uint8Array()),
      })
    await embedder?.prepare?.(`${entry.name} ${entry.description} ${skill.body}`)
    builder.add({ ...entry, whenToUse: details.metadata.whenToUse, body: skill.body })
    if (builder.length === SEGMENT_SKILLS) yield* closeSegment()
    onProgress?.({ phase: 'write', done: ++done, total })
  }
  yield* closeSegment()
  const published = publishing
    ? yield* publishing.wellKnownFiles(source, packed, {
        segments: segments.map(({ file }) => file),
        signal,
        onPublished: () => onProgress?.({ phase: 'write', done: ++done, total }),
      })
    : undefined
  yield {
    path: CATALOG_FILE,
    bytes: writeCatalog({
      format: CATALOG_FORMAT,
      name: source.name,
      skills: entries,
      segments,
      diagnostics: tree.diagnostics,
    }),
    part: 'catalog',
  }
  const diagnostics = [
    ...tree.diagnostics,
    ...tree.changed.flatMap(skill => skill.details.diagnostics),
    ...(published?.diagnostics ?? []),
  ]
  return {
    found: tree.found,
    skills: entries.length,
    files,
    diagnostics,
    ...(published ? { wellKnown: published.summary } : {}),
  }
}

/** What `pack` returns when it is done. */
export interface PackSummary {
  /** SKILL.md files found. */
  found: number
  /** Skills packed. */
  skills: number
  /** Their files, SKILL.md included. */
  files: number
  diagnostics: readonly Diagnostic[]
  /** What was published, where that was wanted. */
  wellKnown?: PublishedSummary
}
