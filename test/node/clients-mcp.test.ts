import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { skill, temporaryFolder } from './cli-world.js'
import { serving } from './serve-world.js'

const run = promisify(execFile)
const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Skills that every client takes, and skills with a fault of which clients refuse the skill or the whole page. */
const SKILLS: Readonly<Record<string, string>> = {
  'tea/SKILL.md': skill('tea', 'Brews tea.'),
  'tea/references/water.md': 'Boil it.',
  'fullstack/SKILL.md': skill('fullstack-dev', 'Builds sites.'),
  'fullstack/references/api.md': 'GET',
  'deep_research/SKILL.md': skill('deep_research', 'Researches.'),
  'versions/SKILL.md': skill('versions', 'Has a number.\nmetadata:\n  version: 1.0'),
  'tools/SKILL.md': skill('tools', 'Has a list.\nallowed-tools: [Read, Grep]'),
  'license/SKILL.md': skill('license', 'Has no license.\nlicense:'),
}

/** The skills in a folder `s`, served. */
async function served() {
  const cwd = temporaryFolder(
    Object.fromEntries(Object.entries(SKILLS).map(([path, text]) => [`s/${path}`, text])),
  )
  return { cwd, ...(await serving(['s', '--api'], cwd)) }
}

const python = at('node_modules/.mcp-clients/bin/python')
const hasPython = existsSync(python)
it.skipIf(!hasPython)(
  '[BY-7] MCP: FastMCP and Agent Framework find every skill (needs the Python clients)',
  async () => {
    const { cwd, address } = await served()
    const { stdout } = await run(python, [
      at('test/node/mcp-clients.py'),
      `${address}mcp`,
      join(cwd, 'synced'),
    ])
    const found = JSON.parse(stdout)
    const paths = [
      'deep_research',
      'fullstack/fullstack-dev',
      'license',
      'tea',
      'tools',
      'versions',
    ]
    const files = paths.map(path => `s/${path}/SKILL.md`)
    expect(found.resources).toEqual(files.map(file => `skill://${file}`))
    const others = ['s/fullstack/fullstack-dev/references/api.md', 's/tea/references/water.md']
    expect(found.files).toEqual([...others, ...files].sort())
    const names = ['deep_research', 'fullstack-dev', 'license', 'tea', 'tools', 'versions']
    expect(found.prompts).toEqual(names)
    expect(Object.keys(found.framework)).toEqual(['deep-research', ...names.slice(1)])
    expect(Object.values(found.framework).every(length => Number(length) > 20)).toBe(true)
    expect(found.extension).toEqual(['fullstack-dev', 'tea'])
  },
)

/** Scenarios of the conformance suite that need no tools, resources or prompts of the suite's own. */
const SCENARIOS = [
  ...'server-initialize server-stateless ping tools-list resources-list prompts-list caching'.split(
    ' ',
  ),
  ...'http-header-validation dns-rebinding-protection sep-2164-resource-not-found'.split(' '),
  ...'sep-2640-skills-directory sep-2640-skills-enumeration sep-2640-skills-manifest'.split(' '),
]
/** Checks in these scenarios that call tools of the suite, such as one that changes the list of tools. */
const NEEDS_TEST_TOOLS =
  /^sep-2575-(server-rejects-undeclared-capability|missing-capability-http-400|http-server-no-independent-requests-on-stream|server-no-log-without-loglevel|server-sends-(prompts|tools)-list-changed-on-subscription)$/
const suite = at('node_modules/.mcp-conformance/node_modules')
const [node, program] = [
  join(suite, '.bin/node'),
  join(suite, '@modelcontextprotocol/conformance/dist/index.js'),
]
const hasSuite = existsSync(node) && existsSync(program)

it.skipIf(!hasSuite)(
  '[BY-7] MCP: the conformance suite finds no failure and no warning (needs the suite)',
  async () => {
    const { cwd, address } = await served()
    const out = join(cwd, 'out')
    const args = ['server', '--url', `${address}mcp`, '--suite', 'all', '--output-dir', out]
    // All scenarios in one process take less time than a few in one each. It exits with 1 if a check fails.
    await run(node, [program, ...args]).catch(() => undefined)
    const results = await readdir(out)
    const checks = await Promise.all(
      SCENARIOS.map(async scenario => {
        const [name = ''] = results.filter(one => one.startsWith(`server-${scenario}-20`))
        return JSON.parse(await readFile(join(out, name, 'checks.json'), 'utf8'))
      }),
    )
    const faults = checks
      .flat()
      .filter(({ status, id }) => /FAILURE|WARNING/.test(status) && !NEEDS_TEST_TOOLS.test(id))
    expect(faults.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)).toEqual([])
    expect(checks.flat().filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(100)
  },
)
