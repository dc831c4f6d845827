import { resolve } from 'node:path'
import type { Plugin, ResolvedConfig } from 'vite'
import { SkillshelfError } from '../core/errors.js'
import { safePath } from '../core/paths.js'
import { CATALOG_FILE } from '../source/catalog-file.js'
import { serveFolder } from './dev-server.js'
import { createReporter, isError, problemLines } from './diagnostics.js'
import { type PackedFolder, packFolder } from './packed-folder.js'
import { builtModule, servedModule, VIRTUAL } from './virtual-module.js'

export interface SkillshelfOptions {
  /** The folder of skills, relative to Vite's root. A build fails where there is no skill in it. Default `skills`. */
  dir?: string | undefined
  /** Where the packed library is served and built, relative to the page. Its last part is the library's name. Default `skills`. */
  out?: string | undefined
  /** Leave out skills without a name or description of their own, and fail the build on errors. Default false. */
  strict?: boolean | undefined
}

const RESOLVED = `\0${VIRTUAL}`
/** What skillshelf imports in a page. Vite would find it in mid-run, and reload the page. */
const NESTED = [
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
  '@zip.js/zip.js/lib/zip-core-reader.js',
  'comlink',
  'fflate',
  'idb',
  'idb-keyval',
  'modern-tar',
  'mrmime',
  'yaml',
  'zod/mini',
  'zod/v4/locales/en.js',
]

/**
 * Packs a folder of skills and opens it as `virtual:skillshelf`:
 *
 *     import library from 'virtual:skillshelf' // a SkillLibrary
 *
 * In development a change in the folder refreshes the library; the page stays.
 */
export function skillshelf(options: SkillshelfOptions = {}): Plugin {
  const { strict = false } = options
  const dir = textOf(options, 'dir')
  const out = safePath(textOf(options, 'out'))
  const build: Build = { catalog: '' }
  let config: ResolvedConfig
  const folder = (): string => resolve(config.root, dir)

  return {
    ...virtualModule(out, build),

    config(user) {
      // Vite 6 builds for browsers that lack a top-level await, and is the last that does not tell its version.
      const old = !(this as { meta?: { viteVersion?: string } } | undefined)?.meta?.viteVersion
      return {
        ...(old && user.build?.target === undefined ? { build: { target: 'es2022' } } : {}),
        // Served as it is, so that what stands beside its modules is found there.
        optimizeDeps: { exclude: ['skillshelf'], include: NESTED.map(name => `skillshelf > ${name}`) },
        // Workers are built by themselves, with plugins of their own.
        worker: { plugins: () => [virtualModule(out, build)] },
      }
    },
    configResolved(resolved) {
      config = resolved
    },
    configureServer(server) {
      serveFolder(server, { dir: folder(), out, strict })
    },
    async buildStart() {
      if (config.command !== 'build' || this.environment.config.consumer !== 'client') return
      const packed = await packFolder(folder(), { strict })
      const missing = packed.diagnostics.find(({ code }) => code === 'source-missing')
      if (missing) this.error(`There are no skills to build in ${dir}: ${missing.message} (${missing.hint})`)
      createReporter(config.logger)(problemLines(packed, config.root, folder()))
      if (packed.skills === 0) this.error(`None of the skills in ${dir} can be used: the warnings say why`)
      if (strict && packed.diagnostics.some(isError))
        this.error(`The skills in ${dir} have errors, and strict is set: mend them, or leave strict out`)
      build.emit = into => {
        for (const path of ['', ...packed.read]) into.addWatchFile(resolve(folder(), path))
        return emit(packed, out, into)
      }
      build.catalog = build.emit(this)
    },
  }
}

/** @throws SkillshelfError `invalid-input` */
function textOf(options: SkillshelfOptions, key: 'dir' | 'out'): string {
  const given: unknown = options[key] ?? 'skills'
  if (typeof given === 'string' && given !== '') return given
  throw new SkillshelfError('invalid-input', `${key} of skillshelf() is ${given === '' ? 'empty' : 'not text'}`, {
    subject: String(given),
    hint: `give the path of a folder, as ${key}: 'skills', or leave ${key} out`,
  })
}

/** The build that is under way. */
interface Build {
  /** Writes the library beside the page; returns the reference of its catalog. */
  emit?: (into: Emitter) => string
  /** The reference of the catalog, among the files of the page. */
  catalog: string
}

function virtualModule(out: string, build: Build): Plugin {
  return {
    name: 'skillshelf',
    resolveId: id => (id === VIRTUAL ? RESOLVED : undefined),
    load(id) {
      if (id !== RESOLVED) return undefined
      const { config, mode } = this.environment
      if (config.consumer !== 'client')
        this.error(
          `${VIRTUAL} is for the browser. On a server open the folder: openLibrary(directory('skills')), with directory() from skillshelf/node`,
        )
      if (mode === 'dev') return servedModule(config.base + out)
      // A top-level await is refused there, with a message that leads nowhere.
      if (config.isWorker && config.worker.format === 'iife')
        this.error(`${VIRTUAL} in a Web Worker needs modules: set worker: { format: 'es' } in the Vite config`)
      // A worker is a build by itself: what it names it must hold.
      return builtModule((config.isWorker && build.emit?.(this)) || build.catalog)
    },
  }
}

/** What is used of a plugin's context. */
interface Emitter {
  addWatchFile(path: string): void
  emitFile(file: { type: 'asset'; fileName: string; source: Uint8Array }): string
}

function emit({ files }: PackedFolder, out: string, into: Emitter): string {
  let catalog = ''
  for (const [path, source] of files) {
    const reference = into.emitFile({ type: 'asset', fileName: `${out}/${path}`, source })
    if (path === CATALOG_FILE) catalog = reference
  }
  return catalog
}
