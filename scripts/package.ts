/**
 * Builds dist, which npm publishes, from build, which the compiler writes: the modules and types that an export path or the command line
 * reaches. Packages that are not dependencies are bundled into the modules that import them, with chunks for what these share, so that an
 * installation has neither the packages of the command line nor the parts of large packages that we do not use.
 */
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { environmentOf, exportPaths, root } from './exports.js'
import { licenses, modulesOf } from './licenses.js'

const from = join(root, 'build')
const to = join(root, 'dist')
const SDK = '@modelcontextprotocol/server'
/** Modules of one room that are bundled into one: the command line, and MCP with its SDK, which is a peer of `skillshelf/mcp` only. */
const ROOMS = ['tools/cli/', 'server/mcp/']
const ENTRIES = [
  'tools/cli/main.js',
  // The Vite plugin checks the lock with it.
  'tools/cli/commands/lock.js',
  'server/mcp/response.js',
  'server/mcp/stdio.js',
]
const COMMON_JS = `import { createRequire as nodeRequire } from 'node:module'
import { fileURLToPath as nodePath } from 'node:url'
const require = nodeRequire(import.meta.url)
const __filename = nodePath(import.meta.url)`
const HOOK = 'tools/hook/answer.js'
const HOOK_START = 'tools/hook/main.js'
/** Modules that every message needs, and the paths of skills. */
const NEEDED_BY_HOOK = /(?:message-language|place)\.js$/
/** Marks an import of a module of ours that stays an import. */
const OWN = 'own:'

const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as Record<'dependencies' | 'peerDependencies', Record<string, string>>
const installed = new Set([
  'skillshelf',
  ...Object.keys(dependencies),
  ...Object.keys(peerDependencies),
])
const packageOf = (specifier: string): string =>
  specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const isPackage = (specifier: string): boolean =>
  /^[@\w]/.test(specifier) && !specifier.startsWith('node:') && !builtinModules.includes(specifier)
const isBundled = (specifier: string): boolean =>
  isPackage(specifier) && !installed.has(packageOf(specifier))
const roomOf = (path: string): string | undefined => ROOMS.find(room => path.startsWith(room))
/** A path as in an import: with slashes. */
const inBuild = (path: string): string => relative(from, path).replaceAll('\\', '/')

/** Specifiers of the modules, declarations and workers that a file names. */
function specifiers(path: string): string[] {
  const text = readFileSync(join(from, path), 'utf8').replaceAll(/^\s*\*.*$/gm, '')
  const named = /(?:from|import|import\(|new URL\(|<reference path=)\s*['"]([^'"]+)['"]/g
  return [...text.matchAll(named)].map(([, specifier = '']) => specifier)
}

/** The files of build that these files reach, and themselves. */
function reached(starts: readonly string[], ending: string): Set<string> {
  const found = new Set<string>()
  const visit = (path: string): void => {
    if (found.has(path) || !statSync(join(from, path), { throwIfNoEntry: false })?.isFile()) return
    found.add(path)
    for (const specifier of specifiers(path)) {
      if (specifier.startsWith('.')) {
        visit(join(dirname(path), specifier).replaceAll('\\', '/').replace(/\.js$/, ending))
      }
    }
  }
  for (const start of starts) visit(start)
  return found
}

/** Keeps imports of our modules and of dependencies; bundles other packages, and the modules of a room. */
const resolver: Plugin = {
  name: 'resolver',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, importer, namespace, resolveDir, kind }) => {
      if (kind === 'entry-point' || namespace === 'shims') return undefined
      // It runs everywhere, and needs no `eval`.
      if (path === `${SDK}/_shims`) return { path, namespace: 'shims' }
      if (importer.includes('node_modules')) {
        return isPackage(path) && dependencies[packageOf(path)] ? external(path) : undefined
      }
      if (path.startsWith('.')) {
        const target = inBuild(join(resolveDir, path))
        const room = roomOf(target)
        return room && room === roomOf(inBuild(importer)) ? undefined : external(OWN + target)
      }
      const isSdk = packageOf(path) === SDK && roomOf(inBuild(importer)) !== undefined
      return isBundled(path) || isSdk ? undefined : external(path)
    })
    onLoad({ filter: /./, namespace: 'shims' }, () => ({
      contents: `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '${SDK}/validators/cf-worker'
        export const process = globalThis.process`,
      resolveDir: root,
    }))
  },
}
const external = (path: string) => ({ path, external: true, sideEffects: false })

