/**
 * Lists every behavior with the tests that prove it, from the report of the last `npm test`: npm run behaviours
 *
 * A test proves a behavior by carrying its id in the title, `[TD-5] ...`, and by passing: a skipped test proves nothing. Fails if a
 * behavior has no passing test or no row in mutants.ts, or if a title or a row names an unknown id. A behavior whose tests were all
 * skipped is allowed where the data in ../shared or a browser is missing.
 */
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.js'

/** The behaviors of the project by id. */
const behaviors: Record<string, string> = {
  'CARD-1': 'the core reads from a pluggable source: fetch bundle, R2, IndexedDB',
  'CARD-2': 'embedding in a Web Worker through WASM transformers',
  'CARD-3': 'a Cloudflare Worker serves the same API',
  'CARD-4': 'scripts are never executed: paths and content are returned',
  'CARD-5': 'in-browser agent, Worker and static page have a runnable example (page, Worker, Node, agents in both)',
  'CARD-6': 'the layout and the tools of the project',
  'TD-1': 'three levels with token counts and size warnings',
  'TD-2': 'frontmatter of TokenDance; absent stays absent; disabled is hidden',
  'TD-3': 'registry: scan, index, get, fragment',
  'TD-4': 'matcher stages',
  'TD-5': 'its messages find their skills',
  'TD-6': 'rerank by a language model',
  'TD-7': 'loader: instructions without frontmatter, resources, stable error codes',
  'TD-8': 'sub-skills, scripts, references, binary assets byte for byte',
  'TD-9': 'action space pruned while skills are open',
  'TD-10': 'sample skills, `skillshelf new`, trigger tests',
  'TD-11': 'hot reload',
  'TD-12': 'token saving, measured',
  'OS-1': 'list of names; a missing root is an empty list',
  'OS-2': 'content by case-insensitive name',
  'OS-3': 'search by query, best first',
  'OS-4': 'assets under three folders, nothing outside',
  'OS-5': 'script path under the root',
  'OS-6': 'list of assets',
  'OS-7': 'validation by the Agent Skills specification',
  'OS-8': 'its five tools',
  'OS-9': 'strict: without name or description a folder is not listed',
  'MX-1': 'name, description, body, path, dir, resources',
  'MX-2': 'description lines',
  'MX-3': 'content with resources',
  'MX-4': 'prompt block',
  'MX-5': 'skill_request',
  'MX-6': 'file_read',
  'OE-1': 'section with loaded marks',
  'OE-2': 'load_skill within budgets',
  'OE-3': 'instructions template',
  'OE-4': 'load_skill_reference',
  'OE-5': 'automatic unloading',
  'OE-6': 'manual unloading',
  'OE-7': 'ledger by component and percent',
  'OE-8': 'room for a reference',
  'AC-1': 'environments/{env}/skills/{id}/skill.md; the id is the folder, the name free text',
  'AC-2': 'list, get, lines for a tool description',
  'AC-3': 'one skill tool',
  'AC-4': 'switching the environment',
  'AC-5': 'one skill or root that fails never stops the start; each cause has a code',
  'AC-6': 'each query sees the latest tools',
  'BY-1': 'hybrid ranking offline in four runtimes',
  'BY-2': 'calibrated scores, abstention',
  'BY-3': 'each match explains itself: words, rules',
  'BY-4': 'Chinese, Japanese, Korean: analysis, lexical ranking, reasons',
  'BY-5': 'pack: one static tree, a fixed number of reads',
  'BY-6': 'IndexedDB library',
  'BY-7': 'one core behind every protocol and SDK',
  'BY-8': 'a session survives compaction',
  'BY-9': 'hostile skills: YAML bombs, traversal, HTML',
  'BY-10': 'trigger tests and measured ranking for authors',
  'BY-11': 'messages of a skill: frontmatter, file, a field of their own, a reason that names the message',
  'BY-12': 'enrichment by a language model or an agent: resumable, checked, injection-proof',
  'BY-13': 'no language is ranked worse with a model than by words alone',
  'BY-14': 'learns from use: on this device, bounded, exportable, forgettable, off by default',
  'BY-15': 'an engine serves what memory serves: one request a match, the same ranking, one revision, one tenant',
  'BY-16': 'a fresh Worker has run its code before the first request',
  'BY-18':
    '<skill-search>, React hooks and Vue composables: accessible, abort and close what they open, never markup from skills',
  'BY-17': 'the address of the page holds library, message, skill, file and language; a link opens what was seen',
  'BY-20': 'the kernel and the plain loop give the same bits, also under a policy without WebAssembly',
  'BY-19':
    'agents in the tab: models without tools, the built-in model, models in WebGPU, and a view of what a session did',
  'BY-21': 'an open skill follows the library, and the session claims only what the conversation has',
  'BY-22':
    'a packed library is data from outside: damage and hostile numbers are refused or answered, and hide nobody else',
}

interface Report {
  testResults: { name: string; assertionResults: { fullName: string; title: string; status: string }[] }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))
const path = fileURLToPath(new URL('../node_modules/.cache/skillshelf/tests.json', import.meta.url))
if (!existsSync(path)) {
  console.error('There is no test report. Run npm test first.')
  process.exit(1)
}
const { testResults } = JSON.parse(readFileSync(path, 'utf8')) as Report
const maySkip = !existsSync(new URL('../../shared', import.meta.url)) || Boolean(process.env['SKIP_BROWSER'])
const passed = new Map<string, Set<string>>(Object.keys(behaviors).map(id => [id, new Set()]))
const skipped = new Set<string>()
const problems: string[] = []

for (const { name, assertionResults } of testResults) {
  for (const { fullName, title, status } of assertionResults) {
    for (const [, id = ''] of fullName.matchAll(/\[([A-Z]+-\d+)\]/g)) {
      const tests = passed.get(id)
      if (!tests) problems.push(`${relative(root, name)} names the unknown behavior ${id}`)
      else if (status === 'passed') tests.add(`${relative(root, name)}: ${title.replaceAll(/\[[A-Z]+-\d+\]\s*/g, '')}`)
      else skipped.add(id)
    }
  }
}

const mutated = new Set(mutants.map(({ id }) => id))
for (const id of mutated) if (!passed.has(id)) problems.push(`mutants.ts names the unknown behavior ${id}`)
for (const [id, text] of Object.entries(behaviors)) {
  const tests = passed.get(id) as Set<string>
  const onlySkipped = tests.size === 0 && skipped.has(id)
  console.log(`${id} ${text}${tests.size > 0 ? '' : onlySkipped ? ': skipped' : ': no test'}`)
  for (const test of tests) console.log(`    ${test}`)
  if (tests.size === 0 && !(onlySkipped && maySkip)) problems.push(`${id} has no passing test`)
  if (!mutated.has(id)) problems.push(`${id} has no row in mutants.ts`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
