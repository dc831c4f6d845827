import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SAMPLE_COUNT } from '../samples.js'
import { cli, demo, skill, temporaryFolder } from './cli-world.js'

/** The result of `validate --json` in a folder with these files. */
const validated = async (files: Readonly<Record<string, string>>, ...argv: string[]) => {
  const { code, json } = await cli(['validate', '.', '--json', ...argv], {
    cwd: temporaryFolder(files),
  })
  return { code, ...json() }
}
const codes = (diagnostics: readonly { code: string }[]): string[] =>
  diagnostics.map(({ code }) => code)

describe('skillshelf validate', () => {
  it('[OS-7] accepts skills that follow the specification', async () => {
    const cwd = temporaryFolder({
      'tidy-up/SKILL.md': skill('tidy-up', 'Sorts files into folders.'),
    })
    const right = { code: 0, out: '1 skill, 0 errors, 0 warnings\n', err: '' }
    for (const more of [[], ['--strict']])
      expect(await cli(['validate', '.', ...more], { cwd })).toMatchObject(right)
  })

  it('[OS-7] reports an unknown field as a note, and as an error with --strict', async () => {
    const cwd = temporaryFolder({
      'a/SKILL.md': '---\nname: a\ndescription: A.\ncolour: red\n---\n\nDo it.\n',
    })
    const validate = (...argv: string[]) => cli(['validate', '.', ...argv], { cwd })
    expect((await validate()).out).toBe(
      '1 skill, 0 errors, 0 warnings, 1 note (print with --all)\n',
    )
    expect((await validate('--all')).out).toContain('colour')
    expect(await validate('--strict')).toMatchObject({
      code: 1,
      out: expect.stringContaining('colour'),
    })
  })

  it('[BY-5] validate and pack report files that are pointers of Git LFS', async () => {
    const oid = `oid sha256:${'0'.repeat(64)}`
    const cwd = temporaryFolder({
      'skills/a/SKILL.md': '---\nname: a\ndescription: A.\n---\n\nDo it.\n',
      'skills/a/assets/logo.png': `version https://git-lfs.github.com/spec/v1\n${oid}\nsize 9\n`,
      'skills/a/notes.md': 'A pointer begins with version https://git-lfs.github.com/spec/v1\n',
    })
    const problem = 'a/assets/logo.png is a pointer of Git LFS, not the file itself'
    const validated = await cli(['validate', 'skills'], { cwd })
    expect(validated).toMatchObject({ code: 1, out: expect.stringContaining(problem) })
    expect(validated.out).toContain('git lfs pull')
    const packed = await cli(['pack', 'skills', '--out', 'out', '--no-meaning'], { cwd })
    expect(packed).toMatchObject({ code: 0, out: expect.stringContaining(problem) })
    expect(packed.out).not.toContain('notes.md')
  })

  it('[TD-2] --dialect tokendance checks the fields that its document requires', async () => {
    const whole = 'name: a\ndisplay_name: A\ndescription: A.\nversion: 1.0.0\nallowed_tools: []\n'
    const cwd = temporaryFolder({
      'a/SKILL.md': `---\n${whole}---\n\nDo it.\n`,
      'b/SKILL.md': '---\nname: b\ndescription: B.\n---\n\nDo it.\n',
    })
    const checked = await cli(['validate', '.', '--dialect', 'tokendance', '--json'], { cwd })
    expect(checked.code).toBe(1)
    const required = checked
      .json()
      .diagnostics.filter((one: { code: string }) => one.code === 'field-required')
    expect(required).toMatchObject([
      { severity: 'error', path: 'b/SKILL.md', message: expect.stringContaining('"version"') },
      {
        severity: 'warning',
        path: 'b/SKILL.md',
        message: expect.stringContaining('"display_name"'),
      },
      {
        severity: 'warning',
        path: 'b/SKILL.md',
        message: expect.stringContaining('"allowed_tools"'),
      },
    ])
    for (const more of [[], ['--dialect', 'openseed']])
      expect((await cli(['validate', '.', '--json', ...more], { cwd })).code).toBe(0)
    const bare = temporaryFolder({ 'a/SKILL.md': '---\nname: a\n---\n\nDo it.\n' })
    expect((await cli(['validate', '.', '--dialect', 'manusx'], { cwd: bare })).code).toBe(1)
    expect((await cli(['validate', '.', '--dialect', 'other'], { cwd })).code).not.toBe(0)
  })

  it('[TD-2] names of TokenDance have underscores, and the proposed ones too', async () => {
    const files = (name: string): Record<string, string> => ({
      [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: A.\n---\n\nDo it.\n`,
    })
    const cwd = temporaryFolder({
      ...files('My Skill'),
      ...files('my-skill'),
      ...files('my_skill'),
    })
    const namesOf = async (...more: string[]): Promise<unknown> => {
      const { diagnostics } = (await cli(['validate', '.', '--json', ...more], { cwd })).json()
      return diagnostics
        .filter(({ code }: { code: string }) => code === 'name-invalid')
        .map(({ path, hint }: { path: string; hint: string }) => `${path} ${hint}`)
    }
    expect(await namesOf('--dialect', 'tokendance')).toEqual([
      'My Skill/SKILL.md rename it, for example to my_skill',
      'my-skill/SKILL.md rename it, for example to my_skill',
    ])
    expect(await namesOf()).toEqual([
      'My Skill/SKILL.md rename it, for example to my-skill',
      'my_skill/SKILL.md rename it, for example to my-skill',
    ])
  })

  it('[TD-1] warns of more than 100 tokens of metadata', async () => {
    const cwd = temporaryFolder({
      'a/SKILL.md': `---\nname: a\ndescription: ${'word '.repeat(110)}\n---\n\nDo it.\n`,
    })
    const { out } = await cli(['validate', '.'], { cwd })
    expect(out).toContain('at most 100 are recommended')
  })

  it('[OS-9] infers a missing description, and leaves the skill out with --strict', async () => {
    const bare = '---\nname: bare\n---\n\nSorts the files of a folder.\n'
    const files = { 'good/SKILL.md': skill('good', 'Works.'), 'bare/SKILL.md': bare }
    expect(await validated(files)).toMatchObject({
      code: 0,
      summary: { found: 2, skills: 2, own: 1, inferred: 1, leftOut: 0, errors: 0 },
      diagnostics: [
        { code: 'description-inferred', severity: 'warning' },
        { code: 'mcp-left-out' },
      ],
    })
    const leftOut = { code: 'skill-left-out', severity: 'error', path: 'bare/SKILL.md' }
    expect(await validated(files, '--strict')).toMatchObject({
      code: 1,
      summary: { found: 2, skills: 1, inferred: 0, leftOut: 1 },
      diagnostics: expect.arrayContaining([expect.objectContaining(leftOut)]),
    })
  })

  it('[OS-7] groups diagnostics by code, with file, line and hint', async () => {
    const { out } = await cli(['validate', demo])
    const invalid =
      /\n\nwarning name-invalid: 2 in 2 files\n.*\n.*\nmeeting-notes\/skill\.md:2 +The name "Meeting Notes"/
    expect(out).toMatch(invalid)
    expect(out).toMatch(new RegExp(`${SAMPLE_COUNT} skills, 0 errors, \\d+ warnings, \\d+ notes`))
  })

  it('validates a single skill and compares its name with its folder', async () => {
    const cwd = temporaryFolder({
      'here/SKILL.md': skill('there', 'Another folder.'),
      'bad/SKILL.md': '',
    })
    for (const one of ['here', 'here/SKILL.md']) {
      const { summary, diagnostics } = (await cli(['validate', one, '--json'], { cwd })).json()
      expect(summary).toMatchObject({ found: 1, skills: 1 })
      expect(diagnostics).toMatchObject([{ code: 'name-not-folder', path: 'here/SKILL.md' }])
    }
    expect((await cli(['validate', 'bad'], { cwd })).code).toBe(1)
  })

  it('[OS-7] reports a misspelled field with its line and the field that was meant', async () => {
    const text =
      '---\nname: tidy\ndescripton: Sorts files.\nVersion: 1.0.0\nslug: tidy\n---\n\nSorts the files.\n'
    const { code, diagnostics } = await validated({ 'tidy/SKILL.md': text })
    expect(code).toBe(0)
    const misspelled = { code: 'field-misspelled', severity: 'warning', path: 'tidy/SKILL.md' }
    for (const one of [
      { ...misspelled, line: 3, hint: 'did you mean description?' },
      { ...misspelled, line: 4, hint: 'did you mean version?' },
      { code: 'unknown-field', message: expect.stringMatching(/slug/) },
    ])
      expect(diagnostics).toContainEqual(expect.objectContaining(one))
    expect((await validated({ 'tidy/SKILL.md': text }, '--strict')).code).toBe(1)
  })

  it('[OS-7] reports links to files that do not exist, and no others', async () => {
    const cwd = temporaryFolder({
      'guide/SKILL.md': skill(
        'guide',
        'Explains the guide.',
        [
          'See [the guide](references/guide.md), [more](<references/more%20text.md> "More"), [a part](#part),',
          '[the site](https://example.com/x.md), ![logo](assets/logo.png) and [the other skill](../other/SKILL.md).',
          'Run `scripts/gone.py`, then [read](Guide.md#top).',
          '[gone]: references/gone.md',
          'Writing `[x](y.md)` makes a link, and `references/{name}.md` is a pattern.',
          '```sh',
          'python scripts/run.py && python ./scripts/lost.py',
          'echo "[a](b.md)" > assets/out.md',
          '```',
          '<!-- [hidden](hidden.md) -->',
          '',
        ].join('\n'),
      ),
      'guide/references/guide.md': 'x',
      'guide/references/more text.md': 'x',
      'guide/assets/logo.png': 'x',
      'guide/scripts/run.py': 'x',
      'other/SKILL.md': skill('other', 'Does something else.'),
    })
    const { diagnostics } = (await cli(['validate', '.', '--json'], { cwd })).json()
    expect(diagnostics).toMatchObject([
      { message: '"Guide.md" does not exist', line: 8, hint: 'did you mean references/guide.md?' },
      {
        message: '"scripts/gone.py" does not exist',
        line: 8,
        hint: 'add the file, or correct the path',
      },
      { message: '"references/gone.md" does not exist', line: 9 },
      { message: '"scripts/lost.py" does not exist', line: 12 },
    ])
    for (const one of diagnostics)
      expect(one).toMatchObject({
        code: 'link-broken',
        severity: 'warning',
        path: 'guide/SKILL.md',
      })
    expect((await cli(['validate', 'guide', '--json'], { cwd })).json().diagnostics).toHaveLength(4)
  })

  it('[OS-7] paths that are to be written, stand for others, or are in the repository are no broken links', async () => {
    const cwd = temporaryFolder({
      '.git/HEAD': 'ref: refs/heads/main',
      'scripts/release.sh': 'x',
      'skills/scripts/shared.sh': 'x',
      'skills/guide/SKILL.md': skill(
        'guide',
        'Explains the guide.',
        [
          'Create a file such as `scripts/new.py`, and save the report as `references/report.md`.',
          'Run `scripts/your-script.sh` or `scripts/example.py`, e.g. `scripts/check.sh`.',
          'Run `scripts/release.sh` and `scripts/shared.sh`. 生成 `references/result.md`。',
          'Then run `scripts/lost.py`.',
          '',
        ].join('\n'),
      ),
    })
    const { diagnostics } = (await cli(['validate', 'skills', '--json'], { cwd })).json()
    expect(diagnostics).toMatchObject([{ message: '"scripts/lost.py" does not exist', line: 9 }])
  })

  it.each<[what: string, body: string, broken: string[]]>([
    [
      'a list of examples',
      '- **Examples**: `references/a.md` for schemas, `assets/b.png` for logos',
      [],
    ],
    [
      'a label that no example follows',
      'Example: `python scripts/run.py x`\n\nMore examples: see `references/a.md`.',
      ['scripts/run.py', 'references/a.md'],
    ],
    ['a report about a line', 'HIGH scripts/run.py:42', []],
    ['a name that stands for others', 'Run `scripts/script_name.py --help`.', []],
    ['a skill in a folder', 'Read `references/forms/SKILL.md`.', ['references/forms/SKILL.md']],
    [
      'files that come later',
      [
        '- `references/log.md` - all trades (CREATE IF MISSING)',
        '- `references/team.md` (if present) says who decides.',
        '- A `references/schema.md` file would be helpful.',
        '- [lead](lead.md) - coordinates the team (planned)',
        '- [rules](references/rules.md) (To Be Created)',
      ].join('\n'),
      [],
    ],
    ['a plan of something else', 'See [plan](plan.md) for planned features.', ['plan.md']],
    [
      'a file to write',
      'Generate the table, write it to `references/a.md`.\n\nSAVE: Paste it into `scripts/b.json`.',
      [],
    ],
    [
      'what a file to run writes',
      'Generate it using `scripts/a.py`.\n\nSave the table: `scripts/b.py table`.',
      ['scripts/a.py', 'scripts/b.py'],
    ],
    [
      'what commands write, read later',
      [
        '```sh',
        'node x.mjs > scripts/a.md',
        'x --output references/b.bib',
        'cp assets/a.json scripts/c.json',
        '```',
        'Read `scripts/a.md`, `references/b.bib` and `scripts/c.json`.',
      ].join('\n'),
      [],
    ],
    [
      'a repository that is cloned',
      [
        'Step 5 packs (scripts/pack.sh).',
        '```sh',
        'git clone https://example.com/app && cd app',
        '```',
        '```sh',
        'bash scripts/pack.sh',
        '```',
        'Then read `references/a.md`.',
      ].join('\n'),
      ['references/a.md'],
    ],
    [
      'a skill that is cloned',
      '```sh\ngit clone https://example.com/x ~/.claude/skills/x\nbash scripts/a.sh\n```',
      ['scripts/a.sh'],
    ],
    [
      'workflows, and their comments',
      '```yaml\n# See references/rules.md\nrun: python scripts/ci.py\n```',
      ['references/rules.md'],
    ],
    [
      'a document that has code blocks',
      '```markdown\n```sh\nscripts/a.sh\n```\nRun `scripts/b.sh`.\n```\nRun `scripts/c.sh`.',
      ['scripts/c.sh'],
    ],
    [
      'a link beside an example',
      'Read `references/a.md`.\n\nSee [a](references/a.md).\n\nFiles such as `references/a.md`.',
      ['references/a.md'],
    ],
    [
      'files that are made from others',
      'Fill in `scripts/config.json`, `scripts/ci.yml` and `scripts/local.yml`.',
      ['scripts/local.yml'],
    ],
    [
      'files of another skill that is named',
      "Use wiki-pages'\n`references/pages.md`.\n\nOf old-wiki-pages: `references/forms.md`.",
      ['references/forms.md'],
    ],
    ['files of the plugin', 'Run `scripts/plan.py` and `scripts/root.py`.', []],
  ])('[OS-7] %s: which named files are missing', async (_, body, broken) => {
    const files = {
      'plugins/one/skills/guide/SKILL.md': skill('guide', 'Explains the guide.', `${body}\n`),
      'plugins/one/skills/guide/scripts/config.example.json': '{}',
      'plugins/one/skills/guide/scripts/ci.yml.template': 'x',
      'plugins/one/skills/wiki-pages/SKILL.md': skill('wiki-pages', 'Writes pages of a wiki.'),
      'plugins/one/skills/wiki-pages/references/pages.md': 'x',
      'plugins/one/skills/wiki-pages/references/forms.md': 'x',
      'plugins/one/scripts/plan.py': 'x',
      'scripts/root.py': 'x',
    }
    const { diagnostics } = await validated(files)
    expect(diagnostics.map(({ message }: { message: string }) => message)).toEqual(
      broken.map(path => `"${path}" does not exist`),
    )
  })

  it('[OS-7] a single skill is checked with the folders above it, up to its repository', async () => {
    const cwd = temporaryFolder({
      '.git/HEAD': 'ref: refs/heads/main',
      'plugins/one/scripts/plan.py': 'x',
      'plugins/one/skills/guide/SKILL.md': skill(
        'guide',
        'Explains the guide.',
        'Run `scripts/plan.py`, then `scripts/lost.py`.\n',
      ),
    })
    const { diagnostics } = (
      await cli(['validate', 'plugins/one/skills/guide', '--json'], { cwd })
    ).json()
    expect(diagnostics).toMatchObject([{ message: '"scripts/lost.py" does not exist' }])
  })

  it.each(['skills', 'skills/guide'])(
    '[OS-7] says of a named file that it is left out, where it exists: %s',
    async folder => {
      const cwd = temporaryFolder({
        '.git/HEAD': 'ref: refs/heads/main',
        '.gitignore': 'local.json\n',
        'skills/guide/SKILL.md': skill('guide', 'Explains.', 'Reads `scripts/local.json`.\n'),
        'skills/guide/scripts/local.json': '{}',
      })
      const { diagnostics } = (await cli(['validate', folder, '--json'], { cwd })).json()
      expect(diagnostics).toMatchObject([
        { message: '"scripts/local.json" exists, but is left out of the skill', line: 6 },
      ])
    },
  )

  it('[OS-7] reports templates that were not filled in', async () => {
    const todo = 'Reads [TODO: describe the input].\n\nFinds `TODO:` comments and [TODO] labels.\n'
    const { diagnostics } = await validated({
      'draft/SKILL.md': skill('draft', 'Makes drafts.', todo),
      'done/SKILL.md': skill(
        'done',
        'Lists todos. Finds TODO comments and closes them.',
        '```\nTODO: x\n```\n',
      ),
    })
    const placeholder = {
      code: 'placeholder-text',
      severity: 'warning',
      path: 'draft/SKILL.md',
      line: 6,
    }
    expect(diagnostics).toMatchObject([placeholder])
  })

  it('[OS-7] reports skills of one name, but not those of two environments', async () => {
    const { diagnostics } = await validated({
      'a/SKILL.md': skill('tea', 'Makes tea.'),
      'b/SKILL.md': skill('tea', 'Pours tea.'),
      'environments/x/skills/pot/SKILL.md': skill('pot', 'Heats a pot.'),
      'environments/y/skills/pot/SKILL.md': skill('pot', 'Cleans a pot.'),
    })
    expect(diagnostics.filter((one: { code: string }) => one.code === 'name-duplicate')).toEqual([
      {
        code: 'name-duplicate',
        severity: 'warning',
        message: 'a/SKILL.md has the same name, "tea"',
        path: 'b/SKILL.md',
        hint: 'rename one of them',
      },
    ])
  })

  it('[BY-30] notes copies, counts them once, and says what differs in near copies', async () => {
    const text = skill('tea', 'Brews green and black tea for the guests of a house.')
    const files = {
      'skills/tea/SKILL.md': text,
      'skills/tea/scripts/pour.sh': 'pour',
      '.claude/skills/tea/SKILL.md': text,
      '.claude/skills/tea/scripts/pour.sh': 'pour',
      '.agents/skills/tea/SKILL.md': text.replace('guests', 'friends'),
      '.agents/skills/tea/scripts/pour.sh': 'spill',
      'other/tea/SKILL.md': skill('tea', 'Names the leaves of an auction.'),
    }
    const { code, summary, diagnostics } = await validated(files)
    expect(code).toBe(0)
    expect(summary).toMatchObject({ found: 4, skills: 3, copies: 1 })
    const named = diagnostics.filter(({ code }: { code: string }) => /copy|name/.test(code))
    expect(named).toEqual([
      expect.objectContaining({ code: 'name-duplicate', path: 'other/tea/SKILL.md' }),
      {
        code: 'skill-near-copy',
        severity: 'warning',
        message:
          'Nearly a copy of .agents/skills/tea/SKILL.md: the description, scripts/pour.sh differ',
        path: 'skills/tea/SKILL.md',
        hint: 'make them equal, so that they are one skill, or rename or remove one of them',
      },
      {
        code: 'skill-copy',
        severity: 'info',
        message: 'The same skill is in .claude/skills/tea',
        path: 'skills/tea/SKILL.md',
      },
    ])
    const { out } = await cli(['validate', '.'], { cwd: temporaryFolder(files) })
    expect(out).toContain('3 skills, 1 copy, 0 errors, 2 warnings')
  })

  it('[OS-7] reports a trigger that two skills claim', async () => {
    const listed = (name: string, ...triggers: string[]): string =>
      `---\nname: ${name}\ndescription: Bakes ${name}.\ntriggers:\n${triggers.map(one => `  - ${one}\n`).join('')}---\n\nBake it.\n`
    const { diagnostics } = await validated({
      'bread/SKILL.md': skill('bread', 'Bakes bread.'),
      'bread/triggers.yaml':
        '- message: Bake a loaf\n- message: hello\n  skill: none\n- message: tea\n  skill: [bread, cake]\n',
      'cake/SKILL.md': listed('cake', 'birthday', 'bake  a LOAF!'),
      'cake/triggers.yaml':
        '- message: hello\n  skill: none\n- message: tea\n- message: a pie\n  skill: pie\n',
      'pie/SKILL.md': listed('pie', 'a pie', 'birthday'),
      'tart/SKILL.md': skill('tart', 'Bakes tarts.'),
      'tart/messages.txt': '# Messages\n\n- a tart\n- a pie\n',
    })
    const conflict = (path: string, line: number, message: string) => ({
      code: 'trigger-conflict',
      severity: 'warning',
      message: `The trigger ${message}`,
      path,
      line,
      hint: 'keep one of them, or accept both in triggers.yaml with skill: [one, other]',
    })
    expect(diagnostics.filter((one: { severity: string }) => one.severity !== 'info')).toEqual([
      conflict('cake/SKILL.md', 6, '"bake a LOAF!" is claimed for bread in bread/triggers.yaml:1'),
      conflict('pie/SKILL.md', 6, '"birthday" is claimed for cake in cake/SKILL.md:5'),
      conflict('tart/messages.txt', 4, '"a pie" is claimed for pie in cake/triggers.yaml:4'),
    ])
  })

  it('[OS-7] prints every error of a long report, first, and one example of each warning', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `s${10 + at}/SKILL.md`,
        skill(`Not Allowed ${at}`, 'Works.'),
      ]),
    )
    const cwd = temporaryFolder({ ...many, 'y/SKILL.md': '', 'z/SKILL.md': '' })
    const { out } = await cli(['validate', '.'], { cwd })
    expect(out).toMatch(
      /^file.*\nerror skill-left-out: 2 in 2 files\ny\/SKILL\.md .*\n(?: .*\n)*z\/SKILL\.md /,
    )
    expect(out).toContain('\nwarning name-not-folder: 30 in 30 files, the first:\ns10/SKILL.md:2  ')
    expect(out).not.toContain('s11')
    expect(out).toContain('Print every row with --all or --json.')
    expect(
      (await cli(['validate', '.', '--all'], { cwd })).out.match(/^s\d\d\/SKILL\.md:2/gm),
    ).toHaveLength(60)
    const { diagnostics } = (await cli(['validate', '.', '--json'], { cwd })).json()
    expect(codes(diagnostics.slice(0, 3))).toEqual([
      'skill-left-out',
      'skill-left-out',
      expect.any(String),
    ])
    expect(diagnostics.length).toBeGreaterThan(60)
  })

  it('[OS-7] prints every warning of a single skill', async () => {
    const links = Array.from({ length: 25 }, (_, at) => `[x](gone-${at}.md)\n`).join('')
    const cwd = temporaryFolder({ 'a/SKILL.md': skill('a', 'Works.', links) })
    expect(
      (await cli(['validate', 'a'], { cwd })).out.match(/"gone-\d+\.md" does not exist/g),
    ).toHaveLength(25)
  })
})

