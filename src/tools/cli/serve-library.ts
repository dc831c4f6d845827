import { rerunIfCalled } from '../../core/concurrency.js'
import { invalidInput } from '../../core/errors.js'
import type { LocalLibrary } from '../../library/api/skill-library.js'
import { readStoredCatalog } from '../../library/catalog/stored-catalog.js'
import { openLibrary } from '../../library/open-library.js'
import { livePack, packToMemory } from '../../library/store/pack/memory-pack.js'
import { bundled } from '../../search/model/bundled/package.js'
import type { SkillModel } from '../../search/model/skill-model.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import type { SkillSource } from '../../source/source.js'
import { allowedInFolderOf } from './allow.js'
import { emptyPackError } from './commands/pack.js'
import { createDiagnosticReporter } from './diagnostics.js'
import { folderSource } from './folder-source.js'
import { type Io, plural, printErrors, printLines, reportError } from './io.js'
import { warnOfMissingVectors } from './open-library.js'
import { displayPath } from './paths.js'

export interface LibraryFlags {
  api?: boolean
  meaning?: boolean
  name?: string
  strict?: boolean
  allow?: readonly string[]
  internal?: boolean
}

/** A folder that is served. */
export interface ServedFolder {
  /** Reads its packed files. */
  read: SkillSource['read']
  /** The library, with `--api` only. It follows changes. */
  library: LocalLibrary | undefined
  /** Number of skills at the start. */
  skills: number
  /** Whether the folder is packed again when it changes. */
  live: boolean
  close(): Promise<void>
}

export async function openPacked(
  io: Io,
  path: string,
  { api, meaning = true }: LibraryFlags,
): Promise<ServedFolder> {
  const source = folderSource(io, path, { watch: true })
  const stored = await readStoredCatalog(source, io.signal)
  if (!stored) throw invalidInput(`Cannot read ${CATALOG_FILE}`)
  const library = api ? await open(io, source, meaning ? bundled() : undefined) : undefined
  if (library) warnOfMissingVectors(io, library)
  const skills = stored.catalog.skills.length
  return { read: source.read, library, skills, live: false, close: async () => library?.close() }
}

/** Packs a folder of skills in memory, and again when it changes. */
export async function openLive(
  io: Io,
  path: string,
  { api, meaning = true, name, strict, internal, ...flags }: LibraryFlags,
): Promise<ServedFolder> {
  if (name?.trim() === '') {
    throw invalidInput('`--name` is empty', 'give the library a name, or leave --name out')
  }
  const where = displayPath(io, path)
  const reportDiagnostics = createDiagnosticReporter(io, where)
  const allow = await allowedInFolderOf(io, path, flags.allow)
  const source = folderSource(io, path, { watch: true, name })
  const model = meaning ? bundled() : undefined
  const embedder = await model
  const { signal } = io
  const live = livePack<Awaited<ReturnType<typeof packToMemory>>>(async current => {
    const packed = await packToMemory(source, {
      wellKnown: true,
      signal,
      strict,
      embedder,
      allow,
      internal,
      // S10, S16: the rest is served.
      secrets: 'leave-out',
    })
    if (current && packed.summary.skills === 0) throw invalidInput(`No skills left in ${where}`)
    return packed
  })
  let opening: Promise<LocalLibrary> | undefined
  const update = rerunIfCalled(async () => {
    try {
      const { packed, changed } = await live.update()
      // A file that is left out changes nothing.
      if (!changed) return reportDiagnostics(packed.summary.diagnostics)
      await (await opening)?.refresh()
      reportDiagnostics(packed.summary.diagnostics)
      printLines(io, `Packed again: ${plural(packed.summary.skills, 'skill')}`)
    } catch (error) {
      if (signal?.aborted) return
      reportError(error, io, false)
      printErrors(io, '  the served library is unchanged')
    }
  })
  let first: ReturnType<typeof live.update> | undefined
  // Watched before the first pack, so that no change is missed.
  const unwatch = source.watch?.(() => void first?.then(update, () => undefined))
  try {
    first = live.update()
    const { summary } = (await first).packed
    if (summary.skills === 0) throw await emptyPackError(source, where, summary)
    const read: SkillSource['read'] = async file => live.read(file)
    opening = api ? open(io, { name: source.name, read }, model) : undefined
    const library = await opening
    reportDiagnostics(summary.diagnostics)
    return {
      read,
      library,
      skills: summary.skills,
      live: true,
      async close() {
        unwatch?.()
        await library?.close()
      },
    }
  } catch (error) {
    unwatch?.()
    throw error
  }
}

function open(
  io: Io,
  source: SkillSource,
  embedder: Promise<SkillModel> | undefined,
): Promise<LocalLibrary> {
  return openLibrary(source, { strict: true, signal: io.signal, embedder: embedder ?? false })
}
