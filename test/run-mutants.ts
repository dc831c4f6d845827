/**
 * Mutation tests.
 *
 *     npm run mutants                 every row of test/mutants.ts
 *     npm run mutants -- TD-2 BY-9    the rows of these behaviors
 *     npm run mutants -- src/match    Stryker over a folder or file: mutants of its own, run on demand
 *     npm run mutants -- src/core/text/description-negation.ts test/core/text.test.ts    Stryker with these tests only, which is faster
 *
 * A row is applied to a copy of the project, and the tests that carry its id must fail there. They must pass first in the unmutated
 * copy, and a timeout does not count as a failure. Exits with 1 if a mutant survives.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mutant, mutants } from './mutants.js'

/** A run that takes longer is reported as a timeout, in ms. */
const TIMEOUT = 300_000
/** Built files that tests run or serve. Rows change the sources. */
const BUILT = ['dist', 'model/rows', 'demo/dist']
const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const paths = args.filter(arg => !/^[A-Z]+-\d+$/.test(arg))
if (paths.length > 0) process.exit(runStryker(paths))

const missing = BUILT.filter(built => !existsSync(join(root, built)))
if (missing.length > 0) {
  console.error(
    `${missing.join(' and ')} is missing: some tests would fail without a mutant. Build it with: npm run build:demo`,
  )
  process.exit(1)
}
const rows = args.length > 0 ? mutants.filter(([id]) => args.includes(id)) : mutants
const survivors: string[] = []
let next = 0
let done = 0

await Promise.all(Array.from({ length: Math.min(availableParallelism(), rows.length) }, lane))
console.log(`${rows.length - survivors.length} of ${rows.length} mutants were killed`)
for (const survivor of survivors) console.error(survivor)
process.exitCode = survivors.length > 0 || rows.length === 0 ? 1 : 0

function runStryker(paths: readonly string[]): number {
  const globs = (some: readonly string[], end: string): string =>
    some
      .map(path => (path.endsWith('.ts') ? path : `${path.replace(/\/$/, '')}/**/*${end}`))
      .join(',')
  const tests = paths.filter(path => path.startsWith('test/'))
  const mutate = globs(
    paths.filter(path => !tests.includes(path)),
    '.ts',
  )
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/@stryker-mutator/core/bin/stryker.js',
      'run',
      'test/stryker.json',
      '--mutate',
      mutate,
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_ONLY: '1',
        NODE_TESTS: globs(tests.length > 0 ? tests : ['test/core', 'test/unit'], '.test.ts'),
      },
    },
  )
  return status ?? 1
}

/** Tries one row after the other in a copy of the project. */
async function lane(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'skillshelf-mutants-'))
  const copy = join(parent, 'project')
  const baselines = new Map<string, Promise<Outcome>>()
  try {
    copyProject(copy)
    while (next < rows.length) {
      const row = rows[next++] as Mutant
      const problem = await tryMutant(row, copy, baselines)
      const [id, file, find] = row
      if (problem) survivors.push(`${id} ${file}: ${problem}: ${find}`)
      console.log(`${++done}/${rows.length} ${problem ? 'SURVIVED' : 'killed  '} ${id} ${file}`)
    }
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

function copyProject(copy: string): void {
  const files = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    { cwd: root },
  )
  for (const file of files.toString().split('\0').filter(Boolean)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const built of BUILT) cpSync(join(root, built), join(copy, built), { recursive: true })
}

/** Returns why the mutant survived, or `undefined` if its tests failed. */
async function tryMutant(
  [id, file, find, replace, runtime = 'node']: Mutant,
  copy: string,
  baselines: Map<string, Promise<Outcome>>,
): Promise<string | undefined> {
  const path = join(copy, file)
  const original = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const count = original.split(find).length - 1
  if (count !== 1) return `\`find\` occurs ${count} times`
  const tests = testsOf(id, copy).filter(test => runtimeOf(test) === runtime)
  if (tests.length === 0) return 'the behavior has no test in this runtime'
  let ran = 0
  for (const step of stepsOf(tests, copy, file, runtime)) {
    const run = (): Promise<Outcome> => runTests(copy, step, id, runtime)
    const key = `${id} ${runtime} ${step.shared} ${step.tests.join(' ')}`
    const baseline = baselines.get(key) ?? run()
    baselines.set(key, baseline)
    const before = await baseline
    if (before.timedOut) return `timeout after ${TIMEOUT / 1000} s without the mutant`
    if (before.failed.length > 0)
      return `tests fail without the mutant: ${before.failed.join('; ')}`
    if (before.ran === 0) continue
    writeFileSync(
      path,
      original.replace(find, () => replace),
    )
    const after = await run().finally(() => writeFileSync(path, original))
    if (after.failed.length > 0) return undefined
    if (after.timedOut) return `timeout after ${TIMEOUT / 1000} s: no test failed`
    ran += after.ran
  }
  return ran === 0 ? 'no test ran' : 'its tests still pass'
}

