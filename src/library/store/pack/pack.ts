import { mapParallel, PARALLEL_READS } from '../../../core/concurrency.js'
import { digestOf, digestOfLarge, shortDigest } from '../../../core/digest.js'
import { SkillshelfError } from '../../../core/errors.js'
import { onDemand } from '../../../core/load-module.js'
import { joinPath } from '../../../core/paths.js'
import type { OnProgress } from '../../../core/progress.js'
import { checkOptionNames, type OptionNames } from '../../../core/text/option-names.js'
import type { TokenCounter } from '../../../core/tokens.js'
import { createSegmentBuilder, embeddedSkill } from '../../../search/index/build.js'
import type { SkillModel } from '../../../search/model/skill-model.js'
import type { Diagnostic } from '../../../skill/diagnostics.js'
import { MESSAGES_FILE } from '../../../skill/messages.js'
import type { SkillDetails } from '../../../skill/skill.js'
import { CATALOG_FILE } from '../../../source/catalog-file.js'
import type { ListableSource, SkillSource } from '../../../source/source.js'
import type { CatalogEntry, TreeSkill } from '../../catalog/catalog-entry.js'
import {
  CATALOG_FORMAT,
  type PackedCatalog,
  type PackedSegment,
  writeCatalog,
} from '../../catalog/packed-catalog.js'
import { type PackedFileInfo, packedFile } from '../../catalog/packed-files.js'
import { readTree } from '../../catalog/read-tree.js'
import { confusableNames } from '../../catalog/snapshot.js'
import type { PublishedSummary } from '../publish/well-known.js'
import type { PackedSkill } from '../publish/well-known-plan.js'
import type { SecretPolicy } from './secret-guard.js'

const loadSignature = onDemand(() => import('../../signed/signature.js'))
/** Loaded on demand, because a page that opens libraries does not pack. */
export const loadSecretGuard = onDemand(() => import('./secret-guard.js'))
const loadPublishing = onDemand(() => import('../publish/well-known.js'))

/**
 * The purpose of a packed file:
 *
 * - `file`, `segment`, `catalog`: the packed library
 * - `archive`, `copy`, `index`: the skills for other clients, by well-known v0.2 and v0.1
 * - `hosting`: settings for static hosts
 */
export type PackedPart = 'file' | 'segment' | 'archive' | 'copy' | 'hosting' | 'index' | 'catalog'

/** A file to write. */
export interface PackedOutput {
  /** Relative to the root of the packed library. */
  path: string
  bytes: Uint8Array<ArrayBuffer>
  part: PackedPart
}

/** Options of `pack`. */
export interface PackOptions {
  /** Adds vectors, so that skills are found by meaning too. @default undefined (keywords only) */
  embedder?: SkillModel | undefined
  /**
   * Also publishes the skills to other clients, by well-known v0.2: an archive of each skill, an index, and settings for static hosts.
   *
   * `legacy` publishes them by v0.1 too, for older clients. It needs a copy of every file under its own name, which can double the size
   * of the library.
   * @default false
   */
  wellKnown?: boolean | { legacy?: boolean | undefined } | undefined
  /**
   * Signs the library, for `publicKeys` of `openLibrary`: private keys in PEM, as `skillshelf keys new` writes them, two during a rotation.
   * Readers refuse a lower revision than they have seen.
   * @default undefined (no signature); `revision`: seconds since 1970
   */
  sign?: { privateKeys: readonly string[]; revision?: number | undefined } | undefined
  /** Leaves out skills without a name or description, and reports violations of the specification as errors. @default false */
  strict?: boolean | undefined
  /** Counts the tokens of a text. @default estimateTokens */
  countTokens?: TokenCounter | undefined
  /**
   * Paths of files, or of folders of files, that are packed although they look like a private key, a token or a file of passwords. Any
   * other such file stops the pack with `invalid-input`.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Aborts with `aborted`. */
  signal?: AbortSignal | undefined
  /** Called with phase `read`, then `write`. Counts skills; with `wellKnown`, `write` counts each skill twice. */
  onProgress?: OnProgress | undefined
}

/** Options of a pack that need not be published. */
export interface TreePackOptions extends PackOptions {
  /** What happens to a secret that `allow` does not name: `refuse` stops the pack, `leave-out` reports it, `keep` takes it. @default 'refuse' */
  secrets?: SecretPolicy | undefined
}

