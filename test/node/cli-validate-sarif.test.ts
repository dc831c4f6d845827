import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { cli, skill, temporaryFolder } from './cli-world.js'

const files = {
  'skills/a b/SKILL.md': skill('c', 'Mends bicycles.', '# Steps\n\nRead [this](gone.md).\n'),
  'skills/z/SKILL.md': '',
}

describe('skillshelf validate --format sarif', () => {
  it('[BY-10] gives each diagnostic its rule, level, file from the current folder, and line', async () => {
    const cwd = temporaryFolder(files)
    const ran = await cli(['validate', './skills', '--format', 'sarif'], { cwd })
    expect(ran.code).toBe(1)
    const { version, runs } = ran.json()
    expect(version).toBe('2.1.0')
    const [{ tool, results }] = runs
    const location = (uri: string, startLine: number) => [
      { physicalLocation: { artifactLocation: { uri }, region: { startLine } } },
    ]
    expect(results).toMatchObject([
      { ruleId: 'skill-left-out', level: 'error', locations: location('skills/z/SKILL.md', 1) },
      { ruleId: 'name-not-folder', level: 'warning', locations: location('skills/a%20b/SKILL.md', 2) },
      {
        ruleId: 'link-broken',
        message: { text: '"gone.md" does not exist. Fix: add the file, or correct the path' },
        locations: location('skills/a%20b/SKILL.md', 8),
      },
    ])
    const rules = tool.driver.rules.map(({ id }: { id: string }) => id)
    for (const { ruleId } of results) expect(rules).toContain(ruleId)
    const single = (await cli(['validate', 'a b', '--format', 'sarif'], { cwd: `${cwd}/skills` })).json()
    expect(single.runs[0].results[0]).toMatchObject({ locations: location('a%20b/SKILL.md', 2) })
  })

  it('[BY-10] the commands of examples/github-action run', async () => {
    const example = fileURLToPath(new URL('../../examples/github-action/skills.yml', import.meta.url))
    const workflow = parse(await readFile(example, 'utf8')) as { jobs: { validate: { steps: { run?: string }[] } } }
    const commands = workflow.jobs.validate.steps.flatMap(
      ({ run }) => run?.match(/^npx skillshelf (.*?)(?: > .*)?$/)?.[1] ?? [],
    )
    expect(commands).toHaveLength(2)
    const cwd = temporaryFolder({
      'skills/a/SKILL.md': skill('a', 'Mends bicycles with a flat tire.'),
      'skills/a/triggers.yaml': '- message: mend the flat tire of my bicycle\n',
    })
    for (const command of commands) expect(await cli(command.split(' '), { cwd })).toMatchObject({ code: 0, err: '' })
  })
})
