import { resolve } from 'node:path'
import { type PackedOutput, type PackedPart, type PackSummary, pack } from '../../library/store/pack/pack.js'
import { bundled } from '../../search/model/bundled/package.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { countLeftOut } from './diagnostics.js'
import { commandError, EXIT } from './errors.js'
import { type Io, printJson, printLines } from './io.js'
import { type FolderSource, findFolder, noSkillsError, noUsableSkillError, openFolder } from './open-library.js'
import { type OutputFolder, openOutputFolder } from './pack-output.js'
import { summaryJson, summaryLines, type WrittenPack } from './pack-summary.js'
import { displayPath, pathKind } from './paths.js'
import { startProgressBar } from './progress-bar.js'

export interface PackFlags {
  out: string
  name?: string
  strict?: boolean
  keepOld?: boolean
  json?: boolean
  meaning?: boolean
  /** `true` unless `--no-well-known` is given. */
  wellKnown?: boolean
  legacy?: boolean
}

const PARALLEL_WRITES = 8
/** Written last, because they refer to the other files and readers must not find a file missing. */
const WRITTEN_LAST: ReadonlySet<PackedPart> = new Set(['hosting', 'index', 'catalog'])

/** `skillshelf pack DIR --out DIR`: writes a folder of skills as a library for a static host. */
export async function packCommand(io: Io, dir: string | undefined, flags: PackFlags): Promise<number> {
  if (flags.out.trim() === '')
    throw commandError('`--out` is empty', 'give the output folder; check whether a shell variable is unset')
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  if (flags.name?.trim() === '') throw commandError('`--name` is empty', 'give the library a name, or leave --name out')
  if (flags.legacy && flags.wellKnown === false)
    throw commandError('`--legacy` and `--no-well-known` exclude each other', 'leave one out')
  const out = await openOutputFolder(resolve(io.cwd, flags.out), path, flags)
  const written = await writePack(io, openFolder(path, flags.name), where, out, flags)
  if (flags.json) printJson(io, summaryJson(written, out.root))
  else printLines(io, ...summaryLines(written, { where, out: displayPath(io, out.root) }))
  return flags.strict && countLeftOut(written.diagnostics) > 0 ? EXIT.failed : EXIT.ok
}

async function writePack(
  io: Io,
  source: FolderSource,
  where: string,
  out: OutputFolder,
  { strict, keepOld, meaning = true, wellKnown, legacy }: PackFlags,
): Promise<WrittenPack> {
  const progress = startProgressBar(io)
  const files: WrittenPack['files'] = []
  const write = async ({ path, bytes, part }: PackedOutput): Promise<void> => {
    const outcome = await out.write({ path, bytes, part })
    const content = outcome === 'left' ? new TextDecoder().decode(bytes) : undefined
    files.push({ path, part, size: bytes.length, outcome, content })
  }
  const writing = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  try {
    const outputs = pack(source, {
      signal: io.signal,
      strict,
      embedder: meaning ? await bundled() : undefined,
      wellKnown: wellKnown && { legacy },
      onProgress: ({ phase, done, total }) => progress.update(phase === 'read' ? 'reading' : 'writing', done, total),
    })
    const last: PackedOutput[] = []
    for (;;) {
      const next = await outputs.next()
      if (!next.done) {
        if (WRITTEN_LAST.has(next.value.part)) {
          last.push(next.value)
          continue
        }
        const one: Promise<void> = write(next.value)
          .catch(error => {
            failure ??= { error }
          })
          .finally(() => writing.delete(one))
        writing.add(one)
        if (writing.size >= PARALLEL_WRITES) await Promise.race(writing)
        if (failure) throw failure.error
        continue
      }
      await Promise.all(writing)
      if (failure) throw failure.error
      const summary = next.value
      if (summary.skills === 0) throw await emptyPackError(source, where, summary)
      for (const output of last) await write(output)
      return { ...summary, files, skillFiles: summary.files, removed: keepOld ? 0 : await out.removeOld() }
    }
  } finally {
    await Promise.all(writing)
    progress.stop()
  }
}

/** Explains why a pack has no skills. An empty library is not written, because it could replace a good one. */
export async function emptyPackError(source: FolderSource, where: string, { found }: PackSummary): Promise<Error> {
  if (found > 0) return noUsableSkillError(where)
  if ((await pathKind(resolve(source.root?.('') ?? '', CATALOG_FILE))) === 'file')
    return commandError(`${where} is already a packed library`, 'pack the folder of skills it was packed from')
  return noSkillsError(where)
}