/** The result of `pack`. */
export interface PackSummary {
  /** SKILL.md files found. */
  found: number
  /** Skills packed. */
  skills: number
  /** Files of the packed skills, including SKILL.md. */
  files: number
  diagnostics: readonly Diagnostic[]
  /** Skills published, with `wellKnown`. */
  wellKnown?: PublishedSummary
}

/** Skills in one segment: small enough to merge, large enough to keep segments few. */
const SEGMENT_SKILLS = 16_384

const OPTIONS = {
  embedder: 1,
  wellKnown: 1,
  sign: 1,
  strict: 1,
  countTokens: 1,
  allow: 1,
  signal: 1,
  onProgress: 1,
} satisfies OptionNames<PackOptions>

/**
 * Turns a source of skill folders into the files of a packed library, which opens with a few reads.
 *
 * It writes nothing itself. `skillshelf.json` comes last, so a reader never sees half a library if you write in order. The same skills
 * give the same bytes.
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
export function pack(
  source: SkillSource,
  options: PackOptions = {},
): AsyncGenerator<PackedOutput, PackSummary> {
  checkOptionNames(options, OPTIONS)
  return packTree(source, { ...options, secrets: 'refuse' })
}

/** As `pack`, with a choice of what happens to secrets. */
export async function* packTree(
  source: SkillSource,
  options: TreePackOptions = {},
): AsyncGenerator<PackedOutput, PackSummary> {
  const { onProgress, signal, embedder, wellKnown, sign, strict, countTokens } = options
  const { createSecretGuard } = await loadSecretGuard()
  const guard = await createSecretGuard(options)
  await checkPackable(source, signal)
  const tree = await readTree(source as ListableSource, {
    strict,
    countTokens,
    signal,
    onProgress: (done, total) => onProgress?.({ phase: 'read', done, total }),
  })

  // Loaded on demand, because a page that packs rarely publishes.
  const publishing = wellKnown ? await loadPublishing() : undefined
  const published = wellKnown
    ? tree.changed.filter(({ entry }) => entry.enabled !== false).length
    : 0
  const total = tree.changed.length + published
  const entries: CatalogEntry[] = []
  const packed: PackedSkill[] = []
  const segments: PackedSegment[] = []
  const written = new Set<string>()
  let files = 0
  let done = 0
  let builder = createSegmentBuilder({ embedder })
  /** Yields each path once: skills may share files. */
  const output = function* (file: PackedOutput): Generator<PackedOutput> {
    if (written.has(file.path)) return
    written.add(file.path)
    yield file
  }
  const finishSegment = function* (): Generator<PackedOutput> {
    if (builder.length === 0) return
    const bytes = builder.finish()
    const file = `${shortDigest(digestOf(bytes))}.seg`
    segments.push({ file, skills: builder.length, dead: [] })
    builder = createSegmentBuilder({ embedder })
    yield* output({ path: file, bytes, part: 'segment' })
  }

  for (const skill of tree.changed) {
    const { entry, body } = skill
    const read = await readFiles(source, skill, signal)
    const contents = guard.check(entry.path, read)
    // Nothing is packed once a secret is found, or of a skill whose SKILL.md has one. The other files are examined too.
    if (guard.isRefused || contents[0] !== read[0]) continue
    const details = withoutFiles(skill.details, contents)
    const listed: PackedFileInfo[] = []
    for (const [index, { path, bytes, digest }] of contents.entries()) {
      if (index > 0) listed.push({ path, size: bytes.length, digest })
      yield* output({ path: packedFile(digest, path), bytes, part: 'file' })
      files++
    }
    const json = new TextEncoder().encode(JSON.stringify({ ...details, files: listed }))
    const detailsDigest = digestOf(json)
    yield* output({ path: packedFile(detailsDigest, '.json'), bytes: json, part: 'file' })
    entries.push({ ...entry, details: detailsDigest })
    if (publishing) {
      packed.push({
        entry,
        details: { ...details, files: listed },
        size: contents[0]?.bytes.length,
        frontmatterProblem: await publishing.findFrontmatterProblem(
          contents[0]?.bytes ?? new Uint8Array(),
        ),
      })
    }
    const { messages = [], metadata } = details
    const document = { ...entry, whenToUse: metadata.whenToUse, messages, body }
    await embedder?.prepare?.([embeddedSkill(document)])
    builder.add(document)
    if (builder.length === SEGMENT_SKILLS) yield* finishSegment()
    onProgress?.({ phase: 'write', done: ++done, total })
  }
  guard.throwIfRefused()
  yield* finishSegment()
  const site = publishing
    ? yield* publishing.wellKnownFiles(packed, {
        segments: segments.map(({ file }) => file),
        legacy: typeof wellKnown === 'object' && wellKnown.legacy === true,
        read: async (path, digest) => (await readFile(source, path, signal, digest)).bytes,
        onPublished: () => onProgress?.({ phase: 'write', done: ++done, total }),
      })
    : undefined
  const { found, diagnostics } = tree
  const catalog: PackedCatalog = {
    format: CATALOG_FORMAT,
    name: source.name,
    skills: entries,
    segments,
    diagnostics,
  }
  const bytes = await writeCatalog(catalog)
  yield { path: CATALOG_FILE, bytes: sign ? await signWith(bytes, sign) : bytes, part: 'catalog' }
  return {
    found,
    skills: entries.length,
    files,
    diagnostics: [
      ...diagnostics,
      ...tree.changed.flatMap(({ details }) => details.diagnostics),
      ...guard.diagnostics,
      ...confusableNames(tree.changed.map(({ entry: { path, name } }) => ({ id: path, name }))),
      ...(site?.diagnostics ?? []),
    ],
    ...(site ? { wellKnown: site.summary } : {}),
  }
}

