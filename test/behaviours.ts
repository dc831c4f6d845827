/**
 * Every behaviour with the tests that prove it: npm run behaviours [-- --all]
 * A test proves a behaviour by carrying its id in its title: `[TD-5] ...`. Fails when a claimed behaviour has no test or no mutant,
 * or a test or mutant names an unknown id; with --all also when any behaviour has no test.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutants } from './mutants.js'

/** What each id stands for. `*`: claimed by now. */
const behaviours: Record<string, string> = {
  'CARD-1': '* the core reads from a pluggable source: fetch bundle, R2, IndexedDB',
  'CARD-2': '* embedding in a Web Worker through WASM transformers',
  'CARD-3': '* a Cloudflare Worker serves the same API',
  'CARD-4': '* scripts are never executed: paths and content are returned',
  'CARD-5': '* in-browser agent, Worker and static page have a runnable example (page, Worker, Node, agents in both)',
  'CARD-6': '* the layout and the tools of the project',
  'TD-1': '* three levels with token counts and size warnings',
  'TD-2': '* frontmatter of TokenDance; absent stays absent; disabled is hidden',
  'TD-3': '* registry: scan, index, get, fragment',
  'TD-4': '* matcher stages',
  'TD-5': '* its messages find their skills',
  'TD-6': '* rerank by a language model',
  'TD-7': '* loader: instructions without frontmatter, resources, stable error codes',
  'TD-8': '* sub-skills, scripts, references, binary assets byte for byte',
  'TD-9': '* action space pruned while skills are open',
  'TD-10': '* sample skills, `skillshelf new`, trigger tests',
  'TD-11': '* hot reload',
  'TD-12': '* token saving, measured',
  'OS-1': '* list of names; a missing root is an empty list',
  'OS-2': '* content by case-insensitive name',
  'OS-3': '* search by query, best first',
  'OS-4': '* assets under three folders, nothing outside',
  'OS-5': '* script path under the root',
  'OS-6': '* list of assets',
  'OS-7': '* validation by the Agent Skills specification',
  'OS-8': '* its five tools',
  'OS-9': '* strict: without name or description a folder is not listed',
  'MX-1': '* name, description, body, path, dir, resources',
  'MX-2': '* description lines',
  'MX-3': '* content with resources',
  'MX-4': '* prompt block',
  'MX-5': '* skill_request',
  'MX-6': '* file_read',
  'OE-1': '* section with loaded marks',
  'OE-2': '* load_skill within budgets',
  'OE-3': '* instructions template',
  'OE-4': '* load_skill_reference',
  'OE-5': '* automatic unloading',
  'OE-6': '* manual unloading',
  'OE-7': '* ledger by component and percent',
  'OE-8': '* room for a reference',
  'AC-1': '* environments/{env}/skills/{id}/skill.md; the id is the folder, the name free text',
  'AC-2': '* list, get, lines for a tool description',
  'AC-3': '* one skill tool',
  'AC-4': '* switching the environment',
  'AC-5': '* one skill or root that fails never stops the start; each cause has a code',
  'AC-6': '* each query sees the latest tools',
  'BY-1': '* hybrid ranking offline in four runtimes',
  'BY-2': '* calibrated scores, abstention',
  'BY-3': '* each match explains itself: words, rules',
  'BY-4': '* Chinese, Japanese, Korean: analysis, lexical ranking, reasons',
  'BY-5': '* pack: one static tree, a fixed number of reads',
  'BY-6': '* IndexedDB library',
  'BY-7': '* one core behind every protocol and SDK',
  'BY-8': '* a session survives compaction',
  'BY-9': '* hostile skills: YAML bombs, traversal, HTML',
  'BY-10': '* trigger tests and measured ranking for authors',
}

const root = fileURLToPath(new URL('.', import.meta.url))
const titles = new Map<string, string[]>(Object.keys(behaviours).map(id => [id, []]))
const problems: string[] = []
for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter(path => path.endsWith('.test.ts'))
  .sort()) {
  for (const [, title = ''] of readFileSync(join(root, file), 'utf8').matchAll(
    /\b(?:it|test|describe)[\w.]*\(?[^'"`\n]*?\(?\s*['"`]([^'"`\n]*\[[A-Z]+-\d+\][^'"`\n]*)['"`]/g,
  )) {
    for (const [, id = ''] of title.matchAll(/\[([A-Z]+-\d+)\]/g)) {
      const known = titles.get(id)
      if (known) known.push(`${file}: ${title.replaceAll(/\[[A-Z]+-\d+\]\s*/g, '')}`)
      else problems.push(`${file} names ${id}, which is no behaviour`)
    }
  }
}
const mutated = new Set(mutants.map(({ id }) => id))
for (const id of mutated) if (!titles.has(id)) problems.push(`a mutant names ${id}, which is no behaviour`)
const all = process.argv.includes('--all')
for (const [id, text] of Object.entries(behaviours)) {
  const tests = titles.get(id) as string[]
  console.log(`${id} ${text.replace('* ', '')}${tests.length === 0 ? ': no test' : ''}`)
  for (const test of tests) console.log(`    ${test}`)
  if (tests.length === 0 && (all || text.startsWith('* '))) problems.push(`${id} has no test`)
  if (tests.length > 0 && !mutated.has(id)) problems.push(`${id} has tests and no mutant`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