async function bundle(
  entries: readonly string[],
  name: string,
  options: BuildOptions,
): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    ...options,
    absWorkingDir: root,
    entryPoints: entries.map(path => join(from, path)),
    outbase: from,
    outdir: to,
    // As deep as the command line, which names a file of the model.
    chunkNames: `bundled/${name}/[name]-[hash]`,
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    plugins: [resolver],
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
  for (const { path, text } of outputFiles.filter(file => file.text !== '')) {
    write(
      path,
      // Bundlers warn of imports for effects that no chunk has.
      text
        .replaceAll(/^import "\..*";\n/gm, '')
        .replaceAll(new RegExp(`"${OWN}([^"]+)"`, 'g'), (_, target) => {
          const specifier = relative(dirname(path), join(to, target)).replaceAll('\\', '/')
          return JSON.stringify(specifier.startsWith('.') ? specifier : `./${specifier}`)
        }),
    )
  }
  return metafile
}

const written = new Set<string>()
function write(path: string, text: string): void {
  written.add(path)
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Removes the files of earlier builds, but not of the other scripts. */
function clean(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (folder !== to || !['browser', 'kernel'].includes(entry.name)) clean(path)
      if (readdirSync(path).length === 0) rmSync(path, { recursive: true })
    } else if (!written.has(path)) rmSync(path)
  }
}

const paths = exportPaths()
const modules = reached(
  [...paths.map(({ file }) => `exports/${file}.js`), ...ENTRIES, HOOK, 'ui/element/register.js'],
  '.js',
)
const declarations = reached(
  paths.map(({ file }) => `exports/${file}.d.ts`),
  '.d.ts',
)
const entries = [...modules].filter(
  path =>
    ENTRIES.includes(path) || (roomOf(path) === undefined && specifiers(path).some(isBundled)),
)
const inNode = (path: string): boolean => environmentOf(path) === 'node'
const metafiles = [
  await bundle(
    entries.filter(path => !inNode(path)),
    'any',
    { platform: 'neutral', mainFields: ['module', 'main'] },
  ),
  await bundle(entries.filter(inNode), 'node', {
    platform: 'node',
    // `main` of jsonc-parser is UMD, which finds its parts by a `require` that no bundler sees.
    mainFields: ['module', 'main'],
    // For packages in CommonJS.
    banner: { js: COMMON_JS },
  }),
]
for (const path of modules) {
  if (!entries.includes(path) && path !== HOOK && !path.startsWith('tools/cli/')) {
    write(join(to, path), readFileSync(join(from, path), 'utf8'))
  }
}
// A module that exists in Vite only. Whoever lists `skillshelf` under `types` knows it.
const virtual = 'tools/vite/virtual.d.ts'
write(join(to, virtual), readFileSync(join(root, 'src', virtual), 'utf8'))
for (const path of declarations) {
  const text = readFileSync(join(from, path), 'utf8')
  write(
    join(to, path),
    path === 'exports/index.d.ts' ? `/// <reference path="../${virtual}" />\n${text}` : text,
  )
}
/** The hook: one file with all that a prompt needs, so that it starts fast. What it loads on demand stays where it is. */
const hook = await build({
  absWorkingDir: root,
  entryPoints: [join(from, HOOK)],
  bundle: true,
  minify: true,
  platform: 'node',
  // It starts faster than an ES module, which has no cached code in Node 20.
  format: 'cjs',
  mainFields: ['module', 'main'],
  define: { 'import.meta.dirname': '__dirname' },
  target: 'es2022',
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  write: false,
  plugins: [
    {
      name: 'on demand',
      setup: ({ onResolve }) =>
        onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
          if (kind !== 'dynamic-import' || !path.startsWith('.') || NEEDED_BY_HOOK.test(path)) {
            return undefined
          }
          const target = relative(dirname(join(from, HOOK)), join(resolveDir, path)).replaceAll(
            '\\',
            '/',
          )
          return external(target.startsWith('.') ? target : `./${target}`)
        }),
    },
  ],
})
// See tools/hook/main.ts.
const hookText = (hook.outputFiles[0]?.text ?? '').replaceAll('import("', 'importModule("')
const hookDigest = createHash('sha256').update(hookText).digest('hex').slice(0, 16)
write(join(to, HOOK.replace('.js', '.cjs')), `/*${hookDigest}*/${hookText}`)
const hookStart = await build({
  absWorkingDir: root,
  entryPoints: [join(from, HOOK_START)],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
})
write(join(to, HOOK_START.replace('.js', '.cjs')), hookStart.outputFiles[0]?.text ?? '')
write(join(to, 'LICENSES.txt'), licenses(modulesOf([...metafiles, hook.metafile])))
clean(to)
