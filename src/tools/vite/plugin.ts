import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  defaultClientConditions,
  type Plugin,
  type ResolvedConfig,
  searchForWorkspaceRoot,
} from 'vite'
import { SkillshelfError } from '../../core/errors.js'
import { safePath } from '../../core/paths.js'
import { checkOptionNames, type OptionNames } from '../../core/text/option-names.js'
import type { Embedder, EmbedderLoader } from '../../search/model/skill-model.js'
import { CATALOG_FILE } from '../../source/catalog-file.js'
import { PAGE_DEPENDENCIES } from './dependencies.js'
import { devModule, serveFolder } from './dev-server.js'
import { loadModelRows } from './model-rows.js'
import {
  createWarningLogger,
  formatDiagnostics,
  type PackedFolder,
  packFolder,
} from './packed-folder.js'

/** Options of the Vite plugin. */
export interface SkillshelfOptions {
  /** Folder of skills, relative to Vite's `root`, without the files that Git ignores. A build fails if it has no usable skill. @default 'skills' */
  dir?: string | undefined
  /** Path of the packed library, relative to the page. The last segment is the name, the first part of the ids. @default 'skills' */
  out?: string | undefined
  /** Leaves out skills without their own name or description, and fails the build on errors. @default false */
  strict?: boolean | undefined
  /**
   * Paths in `dir` of files, or of folders of files, that are published although they look like a private key, a token or a file of
   * passwords. Any other such file fails the build, and is not served in development.
   * @default []
   */
  allow?: readonly string[] | undefined
  /** Also publishes skills whose frontmatter says `metadata.internal: true`. They are for work on their repository. @default false */
  internal?: boolean | undefined
  /**
   * Adds vectors of a transformer to builds, such as `transformers()` of `skillshelf/transformers`. A page that loads the same one by
   * `upgrade` embeds nothing. In development, pages embed the skills themselves.
   * @default undefined
   */
  encoder?: Embedder | EmbedderLoader | undefined
  /**
   * Installed npm packages whose skills are packed too, at `npm/<package>/<folder>`: names, `@scope/*`, `name#skill`, or `*` for all. `dir`
   * may then be missing. Installing again shows in the next build or start of the server.
   * @default none
   */
  packages?: readonly string[] | undefined
  /**
   * A build fails if a skill of `dir` or of `packages` differs from `skills-lock.json` in Vite's `root`, or if there is none: write it with
   * `npx skillshelf lock`.
   * @default false
   */
  frozen?: boolean | undefined
}

/** A condition of onnxruntime-web: its files are loaded from addresses that are set at run time. */
const EXTERNAL_WASM = 'onnxruntime-web-use-extern-wasm'
const MODEL = fileURLToPath(new URL('../../../model', import.meta.url))
const VIRTUAL = 'virtual:skillshelf'
const RESOLVED = `\0${VIRTUAL}`
const OPTIONS = {
  dir: 1,
  out: 1,
  strict: 1,
  allow: 1,
  internal: 1,
  encoder: 1,
  packages: 1,
  frozen: 1,
} satisfies OptionNames<SkillshelfOptions>

/**
 * Vite plugin that packs a folder of skills and provides it as the module `virtual:skillshelf`.
 *
 * The module's `library` is a `SkillLibrary` that opens in the background: importing it delays no render, and its calls wait. It works in
 * pages and in module Web Workers. In development, a change in the folder refreshes the library without reloading the page. In a build,
 * the packed library is emitted beside the page.
 * @throws {SkillshelfError} `invalid-input` if `dir` or `out` is not a non-empty string, `invalid-path` if `out` leaves the output
 * folder.
 * @example
 * ```ts
 * // vite.config.ts
 * import { skillshelf } from 'skillshelf/vite'
 * import { defineConfig } from 'vite'
 *
 * export default defineConfig({ plugins: [skillshelf({ dir: 'skills' })] })
 * ```
 * ```ts
 * // main.ts
 * import { library } from 'virtual:skillshelf'
 *
 * const { matches } = await library.match('make slides about our launch')
 * ```
 */
