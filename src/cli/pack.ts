import { resolve } from 'node:path'
import { bundled } from '../embed/bundled/node.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { type PackedOutput, type PackedPart, type PackSummary, pack } from '../store/pack/pack.js'
import { commandError, EXIT } from './errors.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import {
  displayPath,
  type Folder,
  findFolder,
  noSkillsError,
  openFolder,
  pathKind,
  shellQuote,
} from './open-library.js'
import { type OutputFolder, openOutputFolder } from './pack-output.js'
import { summaryLines, summaryOf, type Written } from './pack-summary.js'
import { startProgressBar } from './progress-bar.js'

export interface PackFlags {
  out: string
  name?: string
  strict?: boolean
  keepOld?: boolean
  json?: boolean
  meaning?: boolean
  /** On the command line: true unless `--no-well-known` is given. */
  wellKnown?: boolean
}

const PARALLEL_WRITES = 8
/** What names others: it waits for them, so that nobody sees a library with holes. */
const LAST: ReadonlySet<PackedPart> = new Set(['hosting', 'index', 'catalog'])

/** `skillshelf pack DIR --out DIR`: a folder of skills as files for any static host. */
export async function packCommand(io: Io, dir: string | undefined, flags: PackFlags): Promise<number> {
  if (flags.out.trim() === '') throw commandError('--out is empty', 'give the folder to write; is a variable not set?')
  const path = await findFolder(io, dir)
  const where = displayPath(io, path)
  if (flags.name?.trim() === '') throw commandError('--name is empty', 'give the library a name, or leave --name out')
  const out = await openOutputFolder(resolve(io.cwd, flags.out), path, flags)
  const written = await writeAll(io, openFolder(path, flags.name), where, out, flags)
  if (flags.json) printJson(io, summaryOf(written, out.root))
  else printLines(io, ...summaryLines(written, { where, out: displayPath(io, out.root) }))
  return EXIT.ok
}

async function writeAll(
  io: Io,
  source: Folder,
  where: string,
  out: OutputFolder,
  { strict, keepOld, meaning, wellKnown }: PackFlags,
): Promise<Written> {
  const progress = startProgressBar(io)
  const written: Written['files'] = []
  const put = async ({ path, bytes, part }: PackedOutput): Promise<void> => {
    const outcome = await out.put({ path, bytes, part })
    const wanted = outcome === 'left' ? { wanted: new TextDecoder().decode(bytes) } : {}
    written.push({ path, part, size: bytes.length, outcome, ...wanted })
  }
  const writing = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  try {
    const outputs = pack(source, {
      ...cancellable(io),
      ...(strict ? { strict } : {}),
      ...(meaning ? { embedder: await bundled() } : {}),
      ...(wellKnown ? { wellKnown } : {}),
      onProgress: ({ phase, done, total }) => progress.update(phase === 'read' ? 'reading' : 'writing', done, total),
    })
    const last: PackedOutput[] = []
    for (;;) {
      const next = await outputs.next()
      if (!next.done) {
        if (LAST.has(next.value.part)) last.push(next.value)
        else {
          const one: Promise<void> = put(next.value)
            .catch(error => {
              failed ??= { error }
            })
            .finally(() => writing.delete(one))
          writing.add(one)
          if (writing.size >= PARALLEL_WRITES) await Promise.race(writing)
          if (failed) throw failed.error
        }
        continue
      }
      await Promise.all(writing)
      if (failed) throw failed.error
      const summary = next.value
      if (summary.skills === 0) throw await nothingToPack(source, where, summary)
      for (const output of last) await put(output)
      return { ...summary, files: written, skillFiles: summary.files, removed: keepOld ? 0 : await out.sweep() }
    }
  } finally {
    await Promise.all(writing)
    progress.stop()
  }
}

/** Why there is nothing to pack. An empty library would replace a good one, so it is not written. */
export async function nothingToPack(source: Folder, where: string, { found }: PackSummary): Promise<Error> {
  if (found > 0)
    return commandError(
      `${where} holds no skill that can be used`,
      `see why with: skillshelf validate ${shellQuote(where)}`,
    )
  if ((await pathKind(resolve(source.root?.('') ?? '', CATALOG_FILE))) === 'file')
    return commandError(`${where} is a packed library already`, 'pack the folder of skills that it was made from')
  return noSkillsError(where)
}
