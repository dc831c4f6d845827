import { describe, expect, it } from 'vitest'
import { readTriggers } from '../../src/exports/testing.js'
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
      out: expect.stringMatching(/^5 of 5 passed/m),
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
      expect(ran.out, text).toMatch(/^[12] of [12] passed/m)
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
    await expectRefusal('No triggers.yaml or trigger-evals.json found', ['test', '.'], { cwd })
  })
})

describe('skillshelf test, with trigger tests in JSON', () => {
  const YES = 'bread dough for the oven'
  const NO = 'bicycle chains'
  it.each<[string, string, unknown]>([
    [
      'a list',
      'evals/trigger-evals.json',
      [
        { query: YES, should_trigger: true },
        { query: NO, should_trigger: false },
      ],
    ],
    [
      'prompts',
      'trigger-eval.json',
      [
        { prompt: YES, should_trigger: true },
        { prompt: NO, should_trigger: false },
      ],
    ],
    [
      'activation',
      'evals/trigger-queries.json',
      [
        { query: YES, should_activate: true },
        { query: NO, should_activate: false },
      ],
    ],
    ['two lists', 'triggers.json', { should_trigger: [YES], should_not_trigger: [NO] }],
    [
      'buckets',
      'evals/trigger_evals.json',
      { positive: [{ text: YES, family: 'a' }], near_neighbor: [{ text: NO, family: 'b' }] },
    ],
    [
      'words',
      'evals/trigger-evals.json',
      [
        { query: YES, expected: 'trigger' },
        { query: NO, expect: 'no_trigger' },
      ],
    ],
    [
      'a wrapper',
      'evals/trigger-evals.json',
      {
        skill: 'bread',
        evals: [
          { query: YES, should_trigger: true, notes: 'x' },
          { query: NO, should_trigger: false },
        ],
      },
    ],
  ])('[BY-31] reads %s', async (_, path, content) => {
    const cwd = temporaryFolder({
      'bread/SKILL.md': bread,
      [`bread/${path}`]: JSON.stringify(content, undefined, '\t'),
      'bikes/SKILL.md': bikes,
    })
    const { code, json } = await cli(['test', '.', '--no-meaning', '--json'], { cwd })
    const { summary, problems, cases, skills } = json()
    expect(problems).toEqual([])
    expect(summary).toMatchObject({ total: 2, passed: 2, positive: 1, near: 1, rejected: 1 })
    expect(cases[1]).toMatchObject({
      message: NO,
      expected: [],
      rejected: 'bread',
      file: `bread/${path}`,
    })
    // The near miss of one skill may be a message of another.
    expect(skills).toMatchObject([
      { name: 'bread', positive: 1, found: 1, fired: 1, precision: 1, recall: 1 },
    ])
    expect(code).toBe(0)
  })

  it.each<[string, unknown]>([
    [
      'names in camel case',
      [
        { query: YES, shouldTrigger: true },
        { query: NO, shouldTrigger: false },
      ],
    ],
    [
      'lists in camel case',
      { skillName: 'bread', shouldTrigger: [YES], shouldNotTrigger: [NO], notes: ['x'] },
    ],
    [
      'other names of the message and of the answer',
      [
        { user_prompt: YES, expect_trigger: true },
        { request: NO, should_fire: 'no' },
      ],
    ],
    [
      'categories',
      [
        { task: YES, category: 'should-trigger' },
        { task: NO, category: 'near_neighbor' },
      ],
    ],
    [
      'sentences',
      [
        { query: YES, expect: 'should trigger (explicit)' },
        { query: NO, expect: 'shouldn’t trigger' },
      ],
    ],
    [
      'numbers',
      [
        { no: 1, text: YES, label: 1 },
        { no: 2, text: NO, label: 0 },
      ],
    ],
    [
      'answers in objects',
      [
        { query: YES, expected: { trigger: true } },
        { query: { text: NO }, expected: { trigger: false } },
      ],
    ],
    [
      'lists of lists',
      { cases: { should_trigger: { direct: [YES] }, should_not_trigger: { adjacent: [NO] } } },
    ],
    [
      'lists that say more',
      { should_trigger_inferred: [YES], near_negatives: [NO], ambiguous: ['a'], boundary: ['b'] },
    ],
    ['triggers and others', { triggers: [YES], non_triggers: [NO] }],
    [
      'groups with an answer',
      [
        { type: 'positive', queries: [YES] },
        { type: 'negative', queries: [NO] },
      ],
    ],
  ])('[BY-31] reads %s', (_, content) => {
    const { cases, problems } = readTriggers(JSON.stringify(content), 'bread/triggers.json')
    expect(problems).toEqual([])
    expect(cases.map(({ message, rejects = false }) => [message, rejects])).toEqual([
      [YES, false],
      [NO, true],
    ])
  })

  it('[BY-30] runs the trigger tests of a skill in several folders once', async () => {
    const ofBread = {
      'SKILL.md': bread,
      'evals/trigger-evals.json': JSON.stringify({ positive: [YES], negative: [NO] }),
      'triggers.yaml': `- message: ${YES}\n`,
    }
    const cwd = temporaryFolder(
      Object.fromEntries(
        ['.claude/skills/bread', '.agents/skills/bread'].flatMap(folder =>
          Object.entries(ofBread).map(([path, text]) => [`${folder}/${path}`, text]),
        ),
      ),
    )
    const { code, json } = await cli(['test', '.', '--no-meaning', '--json'], { cwd })
    expect(json().problems).toEqual([])
    expect(json().summary).toMatchObject({ total: 3, passed: 3 })
    expect(code).toBe(0)
  })

  it('[BY-31] prints precision, recall and near misses that match, and fails', async () => {
    const cwd = temporaryFolder({
      'bread/SKILL.md': bread,
      'bread/evals/trigger-evals.json': `[
  {"query": "${YES}", "should_trigger": true},
  {"query": "write about my holidays", "should_trigger": true},
  {"query": "the yeast dough of this bread", "should_trigger": false}
]`,
      'bikes/SKILL.md': bikes,
    })
    const { code, out } = await cli(['test', '.', '--no-meaning'], { cwd })
    expect(code).toBe(1)
    expect(out).toMatch(
      /^the yeast dough of this bread +not bread +bread +0\.\d\d +bread\/evals\/trigger-evals\.json:4$/m,
    )
    expect(out).toMatch(/^bread +0\.50 +0\.50 +2$/m)
    expect(out).toContain('near misses that match 1/1')
  })

  it('[BY-31] reads a collection with the names of the right skills', async () => {
    const cwd = temporaryFolder({
      'bread/SKILL.md': bread,
      'bikes/SKILL.md': bikes,
      'evals/routing.jsonl': [
        { prompt: YES, expected_owner: 'bread' },
        { query: NO, expected_skills: ['bikes', 'bread'] },
        { query: 'mend brakes', expected_route: 'bikes' },
        { query: 'the weather on Mars', expected_skill: null },
        { query: NO, expect: 'cars' },
      ]
        .map(one => JSON.stringify(one))
        .join('\n'),
    })
    const { summary, problems } = (await cli(['test', '.', '--json'], { cwd })).json()
    expect(summary).toMatchObject({ total: 4, passed: 4, none: 1 })
    expect(problems).toEqual([
      {
        file: 'evals/routing.jsonl',
        line: 5,
        message: expect.stringMatching(/^unknown skill cars/),
      },
    ])
  })

  it('[BY-31] reports what it cannot read, and runs the rest', async () => {
    for (const [text, message] of [
      ['[{"query": "bread dough"}]', 'a message needs "should_trigger": true or false'],
      [
        '{"version": 1}',
        'the file has no message with "should_trigger", and no list of such messages',
      ],
      ['[{"query": "bread', /^invalid JSON/],
    ] as const) {
      const cwd = temporaryFolder({ 'bread/SKILL.md': bread, 'bread/triggers.json': text })
      const { code, json } = await cli(['test', '.', '--json'], { cwd })
      expect(code).toBe(1)
      expect(json().problems[0]).toMatchObject({
        file: 'bread/triggers.json',
        line: 1,
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      })
    }
  })
})