export function skillshelf(options: SkillshelfOptions = {}): Plugin {
  checkOptionNames(options, OPTIONS)
  const { strict = false, allow, internal, encoder, packages, frozen = false } = options
  const dir = folderOption(options, 'dir')
  const out = safePath(folderOption(options, 'out'))
  const build: Build = { catalog: '' }
  let config: ResolvedConfig
  const folder = (): string => resolve(config.root, dir)

  return {
    ...virtualModule(out, build),

    config(user) {
      // Vite 6 targets browsers without top-level await. Later versions report their version.
      const isVite6 = !(this as { meta?: { viteVersion?: string } } | undefined)?.meta?.viteVersion
      return {
        ...(isVite6 && user.build?.target === undefined ? { build: { target: 'es2022' } } : {}),
        // Not bundled, because skillshelf loads files beside its modules.
        optimizeDeps: {
          exclude: ['skillshelf'],
          include: PAGE_DEPENDENCIES.map(name => `skillshelf > ${name}`),
        },
        // In a workspace, the model may be outside the folders that Vite serves.
        server: {
          fs: {
            allow: [
              ...(user.server?.fs?.allow ? [] : [searchForWorkspaceRoot(user.root ?? '.')]),
              MODEL,
            ],
          },
        },
        // Without it, a build with transformers.js copies 26.9 MB of WebAssembly that the page never loads.
        resolve: {
          conditions: [EXTERNAL_WASM, ...(user.resolve?.conditions ? [] : defaultClientConditions)],
        },
        // Vite builds workers separately, with their own plugins.
        worker: { plugins: () => [virtualModule(out, build)] },
      }
    },
    configResolved(resolved) {
      config = resolved
    },
    configureServer(server) {
      const project = config.root
      serveFolder(server, { dir: folder(), out, strict, allow, internal, packages, project })
    },
    async buildStart() {
      if (config.command !== 'build' || this.environment.config.consumer !== 'client') return
      if (frozen) await checkFrozen(config, { folder: folder(), packages })
      const packed = await packFolder(folder(), {
        ...{ strict, allow, internal, encoder, packages, project: config.root },
        secrets: 'refuse',
      })
      const missing = packed.diagnostics.find(({ code }) => code === 'source-missing')
      if (missing) this.error(`No skills to build in ${dir}: ${missing.message} (${missing.hint})`)
      createWarningLogger(config.logger)(formatDiagnostics(packed, config.root, folder()))
      if (packed.skills === 0) this.error(`No usable skill in ${dir}; see the warnings`)
      if (strict && packed.diagnostics.some(({ severity }) => severity === 'error')) {
        this.error(`The skills in ${dir} have errors; fix them, or remove the option strict`)
      }
      build.emit = context => {
        for (const path of [folder(), ...packed.read]) context.addWatchFile(path)
        return emitFiles(packed, out, context)
      }
      build.catalog = build.emit(this)
    },
  }
}

/** @throws SkillshelfError `invalid-input` if there is no lock, or a skill differs from it */
async function checkFrozen(
  { root: cwd, logger }: ResolvedConfig,
  skills: { folder: string; packages: readonly string[] | undefined },
): Promise<void> {
  const { requireLocked } = await import('../cli/commands/lock.js')
  const stderr = (text: string): void => logger.warn(text.trimEnd())
  await requireLocked({ cwd, stderr, stdout() {}, isTTY: false }, skills)
}

function folderOption(options: SkillshelfOptions, key: 'dir' | 'out'): string {
  const value: unknown = options[key] ?? 'skills'
  if (typeof value === 'string' && value !== '') return value
  throw new SkillshelfError(
    'invalid-input',
    `\`${key}\` of skillshelf() must be a non-empty string`,
    {
      subject: String(value),
      hint: `pass the path of a folder, such as ${key}: 'skills', or leave ${key} out`,
    },
  )
}

interface Build {
  /** Emits the library and returns the reference of its catalog. */
  emit?: (context: EmitContext) => string
  /** Reference of the catalog among the files of the page. */
  catalog: string
}

function virtualModule(out: string, build: Build): Plugin {
  return {
    name: 'skillshelf',
    resolveId: id => (id === VIRTUAL ? RESOLVED : undefined),
    load(id) {
      const { config, mode } = this.environment
      if (id !== RESOLVED) return mode === 'build' ? loadModelRows(id, this) : undefined
      if (config.consumer !== 'client') {
        this.error(
          `${VIRTUAL} is for the browser. On a server, use openLibrary(directory('skills')) with directory() from skillshelf/node`,
        )
      }
      if (mode === 'dev') return devModule(config.base + out)
      // Checked here because the bundler's own message about code that loads on demand does not name the setting.
      if (config.isWorker && config.worker.format === 'iife') {
        this.error(
          `${VIRTUAL} in a Web Worker needs ES modules: set worker: { format: 'es' } in the Vite config`,
        )
      }
      // A worker is a separate build and can only reference files that it emits itself.
      const catalog = (config.isWorker && build.emit?.(this)) || build.catalog
      return `import { lazyLibrary } from 'skillshelf/lazy'
export const library = lazyLibrary(async () => {
  const { openLibrary } = await import('skillshelf')
  return openLibrary(import.meta.ROLLUP_FILE_URL_${catalog})
})
export default library
`
    },
  }
}

/** The part of a Rollup plugin context that emits files. */
interface EmitContext {
  addWatchFile(path: string): void
  emitFile(file: { type: 'asset'; fileName: string; source: Uint8Array }): string
}

function emitFiles({ files }: PackedFolder, out: string, context: EmitContext): string {
  let catalog = ''
  for (const [path, source] of files) {
    const reference = context.emitFile({ type: 'asset', fileName: `${out}/${path}`, source })
    if (path === CATALOG_FILE) catalog = reference
  }
  return catalog
}
