import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { UserConfig } from 'vite'
import { expect, it } from 'vitest'
import { type ExportPath, exportPaths } from '../../scripts/exports.js'
import { skillshelf } from '../../src/exports/vite.js'
import { ONE_THREAD, TSC, UNCOLLECTED } from '../type-check.js'
import { install, type Manifest, project } from './install.js'

/** The packed package: its files, entry points and types, and running it in Node. */

const installed = await install()

const run = promisify(execFile)
const withTsc = [TSC, ONE_THREAD, '-p']
const quickly = { env: { ...process.env, ...UNCOLLECTED } }
const entries = exportPaths().map(({ specifier }) => specifier)

it('passes publint', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed.folder, strict: true, pack: false })
  expect(messages.map(message => formatMessage(message, pkg, { color: false }))).toEqual([])
})

it('resolves types in every module resolution mode (attw)', async () => {
  const cli = join(project, 'node_modules/@arethetypeswrong/cli/dist/exports/index.js')
  const failure = await run(process.execPath, [
    cli,
    installed.tarball,
    '--profile',
    'esm-only',
    '--no-color',
  ]).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
  expect(failure).toBe('')
})

it('contains the expected files only', () => {
  const { files, folder, manifest } = installed
  const some =
    'LICENSE NOTICE README.md CHANGELOG.md docs/get-started.md llms.txt dist/browser/skillshelf.js'
  expect(files).toEqual(expect.arrayContaining(some.split(' ')))
  const expected =
    /^dist\/|^docs\/[a-z-]+\.md$|^src\/tools\/cli\/templates\/|^skills\/write-messages\/SKILL\.md$|^llms\.txt$|^model\/(?:CARD\.md|[a-z]+\.bin|rows\/[a-z]+(?:-[0-9a-f]{16})?\.bin)$|^[A-Z]+(?:\.md)?$|^package\.json$/
  expect(files.filter(file => !expected.test(file))).toEqual([])
  expect(files.filter(file => /\.test\.|tsbuildinfo|tsconfig|node_modules/.test(file))).toEqual([])
  for (const target of Object.values(manifest.exports)) {
    for (const path of typeof target === 'string' ? [target] : Object.values(target))
      expect([path, existsSync(join(folder, path))]).toEqual([path, true])
  }
  const texts = files.filter(path => /\.(?:js|ts|json|map|md|txt)$/.test(path))
  const place = project.replace(/[\\/]$/, '')
  expect(texts.filter(file => readFileSync(join(folder, file), 'utf8').includes(place))).toEqual([])
})

it.each([
  [
    'dist/LICENSES.txt',
    ['@modelcontextprotocol/server', '@zip.js/zip.js', 'commander', 'hono', 'zod'],
  ],
  ['dist/browser/LICENSES.txt', ['@noble/hashes', 'mrmime', 'yaml']],
])('%s has the licenses of the bundled packages', (file, packages) => {
  const licenses = readFileSync(join(installed.folder, file), 'utf8')
  for (const name of ['skillshelf contains data derived from', ...packages])
    expect(licenses).toContain(name)
  expect(licenses).not.toContain(project)
})

it('installs at most 15 packages and 25 MB', () => {
  const folders = new Set([installed.folder])
  for (const folder of folders) {
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Partial<Manifest>
    for (const name of Object.keys(dependencies)) folders.add(join(project, 'node_modules', name))
  }
  const sizes = [...folders].flatMap(folder =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile())
      .map(entry => statSync(join(entry.parentPath, entry.name)).size),
  )
  expect(folders.size).toBeLessThanOrEqual(15)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(25e6)
})

it('imports only dependencies and peers, in code and in types', () => {
  const { dependencies, peerDependencies } = installed.manifest
  // The Vite plugin writes imports of the package itself.
  const allowed = ['skillshelf', ...Object.keys(dependencies), ...Object.keys(peerDependencies)]
  const imported = installed.files
    .filter(file => /^dist\/.*\.(?:js|d\.ts)$/.test(file) && !file.startsWith('dist/browser/'))
    .flatMap(file => {
      const code = readFileSync(join(installed.folder, file), 'utf8').replaceAll(/^ *\*.*$/gm, '')
      const specifiers = code.matchAll(
        /^(?:import|export|\}).*? from ["']([^"'.#][^"']*)["']|\bimport\(["']([^"'.#][^"']*)["']\)/gm,
      )
      return [...specifiers].map(([, one, other]) => `${file} ${one ?? other}`)
    })
    .filter(
      line =>
        !line.split(' ')[1]?.startsWith('node:') &&
        !builtinModules.includes(line.split(' ')[1] ?? ''),
    )
  expect(imported.length).toBeGreaterThan(10)
  expect(
    imported.filter(
      line => !allowed.some(name => line.endsWith(` ${name}`) || line.includes(` ${name}/`)),
    ),
  ).toEqual([])
})

it('imports every entry point in Node without changing globals', async () => {
  const script = `
    // zod, LangChain and Vue keep registries in globals.
    const own = () => JSON.stringify(Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(([name]) => !/^(?:__zod_|__VUE|lc_)/.test(name)).map(([name, one]) =>
      [name, one.writable, one.enumerable, one.configurable, typeof one.value, typeof one.get]).sort())
    // Node defines some globals on first access.
    for (const name of Object.getOwnPropertyNames(globalThis)) void globalThis[name]
    const before = own()
    for (const name of ${JSON.stringify(entries)}) {
      const module = await import(name)
      if (Object.keys(module).length === 0) throw new Error(name + ' exports nothing')
      if (own() !== before) throw new Error(name + ' touches a global')
      console.log(name)
    }`
  const output = await installed.node(['--input-type=module', '--eval', script])
  expect(output.trim().split('\n')).toEqual(entries)
})

