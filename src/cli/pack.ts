import { resolve } from 'node:path'
import { CATALOG_FILE } from '../catalog/packed.js'
import { bundled } from '../model/index.node.js'
import { type PackedOutput, type PackSummary, pack } from '../pack/pack.js'
import type { Diagnostic } from '../skill/diagnostic.js'
import { EXIT, failure } from './failure.js'
import { cancellable, type Io, printJson, printLines } from './io.js'
import { type Folder, findFolder, kindOf, noSkills, openFolder, shown, typed } from './opening.js'
import { type OutputFolder, openOutputFolder } from './output-folder.js'
import { startProgress } from './progress.js'
import { count, oneLine, size } from './text.js'

export interface PackFlags {
  out: string
  name?: string
  strict?: boolean
  keepOld?: boolean
  json?: boolean
  meaning?: boolean
}

interface Packed extends PackSummary {
  written: number
  kept: number
  removed: number
  bytes: number
}

/** Reasons that are printed; of more only the number. */
const SHOWN = 10
const PARALLEL_WRITES = 8

/** `skillshelf pack DIR --out DIR`: a folder of skills as files for any static host. */
export async function packCommand(io: Io, dir: string | undefined, flags: PackFlags): Promise<number> {
  const path = await findFolder(io, dir)
  const where = shown(io, path)
  if (flags.name?.trim() === '') throw failure('--name is empty', 'give the library a name, or leave --name out')
  const out = await openOutputFolder(resolve(io.cwd, flags.out), path)
  const packed = await writeAll(io, openFolder(path, flags.name), where, out, flags)
  const leftOut = packed.found - packed.skills
  const reasons = packed.diagnostics.filter(({ severity, code }) => severity === 'error' && WHOLE.has(code))
  if (flags.json) {
    const { found, skills, files, bytes, written, kept, removed } = packed
    printJson(io, {
      out: out.root,
      summary: { found, skills, leftOut, files, bytes, written, kept, removed },
      diagnostics: packed.diagnostics,
    })
    return EXIT.fine
  }
  const { skills, files, bytes, written, kept, removed } = packed
  printLines(
    io,
    `${count(skills, 'skill')} with ${count(files, 'file')} packed into ${shown(io, out.root)}`,
    `${count(written + kept, 'packed file')}, ${size(bytes)}: ${written} written, ${kept} kept, ${removed} removed`,
  )
  if (reasons.length > 0 || leftOut > 0)
    printLines(
      io,
      '',
      ...(leftOut > 0 ? [`${count(leftOut, 'SKILL.md')} left out`.replace('.mds', '.md files')] : []),
      ...(reasons.length <= SHOWN ? reasons.map(({ message }) => `  ${oneLine(message)}`) : []),
      ...(reasons.length > SHOWN
        ? [`  for the ${reasons.length} reasons see: skillshelf validate ${typed(where)}`]
        : []),
    )
  return EXIT.fine
}

/** What is said of a whole skill or file that is not packed, rather than of a line in one. */
const WHOLE: ReadonlySet<Diagnostic['code']> = new Set(['skill-left-out', 'skill-unreadable', 'path-refused'])

async function writeAll(
  io: Io,
  source: Folder,
  where: string,
  out: OutputFolder,
  { strict, keepOld, meaning }: PackFlags,
): Promise<Packed> {
  const progress = startProgress(io)
  const totals = { written: 0, kept: 0, bytes: 0 }
  const put = async (output: PackedOutput): Promise<void> => {
    totals[await out.put(output)]++
    totals.bytes += output.bytes.length
  }
  const writing = new Set<Promise<void>>()
  let failed: { error: unknown } | undefined
  try {
    const outputs = pack(source, {
      ...cancellable(io),
      ...(strict ? { strict } : {}),
      ...(meaning ? { vectorizer: await bundled() } : {}),
      onProgress: ({ phase, done, total }) => progress.update(phase === 'read' ? 'reading' : 'writing', done, total),
    })
    let catalog: PackedOutput | undefined
    for (;;) {
      const next = await outputs.next()
      if (!next.done) {
        // The catalog names all others: it waits for them, so that nobody sees a library with holes.
        if (next.value.path === CATALOG_FILE) catalog = next.value
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
      if (summary.skills === 0 || !catalog) throw await nothingToPack(source, where, summary)
      await put(catalog)
      const removed = keepOld ? 0 : await out.sweep()
      return { ...summary, ...totals, removed }
    }
  } finally {
    await Promise.all(writing)
    progress.stop()
  }
}

/** An empty library would replace a good one, so it is not written. */
async function nothingToPack(source: Folder, where: string, { found }: PackSummary): Promise<Error> {
  if (found > 0)
    return failure(`${where} holds no skill that can be used`, `see why with: skillshelf validate ${typed(where)}`)
  if ((await kindOf(resolve(source.root?.('') ?? '', CATALOG_FILE))) === 'file')
    return failure(`${where} is a packed library already`, 'pack the folder of skills that it was made from')
  return noSkills(where)
}
