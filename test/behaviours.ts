/**
 * Lists every behavior with the tests that prove it, from the report of the last `npm test`: npm run behaviours
 * With --rows it checks the rows of mutants.ts only, which needs no report.
 *
 * A test proves a behavior by carrying its id in the title, `[TD-5] ...`, and by passing: a skipped test proves nothing. Fails if a
 * behavior has no passing test or no row in mutants.ts, if a row no longer fits its file, or if a title or a row names an unknown id. A behavior whose tests were all
 * skipped is allowed where the data in ../shared or a browser is missing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.js'

/** The behaviors of the project by id: the rows of behaviours.md. */
const behaviors = new Map(
  [
    ...readFileSync(new URL('behaviours.md', import.meta.url), 'utf8').matchAll(
      /^- ([A-Z]+-\d+): (.+)$/gm,
    ),
  ].map(([, id = '', text = '']) => [id, text]),
)

interface Report {
  testResults: {
    name: string
    assertionResults: { fullName: string; title: string; status: string }[]
  }[]
}

const ROOT = new URL('..', import.meta.url)
const root = fileURLToPath(ROOT)
const problems: string[] = []

for (const [id, file, find] of mutants) {
  if (
    !existsSync(new URL(file, ROOT)) ||
    readFileSync(new URL(file, ROOT), 'utf8').split(find).length !== 2
  )
    problems.push(`mutants.ts: the text of ${id} must occur once in ${file}`)
}
const mutated = new Set(mutants.map(([id]) => id))
for (const id of mutated) {
  if (!behaviors.has(id)) problems.push(`mutants.ts names the unknown behavior ${id}`)
}
for (const id of behaviors.keys()) {
  if (!mutated.has(id)) problems.push(`${id} has no row in mutants.ts`)
}
if (process.argv.includes('--rows')) finish()

const path = fileURLToPath(new URL('../node_modules/.cache/skillshelf/tests.json', import.meta.url))
if (!existsSync(path)) {
  console.error('There is no test report. Run npm test first.')
  process.exit(1)
}
const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
const maySkip =
  !existsSync(new URL('../../shared', import.meta.url)) || Boolean(process.env['SKIP_BROWSER'])
const passed = new Map<string, Set<string>>([...behaviors.keys()].map(id => [id, new Set()]))
const skipped = new Set<string>()

for (const { name, assertionResults } of testResults) {
  for (const { fullName, title, status } of assertionResults) {
    for (const [, id = ''] of fullName.matchAll(/\[([A-Z]+-\d+)\]/g)) {
      const tests = passed.get(id)
      if (!tests) problems.push(`${relative(root, name)} names the unknown behavior ${id}`)
      else if (status === 'passed')
        tests.add(`${relative(root, name)}: ${title.replaceAll(/\[[A-Z]+-\d+\]\s*/g, '')}`)
      else skipped.add(id)
    }
  }
}

for (const [id, text] of behaviors) {
  const tests = passed.get(id) as Set<string>
  const onlySkipped = tests.size === 0 && skipped.has(id)
  console.log(`${id} ${text}${tests.size > 0 ? '' : onlySkipped ? ': skipped' : ': no test'}`)
  for (const test of tests) console.log(`    ${test}`)
  if (tests.size === 0 && !(onlySkipped && maySkip)) problems.push(`${id} has no passing test`)
}
finish()

function finish(): never {
  for (const problem of problems) console.log(problem)
  process.exit(problems.length > 0 ? 1 : 0)
}
