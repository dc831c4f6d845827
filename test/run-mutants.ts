/**
 * Applies each row of mutants.ts to a copy of the project and runs the tests of its behaviour there: npm run mutants [-- ID ...]
 * Fails when a mutant survives: a test that cannot fail is found so.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Mutant, mutants } from './mutants.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const rows = wanted.length > 0 ? mutants.filter(({ id }) => wanted.includes(id)) : mutants
const survivors: string[] = []
let next = 0
let done = 0

await Promise.all(Array.from({ length: Math.min(availableParallelism(), rows.length) }, lane))
console.log(`${rows.length - survivors.length} of ${rows.length} mutants were noticed`)
for (const survivor of survivors) console.error(survivor)
process.exitCode = survivors.length > 0 || rows.length === 0 ? 1 : 0

/** One copy of the project; one mutant after the other. */
async function lane(): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'skillshelf-mutants-'))
  const copy = join(parent, 'project')
  try {
    copyProject(copy)
    while (next < rows.length) {
      const row = rows[next++] as Mutant
      const verdict = await tryMutant(row, copy)
      if (verdict) survivors.push(`${row.id} ${row.file}: ${verdict}: ${row.find}`)
      console.log(`${++done}/${rows.length} ${verdict ? 'SURVIVED' : 'noticed '} ${row.id} ${row.file}`)
    }
  } finally {
    rmSync(parent, { recursive: true, force: true })
  }
}

function copyProject(copy: string): void {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // Built files that tests run or serve; mutants change the sources.
  for (const built of ['dist', 'demo/dist']) {
    if (existsSync(join(root, built))) cpSync(join(root, built), join(copy, built), { recursive: true })
  }
}

/** Why the mutant survived; nothing when it was noticed. */
async function tryMutant(
  { id, file, find, replace, runtime = 'node' }: Mutant,
  copy: string,
): Promise<string | undefined> {
  const path = join(copy, file)
  const original = readFileSync(path, 'utf8')
  if (original.split(find).length !== 2) return `what to find stands ${original.split(find).length - 1} times`
  const tests = testsOf(id, copy).filter(test => runtimeOf(test) === runtime)
  if (tests.length === 0) return 'the behaviour has no test'
  writeFileSync(
    path,
    original.replace(find, () => replace),
  )
  const shared = join(root, '..', 'shared')
  const beside = join(dirname(copy), 'shared')
  try {
    // The quick tests first: those with a browser, then those over real data, are asked only where the others notice nothing.
    const heavy = tests.filter(test => needsBrowser(join(copy, test)))
    const light = tests.filter(test => !heavy.includes(test))
    let report = { ran: 0, failed: 0 }
    if (runtime !== 'node') report = await runTests(copy, tests, id, ['--project', runtime], {})
    else
      for (const some of file.startsWith('demo/') ? [heavy, light] : [light, heavy])
        if (report.failed === 0 && some.length > 0) report = add(report, await runTests(copy, some, id))
    const real = runtime !== 'node' ? [] : file.startsWith('demo/') ? heavy : light
    if (report.failed === 0 && real.length > 0 && existsSync(shared)) {
      symlinkSync(shared, beside)
      report = add(report, await runTests(copy, real, id))
    }
    return report.failed > 0 ? undefined : report.ran === 0 ? 'no test ran' : 'its tests stayed green'
  } finally {
    writeFileSync(path, original)
    rmSync(beside, { force: true })
  }
}

/** `test/core` runs in every runtime; Node is the quickest to ask. */
function runtimeOf(test: string): NonNullable<Mutant['runtime']> {
  return (['browser', 'workerd'] as const).find(one => test.startsWith(join('test', one))) ?? 'node'
}

function needsBrowser(test: string): boolean {
  return /from '(?:playwright|\.\/page-world\.js|\.\/install\.js)'/.test(readFileSync(test, 'utf8'))
}

function add(one: Outcome, other: Outcome): Outcome {
  return { ran: one.ran + other.ran, failed: one.failed + other.failed }
}

function testsOf(id: string, copy: string): string[] {
  return readdirSync(join(copy, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(path => path.endsWith('.test.ts') && readFileSync(join(copy, 'test', path), 'utf8').includes(`[${id}]`))
    .map(path => join('test', path))
}

interface Outcome {
  ran: number
  failed: number
}

interface Report {
  testResults: { assertionResults: { fullName: string; status: string }[] }[]
}

function runTests(
  copy: string,
  tests: readonly string[],
  id: string,
  more: readonly string[] = [],
  env: Record<string, string> = { NODE_ONLY: '1' },
): Promise<Outcome> {
  const output = join(copy, 'report.json')
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...tests,
    '-t',
    `\\[${id}\\]`,
    '--bail=1',
    ...more,
    '--testTimeout=20000',
    '--reporter=json',
    `--outputFile=${output}`,
  ]
  return new Promise(resolve => {
    execFile(process.execPath, vitest, { cwd: copy, env: { ...process.env, ...env }, maxBuffer: 1e8 }, () => {
      if (!existsSync(output)) return resolve({ ran: 0, failed: 0 })
      const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report
      rmSync(output)
      // Where a runtime did not start, tests are listed that never ran.
      const own = testResults
        .flatMap(file => file.assertionResults)
        .filter(one => one.fullName.includes(`[${id}]`) && ['passed', 'failed'].includes(one.status))
      resolve({ ran: own.length, failed: own.filter(one => one.status === 'failed').length })
    })
  })
}
