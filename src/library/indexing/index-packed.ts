import { sameBytes } from '../../core/bytes.js'
import { lazy, mapParallel, PARALLEL_READS } from '../../core/concurrency.js'
import { shortDigest } from '../../core/digest.js'
import { SkillshelfError } from '../../core/errors.js'
import { onDemand } from '../../core/load-module.js'
import { openSegment, type Segment } from '../../search/index/open.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { ReadResult, SkillSource } from '../../source/source.js'
import { contentOfEntry } from '../catalog/catalog-line.js'
import { type PackedSegment, readCatalog } from '../catalog/packed-catalog.js'
import { digestIn, packedFile, readCurrent } from '../catalog/packed-files.js'
import { readPackedSegment } from '../catalog/packed-segment.js'
import { wholeCatalog } from '../catalog/pieced-catalog.js'
import type { IndexOptions, SourceIndex, SourceSegment } from './source-index.js'

const loadOpenPacked = onDemand(() => import('./open-packed.js'))
const loadRebuildSegment = onDemand(() => import('./rebuild-segment.js'))

type CatalogFile = Pick<ReadResult, 'bytes' | 'version' | 'digest'>

/** Indexes a packed library by its catalog and segments. Segments of `before` are not read again. */
export function indexPacked(
  source: SkillSource,
  catalog: CatalogFile,
  options: IndexOptions,
  before: readonly SourceSegment[] = [],
): Promise<SourceIndex> {
  let current = catalog
  return readCurrent(
    () => indexCatalog(source, current, options, before),
    async () => {
      const next = await source.read(CATALOG_FILE, { signal: options.signal })
      if (typeof next !== 'object' || sameBytes(next.bytes, current.bytes)) return false
      current = next
      return true
    },
  )
}

async function indexCatalog(
  source: SkillSource,
  found: CatalogFile,
  options: IndexOptions,
  before: readonly SourceSegment[],
): Promise<SourceIndex> {
  const { bytes, version } = found
  const subject = `${CATALOG_FILE} of ${source.name}`
  const { whole } = await wholeCatalog(source, found, subject, options.signal)
  const catalog = await readCatalog(whole.bytes, subject, { intact: whole.digest !== undefined })
  const byPath = lazy(() => new Map(catalog.skills.map(entry => [entry.path, entry])))
  const diagnostics = [...catalog.diagnostics]
  const paths = bySegment(catalog.segments, catalog.paths)
  const names = bySegment(catalog.segments, catalog.names)
  let done = 0

  const loadSegment = async (
    { file, dead, vectors }: PackedSegment,
    index: number,
  ): Promise<SourceSegment> => {
    const skills = paths[index] as (string | undefined)[]
    const key = digestIn(file)
    const rebuiltKey = `${key}*`
    const known = before.find(segment => segment.key === key || segment.key.startsWith(rebuiltKey))
    let segment: SourceSegment = {
      key: known?.key ?? key,
      bytes: known?.bytes ?? (await readPackedSegment(source, file, options.signal)),
      paths: skills.map(path => path ?? ''),
      dead: new Set(dead),
      ...(vectors ? { vectors } : {}),
    }
    const opened = openSegment(segment.bytes)
    const usable = opened !== undefined && holdsSkills(opened, names[index] ?? [])
    const embedder = await options.embedder
    if (!usable || segment.key !== key) {
      diagnostics.push({
        code: 'segment-rebuilt',
        severity: 'warning',
        message: `${file} of ${source.name} is damaged, of another version or not of these skills, and was rebuilt`,
        path: file,
        hint: 'pack the skills again',
      })
    } else if (
      embedder &&
      options.policy.reportMissingVectors &&
      opened?.vectors?.space !== embedder.space
    ) {
      diagnostics.push({
        code: 'vectors-missing',
        severity: 'warning',
        message: `${file} of ${source.name} has no vectors of this embedder; its skills are matched by keywords only`,
        path: file,
        hint: 'pack the skills again with this embedder',
      })
    }
    if (!usable) {
      const { rebuildSegment } = await loadRebuildSegment()
      const entries = skills.map(path => (path === undefined ? undefined : byPath().get(path)))
      segment = {
        ...segment,
        key: rebuiltKey + shortDigest(catalog.digest),
        bytes: await rebuildSegment(source, entries, options),
      }
    }
    done++
    options.onProgress?.(done, catalog.segments.length)
    return segment
  }
  const segments = await mapParallel(catalog.segments, PARALLEL_READS, loadSegment)

  const loaded: SourceIndex = {
    source,
    get entries() {
      return catalog.skills
    },
    catalogDigest: catalog.digest,
    showsAll: catalog.showsAll,
    entryOf: catalog.entryOf,
    get byPath() {
      return byPath()
    },
    contentOf: contentOfEntry,
    segments,
    diagnostics,
    get leftOut() {
      return catalog.leftOut
    },
    open: async (entry, signal) => (await loadOpenPacked()).openPacked(source, entry, signal),
    files: async (entry, signal) =>
      (await loadOpenPacked()).readPackedDetails(source, entry, signal),
    locate: (_, { path, digest }) => ({
      path: packedFile(digest as string, path),
      digest: digest as string,
    }),
    async refresh(next) {
      const found = await source.read(CATALOG_FILE, { ifVersion: version, signal: next.signal })
      if (found === 'unchanged') return loaded
      if (found === undefined) {
        throw new SkillshelfError(
          'source-not-found',
          `${source.name} no longer has a ${CATALOG_FILE}`,
          {
            subject: source.name,
          },
        )
      }
      if (sameBytes(found.bytes, bytes)) return loaded
      return indexPacked(source, found, next, segments)
    },
  }
  return loaded
}

/** A value of each skill of each segment, by number; `undefined` for a dead skill. */
function bySegment(
  segments: readonly PackedSegment[],
  values: readonly string[],
): (string | undefined)[][] {
  let next = 0
  return segments.map(({ skills, dead }) => {
    const isDead = new Set(dead)
    return Array.from({ length: skills }, (_, number) => {
      if (isDead.has(number)) return undefined
      const value = values[next]
      next++
      return value
    })
  })
}

/** True if the live skills of a segment have these names, so that its postings are about the skills of the catalog. */
function holdsSkills(
  { length, names }: Segment,
  expected: readonly (string | undefined)[],
): boolean {
  // The segment builder replaces line feeds, which separate names from tags.
  const isName = (name: string | undefined, skill: number): boolean =>
    name === undefined || names.startsWith(skill, name.replaceAll('\n', ' '))
  return length === expected.length && expected.every(isName)
}