/** The details of a skill without the files that were left out. */
function withoutFiles(details: SkillDetails, contents: readonly { path: string }[]): SkillDetails {
  const paths = new Set(contents.map(({ path }) => path))
  if (details.files.every(({ path }) => paths.has(path))) return details
  const { messages: all, ...rest } = details
  const messages = paths.has(MESSAGES_FILE) ? all : details.metadata.messages
  return {
    ...rest,
    ...(messages ? { messages } : {}),
    files: details.files.filter(({ path }) => paths.has(path)),
  }
}

async function signWith(
  bytes: Uint8Array<ArrayBuffer>,
  { privateKeys, revision = Math.floor(Date.now() / 1_000) }: NonNullable<PackOptions['sign']>,
): Promise<Uint8Array<ArrayBuffer>> {
  const { signCatalog } = await loadSignature()
  return signCatalog(bytes, privateKeys, revision)
}

async function checkPackable(source: SkillSource, signal: AbortSignal | undefined): Promise<void> {
  if (!source.list) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} cannot be listed, so it cannot be packed`,
      {
        subject: source.name,
      },
    )
  }
  if ((await source.read(CATALOG_FILE, { signal })) !== undefined) {
    throw new SkillshelfError(
      'unsupported',
      `${source.name} is packed already: it has a ${CATALOG_FILE}`,
      {
        subject: source.name,
        hint: 'pack the folder of skills it was made from',
      },
    )
  }
}

async function readFiles(
  source: SkillSource,
  { entry, details }: TreeSkill,
  signal: AbortSignal | undefined,
) {
  const paths = [details.file, ...details.files.map(({ path }) => path)]
  return mapParallel(paths, PARALLEL_READS, async (path, index) => {
    const expected = index === 0 ? entry.digest : undefined
    return { path, ...(await readFile(source, joinPath(entry.path, path), signal, expected)) }
  })
}

/** Reads a listed file. `expected` is its digest, if it was read before. */
async function readFile(
  source: SkillSource,
  path: string,
  signal: AbortSignal | undefined,
  expected?: string,
) {
  const fail = (problem: string): SkillshelfError =>
    new SkillshelfError('source-failed', `${path} ${problem}`, {
      subject: path,
      hint: 'pack again',
    })
  const result = await source.read(path, { signal })
  if (result === undefined || result === 'unchanged') throw fail('is listed but cannot be read')
  const { bytes } = result
  const digest = await digestOfLarge(bytes)
  if (expected !== undefined && digest !== expected) throw fail('changed while it was packed')
  return { bytes, digest }
}
