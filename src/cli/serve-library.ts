import { readCatalog } from '../catalog/packed-catalog.js'
import { bundled } from '../embed/bundled/node.js'
import { openLibrary } from '../library/library.js'
import type { LocalLibrary } from '../library/types.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { directory } from '../source/directory/directory.js'
import type { SkillSource } from '../source/types.js'
import { createDiagnosticPrinter } from './diagnostics.js'
import { commandError, reportError } from './errors.js'
import { cancellable, type Io, printLines } from './io.js'
import { displayPath, openFolder } from './open-library.js'
import { nothingToPack } from './pack.js'
import type { ServeFlags } from './serve.js'
import { packLive } from './serve-live.js'
import { plural } from './text.js'

/** What is served. */
export interface Served extends Pick<SkillSource, 'read'> {
  /** Opened where the API is wanted. It follows what changes. */
  library?: LocalLibrary
  skills: number
  live: boolean
  close(): Promise<void>
}

/** A packed library, as it stands in a folder. */
export async function openPacked(io: Io, path: string, { api, meaning }: ServeFlags): Promise<Served> {
  const source = directory(path, { watch: true })
  const catalog = await source.read(CATALOG_FILE)
  if (typeof catalog !== 'object') throw commandError(`${CATALOG_FILE} cannot be read`)
  const { skills } = readCatalog(catalog.bytes, CATALOG_FILE)
  const library = api ? await open(io, source, meaning ? bundled() : undefined) : undefined
  const wordsOnly = library?.snapshot.diagnostics.find(({ code }) => code === 'vectors-missing')
  if (wordsOnly) io.stderr(`skillshelf: ${wordsOnly.message} (pack it again with --meaning)\n`)
  return {
    read: source.read,
    ...(library ? { library } : {}),
    skills: skills.length,
    live: false,
    close: async () => library?.close(),
  }
}

/** A folder of skills, packed in memory and followed. */
export async function openLive(io: Io, path: string, { api, meaning, name, strict }: ServeFlags): Promise<Served> {
  if (name?.trim() === '') throw commandError('--name is empty', 'give the library a name, or leave --name out')
  const tell = createDiagnosticPrinter(io, displayPath(io, path))
  const source = directory(path, { watch: true, ...(name === undefined ? {} : { name }) })
  const model = meaning ? bundled() : undefined
  let opening: Promise<LocalLibrary> | undefined
  const live = await packLive(source, {
    pack: {
      wellKnown: true,
      ...cancellable(io),
      ...(strict ? { strict } : {}),
      ...(model ? { embedder: await model } : {}),
    },
    async onChange(summary) {
      await (await opening)?.refresh()
      tell(summary.diagnostics)
      printLines(io, `${plural(summary.skills, 'skill')}, packed again`)
    },
    onFailed: error => {
      reportError(error, io, false)
      io.stderr('  the library stays as it last was\n')
    },
  })
  const { summary, read } = live
  try {
    if (summary.skills === 0) throw await nothingToPack(openFolder(path), displayPath(io, path), summary)
    opening = api ? open(io, { name: source.name, read }, model) : undefined
    const library = await opening
    tell(summary.diagnostics)
    return {
      read,
      ...(library ? { library } : {}),
      skills: summary.skills,
      live: true,
      async close() {
        live.close()
        await library?.close()
      },
    }
  } catch (error) {
    live.close()
    throw error
  }
}

function open(io: Io, source: SkillSource, embedder: ReturnType<typeof bundled> | undefined): Promise<LocalLibrary> {
  return openLibrary(source, { strict: true, ...cancellable(io), ...(embedder ? { embedder } : {}) })
}
