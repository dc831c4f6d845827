import { describe, expect, it } from 'vitest'
import { cli, demo, expectRefusal, packedDemo, skill, temporaryFolder } from './cli-world.js'

const bikes = skill('bikes', 'Mends bicycles: brakes, chains, tyres.')
const bread = skill('bread', 'Bakes bread: dough, yeast, oven.')

describe('skillshelf test', () => {
  it('[BY-10] [TD-10] passes every case of the sample skills, also in a packed library', async () => {
    const ran = await cli(['test', demo, '--json'])
    const { summary, problems, cases } = ran.json()
    expect(problems).toEqual([])
    expect(cases.filter((one: { passed: boolean }) => !one.passed)).toEqual([])
    expect(summary).toMatchObject({ failed: 0, recallAt1: 1 })
    expect(summary.positive).toBeGreaterThanOrEqual(70)
    expect(summary.none).toBeGreaterThanOrEqual(7)
    expect(ran.code).toBe(0)
    expect((await cli(['test', await packedDemo(), '--json'])).json().summary).toEqual(summary)
  })

  it('[BY-10] fails a case whose skill does not rank first, and a none case that matches a skill', async () => {
    const cwd = temporaryFolder({
      'bikes/SKILL.md': bikes,
      'bikes/triggers.yaml':
        '- message: the chains of my bicycles\n- message: bake bread with yeast dough\n',
      'bread/SKILL.md': bread,
      'bread/triggers.yaml': '- message: bread dough for the oven\n  skill: none\n',
    })
    const ran = await cli(['test', '.'], { cwd })
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(
      /^bake bread with yeast dough\s+bikes\s+bread\s+[01]\.\d\d\s+bikes\/triggers\.yaml:2$/m,
    )
    expect(ran.out).toMatch(
      /^bread dough for the oven\s+none\s+bread\s+[01]\.\d\d\s+bread\/triggers\.yaml:1$/m,
    )
    expect(ran.out).not.toContain('the chains of my bicycles')
    expect(ran.out).toContain('1 of 3 passed, R@1 50.0 % (1/2)')
    const { summary } = (await cli(['test', '.', '--json'], { cwd })).json()
    expect(summary).toMatchObject({
      total: 3,
      passed: 1,
      failed: 2,
      first: 1,
      none: 1,
      abstained: 0,
    })
    expect(
      (await cli(['test', '.', '--json', '--threshold', '1'], { cwd })).json().summary.abstained,
    ).toBe(1)
  })

  it('[BY-10] fails a case whose skill ranks second, and counts it for R@5', async () => {
    const triggers = '- message: bread dough, yeast and bicycles\n'
    const cwd = temporaryFolder({
      'bikes/SKILL.md': bikes,
      'bikes/triggers.yaml': triggers,
      'bread/SKILL.md': bread,
    })
    const ran = await cli(['test', '.', '--json'], { cwd })
    expect(ran.code).toBe(1)
    const { summary, cases } = ran.json()
    expect(cases).toMatchObject([{ rank: 2, passed: false, got: { name: 'bread' } }])
    expect(summary).toMatchObject({ recallAt1: 0, recallAt5: 1 })
  })

  it('[BY-10] accepts a name, a display name or a list of names, beside a skill and at the root', async () => {
    const cwd = temporaryFolder({
      'triggers.yaml': `- { message: bread dough, skill: BREAD }
- { message: bread dough, skill: [bikes, bread] }
- { message: bicycle brakes, skill: Fahrrad }
- message: the weather on Mars
  skill: none`,
      'bikes/SKILL.md': bikes.replace('name: bikes', 'name: bikes\ndisplay_name: Fahrrad'),
      'bread/SKILL.md': bread,
      'bread/triggers.yml': '- message: an oven for bread\n',
    })
    expect(await cli(['test', '.'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^5 of 5 passed/),
    })
  })

  it('[BY-10] reports problems of a triggers.yaml with their line and runs the other cases', async () => {
    const broken: [string, string, RegExp][] = [
      ['- message: "unclosed\n', ':', /invalid YAML/],
      ['message: not a list\n', ':1:', /must be a list/],
      ['- message: fine oven\n- just text\n', ':2:', /a case must be written/],
      ['- skill: none\n', ':1:', /no message/],
      ['- message: ""\n', ':1:', /no message/],
      ['- message: oven\n  skil: none\n', ':1:', /unknown key skil;/],
      ['- message: oven\n  skill:\n', ':1:', /must be a name, a list of names, or none/],
      ['- message: oven\n  skill: [bread, none]\n', ':1:', /not both/],
      ['# first\n- message: oven\n  skill: bred\n', ':2:', /unknown skill bred; nearest: bread/],
    ]
    for (const [text, line, what] of broken) {
      const fine = { 'bikes/SKILL.md': bikes, 'bikes/triggers.yaml': '- message: bicycle brakes\n' }
      const cwd = temporaryFolder({ ...fine, 'bread/SKILL.md': bread, 'bread/triggers.yaml': text })
      const ran = await cli(['test', '.'], { cwd })
      expect(ran.code, text).toBe(1)
      expect(ran.err, text).toContain(`skillshelf: bread/triggers.yaml${line}`)
      expect(ran.err, text).toMatch(what)
      expect(ran.out, text).toMatch(/^[12] of [12] passed/)
      const [problem] = (await cli(['test', '.', '--json'], { cwd })).json().problems
      expect(problem.file).toBe('bread/triggers.yaml')
    }
  })

  it('reports a case at the root without a skill, and triggers of a skill that was left out', async () => {
    const cwd = temporaryFolder({
      'triggers.yaml': '- message: bread\n',
      'bread/SKILL.md': bread,
      'bad/SKILL.md': '',
      'bad/triggers.yaml': '- message: anything\n',
    })
    const ran = await cli(['test', '.'], { cwd })
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('triggers.yaml:1: the file is not in a skill folder')
    expect(ran.err).toContain('bad/triggers.yaml: its skill was left out')
  })

  it('reports a folder without trigger tests', async () => {
    const cwd = temporaryFolder({ 'bread/SKILL.md': bread })
    await expectRefusal('No triggers.yaml found', ['test', '.'], { cwd })
  })
})