/** Some tests of a behavior, with or without the data in `../shared`. */
interface Step {
  tests: readonly string[]
  shared: boolean
}

/** Fast tests first. Slower ones, then those with shared data, run only if the others do not notice the mutant. */
function stepsOf(
  tests: readonly string[],
  copy: string,
  file: string,
  runtime: NonNullable<Mutant[4]>,
): Step[] {
  if (runtime !== 'node') return [{ tests, shared: false }]
  const core = tests.filter(test => /^test.(?:core|unit)\b/.test(test))
  const browser = tests.filter(test => needsBrowser(join(copy, test)))
  const node = tests.filter(test => !core.includes(test) && !browser.includes(test))
  const ordered = file.startsWith('demo/') ? [browser, core, node] : [core, node, browser]
  const steps = ordered.map((some): Step => ({ tests: some, shared: false }))
  if (existsSync(join(root, '..', 'shared')))
    steps.push({ tests: file.startsWith('demo/') ? browser : node, shared: true })
  return steps.filter(({ tests }) => tests.length > 0)
}

/** Tests that run in every runtime run in Node, which is the fastest. */
function runtimeOf(test: string): NonNullable<Mutant[4]> {
  return (['browser', 'workerd'] as const).find(one => test.startsWith(join('test', one))) ?? 'node'
}

function needsBrowser(test: string): boolean {
  return /from '(?:playwright|\.\/(?:install|page-world|pages)\.js|\.\.\/node\/pages\.js)'/.test(
    readFileSync(test, 'utf8'),
  )
}

/** Test files with a test of this id, in the file itself or in `*-cases.ts` that it imports. */
function testsOf(id: string, copy: string): string[] {
  const files = readdirSync(join(copy, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.ts'))
    .map(path => ({ path, text: readFileSync(join(copy, 'test', path), 'utf8') }))
  const carriers = files.filter(({ text }) => text.includes(`[${id}]`))
  const cases = carriers.flatMap(({ path }) =>
    path.endsWith('-cases.ts') ? [`/${basename(path, '.ts')}.js'`] : [],
  )
  return files
    .filter(file => file.path.endsWith('.test.ts'))
    .filter(file => carriers.includes(file) || cases.some(name => file.text.includes(name)))
    .map(({ path }) => join('test', path))
}

interface Outcome {
  ran: number
  /** Titles. */
  failed: readonly string[]
  timedOut: boolean
}

interface Report {
  testResults: { assertionResults: { fullName: string; status: string }[] }[]
}

function runTests(
  copy: string,
  { tests, shared }: Step,
  id: string,
  runtime: string,
): Promise<Outcome> {
  const output = join(copy, 'report.json')
  const link = join(dirname(copy), 'shared')
  if (shared) symlinkSync(join(root, '..', 'shared'), link)
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...tests,
    '-t',
    `\\[${id}\\]`,
    '--bail=1',
    ...(runtime === 'node' ? [] : ['--project', runtime]),
    '--testTimeout=60000',
    '--reporter=json',
    `--outputFile=${output}`,
  ]
  const env = { ...process.env, ...(runtime === 'node' ? { NODE_ONLY: '1' } : {}) }
  return new Promise(resolve => {
    execFile(
      process.execPath,
      vitest,
      { cwd: copy, env, maxBuffer: 1e8, timeout: TIMEOUT },
      error => {
        rmSync(link, { force: true })
        const timedOut = error?.killed === true
        if (!existsSync(output)) return resolve({ ran: 0, failed: [], timedOut })
        const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report
        rmSync(output)
        // If a runtime does not start, its tests are listed but did not run.
        const own = testResults
          .flatMap(file => file.assertionResults)
          .filter(
            one => one.fullName.includes(`[${id}]`) && ['passed', 'failed'].includes(one.status),
          )
        const failed = own.filter(one => one.status === 'failed').map(one => one.fullName)
        resolve({ ran: own.length, failed, timedOut })
      },
    )
  })
}
