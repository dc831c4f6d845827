import type { AbortOptions } from '../../../core/abort.js'
import { PARALLEL_READS } from '../../../core/concurrency.js'
import { throwIfAborted } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { SkillSource } from '../../../source/source.js'
import { writeCatalog } from '../../catalog/packed-catalog.js'
import type { PublishedSummary } from '../publish/well-known.js'
import type { PackOptions } from './pack-options.js'
import { type PackPlan, planPack } from './plan.js'
import { type PlannedFile, readPlanned } from './planned-file.js'

/** Loaded on demand, because most libraries are small. */
const loadPieces = onDemand(() => import('./pieced-files.js'))
const loadSignature = onDemand(() => import('../../signed/signature.js'))
/** Loaded on demand, because a page that packs rarely publishes. */
const loadPublishing = onDemand(() => import('../publish/well-known.js'))

/**
 * Bytes of the catalog and the segments of a library that is read whole, at most, as they are: some 300 skills. The pieces of a first message would
 * be as many bytes, in twenty more requests.
 */
const MAX_WHOLE = 524_288

/**
 * The purpose of a packed file:
 *
 * - `file`, `segment`, `vectors`, `piece`, `catalog`: the packed library
 * - `archive`, `index`: the skills for other clients, by well-known v0.2
 * - `hosting`: settings for static hosts
 */
export type PackedPart =
  | 'file'
  | 'segment'
  | 'vectors'
  | 'piece'
  | 'archive'
  | 'hosting'
  | 'index'
  | 'catalog'

/** A file to write. */
export interface PackedOutput {
  /** Relative to the root of the packed library. */
  path: string
  bytes: Uint8Array<ArrayBuffer>
  part: PackedPart
}

/** The result of `pack`. */
export interface PackSummary {
  /** SKILL.md files found. */
  found: number
  /** Skills packed: of copies, one. */
  skills: number
  /** Files of the packed skills, including SKILL.md. */
  files: number
  diagnostics: readonly Diagnostic[]
  /** Skills published, with `wellKnown`. */
  wellKnown?: PublishedSummary
}

const OPTIONS = {
  embedder: 1,
  encoder: 1,
  previous: 1,
  wellKnown: 1,
  pieces: 1,
  sign: 1,
  strict: 1,
  countTokens: 1,
  allow: 1,
  internal: 1,
  signal: 1,
  onProgress: 1,
} satisfies OptionNames<PackOptions>
const SIGN = { privateKeys: 1, revision: 1, expires: 1 } satisfies OptionNames<
  NonNullable<PackOptions['sign']>
>

/**
 * Turns a source of skill folders into the files of a packed library, which opens with a few reads.
 *
 * It writes nothing itself. `skillshelf.json` comes last, so a reader never sees half a library if you write in order. The same skills
 * give the same bytes. Every file is examined before the first one comes.
 * @param source A source that can be listed, such as `directory('./skills')`.
 * @returns A generator of files. Its return value is a `PackSummary`.
 * @throws SkillshelfError `unsupported` if the source cannot be listed or is packed already, `source-failed` if a file cannot be read,
 * `invalid-input` if a file is a secret that `allow` does not name
 * @example
 * ```ts
 * import { mkdir, writeFile } from 'node:fs/promises'
 * import { dirname, join } from 'node:path'
 * import { pack } from 'skillshelf/store'
 * import { directory } from 'skillshelf/node'
 *
 * for await (const { path, bytes } of pack(directory('./skills'))) {
 *   const file = join('./public/skills', path)
 *   await mkdir(dirname(file), { recursive: true })
 *   await writeFile(file, bytes)
 * }
 * ```
 */
export async function* pack(
  source: SkillSource,
  options: PackOptions = {},
): AsyncGenerator<PackedOutput, PackSummary> {
  checkOptionNames(options, OPTIONS)
  checkOptionNames(options.sign, SIGN)
  const { wellKnown, sign, pieces, ...planOptions } = options
  const plan = await planPack(source, { ...planOptions, countPublished: wellKnown })
  return yield* writePack(plan, options)
}

export type WriteOptions = Pick<
  PackOptions,
  'wellKnown' | 'pieces' | 'sign' | 'signal' | 'onProgress'
>

/** Writes a plan: its files, with `wellKnown` those for other clients, and last the catalog. `onProgress` counts published skills. */
export async function* writePack(
  plan: PackPlan,
  { wellKnown, ...options }: WriteOptions = {},
): AsyncGenerator<PackedOutput, PackSummary> {
  const { found, catalog, skills, diagnostics } = plan
  yield* plannedFiles(plan, options)
  const site = wellKnown ? yield* (await loadPublishing()).wellKnownFiles(plan, options) : undefined
  const whole = await writeCatalog(catalog)
  const isLarge = options.pieces ?? isLargeIndex(plan, whole)
  const bytes = isLarge ? yield* (await loadPieces()).piecedFiles(plan, whole, options) : whole
  yield { path: CATALOG_FILE, bytes: await sign(bytes, options.sign), part: 'catalog' }
  const files = skills.reduce((sum, { details }) => sum + 1 + details.files.length, 0)
  return {
    found,
    skills: skills.length,
    files,
    diagnostics: [...diagnostics, ...(site?.diagnostics ?? [])],
    ...(site ? { wellKnown: site.summary } : {}),
  }
}

/** The files of a plan in order, a few read ahead. */
async function* plannedFiles(
  { files }: PackPlan,
  options: AbortOptions,
): AsyncGenerator<PackedOutput> {
  const paths = [...files.keys()]
  for (let from = 0; from < paths.length; from += PARALLEL_READS) {
    throwIfAborted(options.signal)
    const batch = paths.slice(from, from + PARALLEL_READS)
    for (const [path, bytes] of await readPlanned(files, batch, options)) {
      yield { path, bytes, part: (files.get(path) as PlannedFile).part }
    }
  }
}

/** Whether what finds the skills is so large that a reader should not fetch all of it. */
function isLargeIndex({ files }: PackPlan, catalog: Uint8Array): boolean {
  const segments = [...files.values()].filter(({ part }) => part === 'segment')
  return segments.reduce((sum, { size }) => sum + size, catalog.length) > MAX_WHOLE
}

async function sign(
  catalog: Uint8Array<ArrayBuffer>,
  options: PackOptions['sign'],
): Promise<Uint8Array<ArrayBuffer>> {
  if (!options) return catalog
  const { privateKeys, revision = Math.floor(Date.now() / 1_000), expires } = options
  const { signCatalog } = await loadSignature()
  return signCatalog(catalog, privateKeys, { revision, expires })
}