describe('skillshelf validate --format sarif', () => {
  const files = {
    'skills/a b/SKILL.md': skill('c', 'Mends bicycles.', '# Steps\n\nRead [this](gone.md).\n'),
    'skills/z/SKILL.md': '',
  }

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
      {
        ruleId: 'name-not-folder',
        level: 'warning',
        locations: location('skills/a%20b/SKILL.md', 2),
      },
      {
        ruleId: 'link-broken',
        message: { text: '"gone.md" does not exist. Fix: add the file, or correct the path' },
        locations: location('skills/a%20b/SKILL.md', 8),
      },
    ])
    const rules = tool.driver.rules.map(({ id }: { id: string }) => id)
    for (const { ruleId } of results) expect(rules).toContain(ruleId)
    const single = (
      await cli(['validate', 'a b', '--format', 'sarif'], { cwd: `${cwd}/skills` })
    ).json()
    expect(single.runs[0].results[0]).toMatchObject({ locations: location('a%20b/SKILL.md', 2) })
  })

  it('[BY-10] the commands of examples/github-action run', async () => {
    const example = fileURLToPath(
      new URL('../../examples/github-action/skills.yml', import.meta.url),
    )
    const workflow = parse(await readFile(example, 'utf8')) as {
      jobs: { validate: { steps: { run?: string }[] } }
    }
    const commands = workflow.jobs.validate.steps.flatMap(
      ({ run }) => run?.match(/^npx skillshelf (.*?)(?: > .*)?$/)?.[1] ?? [],
    )
    expect(commands).toHaveLength(2)
    const cwd = temporaryFolder({
      'skills/a/SKILL.md': skill('a', 'Mends bicycles with a flat tire.'),
      'skills/a/triggers.yaml': '- message: mend the flat tire of my bicycle\n',
    })
    for (const command of commands)
      expect(await cli(command.split(' '), { cwd })).toMatchObject({ code: 0, err: '' })
  })
})