it('runs the example for Node', async () => {
  const output = await installed.node(['main.js'], 'examples/node')
  expect(output).toMatch(/^invoice-check, (?:0\.[7-9]|1\.0)\d: /)
  expect(output).toContain('# Check an invoice')
  expect(output).toContain('references/rates.csv\nkind,percent\n')
  expect(await installed.node(['main.js', 'zzyzx'], 'examples/node')).toBe(
    'No skill matches this message.\n',
  )
})

/** Prints the errors that TypeScript 5 finds in our files. The types of other packages, which it would check too, take a minute. */
const OWN_ERRORS = `
  const ts = require(${JSON.stringify(join(project, 'node_modules/typescript'))})
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(process.argv[1], {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} })
  const program = ts.createProgram(fileNames, options)
  const own = program.getSourceFiles().filter(({ fileName }) => /entries-dom|skillshelf\\/dist/.test(fileName))
  const errors = own.flatMap(file => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
  if (own.length < 100) console.log('Error: only ' + own.length + ' files')
  console.log(ts.formatDiagnostics(errors, { getCurrentDirectory: () => ${JSON.stringify(project)}, getCanonicalFileName: name => name, getNewLine: () => '\\n' }))
  process.exitCode = errors.length > 0 || own.length < 100 ? 1 : 0`

it('type-checks the virtual module and every entry point, with TypeScript 5 and 7', async () => {
  const check = (config: string, compiler = withTsc): Promise<unknown> =>
    run(process.execPath, [...compiler, config], quickly).catch(
      (error: { stdout: string }) => error.stdout,
    )
  const example = join(installed.root, 'examples/vite')
  // The Vite example covers skillshelf/vite. Checking Vite's own types here would take long.
  const imported = exportPaths().filter(({ file }) => file !== 'vite')
  const write = (lib: string, paths: readonly ExportPath[]): string => {
    const code = paths.map(
      ({ specifier }, at) =>
        `import type * as m${at} from '${specifier}'\nexport type M${at} = typeof m${at}`,
    )
    writeFileSync(join(installed.root, `entries-${lib}.ts`), code.join('\n'))
    const path = join(installed.root, `tsconfig.${lib}.json`)
    const compilerOptions = {
      module: 'nodenext',
      lib: ['es2023', lib],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      exactOptionalPropertyTypes: true,
    }
    writeFileSync(path, JSON.stringify({ compilerOptions, files: [`entries-${lib}.ts`] }))
    return path
  }
  const worker = write(
    'webworker',
    imported.filter(({ environment }) => environment !== 'dom'),
  )
  const [page, ...found] = await Promise.all([
    check(example),
    check(worker),
    check(write('dom', imported), ['-e', OWN_ERRORS]),
  ])
  expect(page).toMatchObject({ stdout: '' })
  const ours = found.flatMap(output =>
    typeof output === 'string'
      ? output.split('\n').filter(line => /entries-|skillshelf\/dist|^Error: /.test(line))
      : [],
  )
  expect(ours).toEqual([])
})

it('[BY-18] the React examples type-check, and the page for Next.js renders on a server', async () => {
  const folder = join(installed.root, 'examples/nextjs')
  for (const example of ['nextjs', 'react']) {
    const config = join(installed.root, 'examples', example)
    const checked = run(process.execPath, [...withTsc, config], quickly).catch(
      (error: { stdout: string }) => error,
    )
    expect(await checked).toMatchObject({ stdout: '' })
  }
  await build({
    absWorkingDir: folder,
    entryPoints: ['app/page.tsx'],
    outfile: join(folder, 'page.js'),
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    packages: 'external',
    logLevel: 'silent',
  })
  const script = `
    import { createElement } from 'react'
    import { renderToString } from 'react-dom/server'
    import Page from './page.js'
    console.log(renderToString(createElement(Page)))`
  const html = await installed.node(['--input-type=module', '--eval', script], 'examples/nextjs')
  expect(html).toMatch(/<skill-search src="\/skills\/" dialog="">.*Loading…/)
})

it('lists every dependency in a page for Vite to optimize', async () => {
  const inPages = exportPaths()
    .filter(
      ({ file, environment }) => environment !== 'node' && file !== 'server' && file !== 'mcp',
    )
    .map(({ file }) => `dist/exports/${file}.js`)
  const { metafile } = await build({
    absWorkingDir: installed.folder,
    entryPoints: inPages,
    outdir: 'out',
    bundle: true,
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
  })
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.map(({ path }) => path),
  )
  const { peerDependencies } = installed.manifest
  const { config } = skillshelf()
  const { optimizeDeps } = (config as (user: UserConfig) => UserConfig)({})
  expect(optimizeDeps?.include?.toSorted()).toEqual(
    [...new Set(imported)]
      .filter(
        name =>
          !Object.keys(peerDependencies).some(peer => name === peer || name.startsWith(`${peer}/`)),
      )
      .sort()
      .map(name => `skillshelf > ${name}`),
  )
})

it('stays within the size budgets', async () => {
  const { stdout } = await run(
    process.execPath,
    [join(project, 'node_modules/size-limit/bin.js'), '--json'],
    {
      cwd: project,
    },
  ).catch((error: { stdout: string }) => error)
  const sizes = JSON.parse(stdout) as {
    name: string
    passed: boolean
    size: number
    sizeLimit: number
  }[]
  expect(sizes.length).toBeGreaterThan(4)
  expect(sizes.filter(({ passed }) => !passed)).toEqual([])
})
