import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from '../folders.js'

/** The package as npm would publish it, installed in a temporary folder without a registry. */
export interface Installed {
  /** A folder with `node_modules/skillshelf` and a copy of `examples`. */
  root: string
  /** `node_modules/skillshelf` */
  folder: string
  /** Paths of the files in the package. */
  files: readonly string[]
  tarball: string
  manifest: Manifest
  /** Runs Node in `root` or a folder below it, and returns its output. */
  node(args: readonly string[], cwd?: string): Promise<string>
}

export interface Manifest {
  version: string
  exports: Record<string, string | { types?: string; default?: string }>
  dependencies: Record<string, string>
  peerDependencies: Record<string, string>
}

export const project = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

interface Packed {
  files: readonly { path: string }[]
  tarball: string
}

/** Packs the package, once for the files of a process. */
let packing: Promise<Packed> | undefined
async function packed(): Promise<Packed> {
  const folder = temporaryFolder()
  const npm = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const { stdout } = await run('npm', npm, {
    cwd: project,
    shell: process.platform === 'win32',
    maxBuffer: 1e8,
  })
  const [{ filename, files }] = JSON.parse(stdout) as [
    { filename: string; files: { path: string }[] },
  ]
  return { files, tarball: join(folder, filename) }
}

export async function install(): Promise<Installed> {
  if (!existsSync(join(project, 'dist/browser/skillshelf.js')))
    throw new Error('The package is not built: run `npm run build` first')
  packing ??= packed()
  const { files, tarball } = await packing
  const root = temporaryFolder()
  const modules = join(root, 'node_modules')
  mkdirSync(modules)
  await run('tar', ['-xzf', tarball, '-C', modules])
  const folder = join(modules, 'skillshelf')
  renameSync(join(modules, 'package'), folder)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const peers =
    '@modelcontextprotocol/client @modelcontextprotocol/server vite ai @langchain/core openai react react-dom vue'.split(
      ' ',
    )
  for (const name of [
    ...Object.keys(manifest.dependencies),
    ...peers,
    '@types/react',
    '@types/react-dom',
  ]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(project, 'node_modules', name), join(modules, name), 'junction')
  }
  for (const example of [
    'node',
    'node-agent',
    'browser-agent',
    'static',
    'vite',
    'react',
    'nextjs',
    'skills',
  ])
    cpSync(join(project, 'examples', example), join(root, 'examples', example), {
      recursive: true,
      // Skips local installs and builds in the examples.
      filter: source =>
        !/[\\/](?:node_modules|dist|static[\\/]skills|static[\\/]skillshelf)$/.test(source),
    })
  return {
    root,
    folder,
    files: files.map(({ path }) => path),
    tarball,
    manifest,
    node: async (args, cwd = '.') =>
      (await run(process.execPath, args, { cwd: join(root, cwd), maxBuffer: 1e8 })).stdout,
  }
}
