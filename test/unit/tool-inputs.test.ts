import { expect, it } from 'vitest'
import * as dialects from '../../src/exports/dialects.js'
import { memory, openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { callTool, createSession, type Dialect, type Session } from '../../src/exports/session.js'

const skill = (name: string, fields = ''): string =>
  `---\nname: ${name}\ndescription: Makes ${name} of a report.\n${fields}---\nSteps of ${name}.\n`
const FILES = {
  'skills/slides/SKILL.md': skill('slides', 'paths: ["*.key"]\n'),
  'skills/slides/references/a.md': 'Fonts.',
  'skills/slides/resources/a.md': 'Fonts.',
  'skills/slides/scripts/a.py': 'print(1)',
  'office/notes/SKILL.md': skill('notes'),
  'school/notes/SKILL.md': skill('notes', 'tags: school\n'),
}

const open = (files: Record<string, string> = FILES): Promise<SkillLibrary> =>
  openLibrary(memory(files, { name: 'mine' }), { embedder: false })

/** The tool of a dialect that opens a skill, and the argument that names it. */
const OPENERS: [string, Dialect | undefined, tool: string, argument: string][] = [
  ['default', undefined, 'load_skill', 'skill'],
  ['agentCore', dialects.agentCore, 'skill', 'skill'],
  ['manusX', dialects.manusX, 'skill_request', 'skill_name'],
  ['omniEmployee', dialects.omniEmployee, 'load_skill', 'skill'],
  ['openseed', dialects.openseed, 'load_skill', 'skill_name'],
  ['tokenDance', dialects.tokenDance, 'load_l2', 'skill_id'],
]
const start = async (dialect?: Dialect, files?: Record<string, string>): Promise<Session> =>
  createSession(await open(files), dialect ? { dialect } : {})

const SPELLINGS = [
  'slides',
  'SLIDES',
  'Slides',
  '/slides',
  '/Slides/',
  '@slides',
  '$slides',
  'plugin:slides',
  '/plugin:slides',
  'slides/SKILL.md',
  'slides/skill.md',
  './slides/SKILL.md',
  'skills/slides/SKILL.md',
  'skills\\slides\\SKILL.md',
  '/home/me/.claude/skills/slides/SKILL.md',
  'mine/skills/slides',
  'skill://mine/skills/slides',
  'skill://mine/skills/slides/SKILL.md',
  '"slides"',
  "'slides'",
  '`slides`',
  '“slides”',
  '`/slides`',
  ' slides ',
]

it.each(OPENERS)(
  '[BY-32] %s: names of skills as models send them',
  async (_, dialect, tool, argument) => {
    for (const name of SPELLINGS) {
      const session = await start(dialect)
      const { isError, text } = await callTool(session, tool, { [argument]: name })
      expect([name, isError, text]).toEqual([name, false, text])
      expect([name, session.open.map(({ skill }) => skill.name)]).toEqual([name, ['slides']])
    }
  },
)

it.each(OPENERS)(
  '[BY-32] %s: an ambiguous name names the candidates',
  async (_, dialect, tool, argument) => {
    for (const name of ['notes', '/notes', 'plugin:notes', 'notes/SKILL.md', '`Notes`']) {
      const session = await start(dialect)
      const { isError, text } = await callTool(session, tool, { [argument]: name })
      expect([name, isError]).toEqual([name, true])
      expect(text).toContain('mine/office/notes')
      expect(text).toContain('mine/school/notes')
      expect(session.open).toEqual([])
    }
  },
)

it('[BY-32] a path tells which of two skills with a name is meant', async () => {
  const session = await start()
  const { text } = await callTool(session, 'load_skill', { skill: 'office/notes/SKILL.md' })
  expect(text).toContain('id="mine/office/notes"')
})

it('[BY-32] a name that is written as another spelling of another skill is that skill', async () => {
  const files = { ...FILES, 'other/SKILL.md': skill('plugin:slides'), 'x/SKILL.md': skill('"x"') }
  const session = await start(undefined, files)
  expect((await callTool(session, 'load_skill', { skill: 'plugin:slides' })).text).toContain(
    'id="mine/other"',
  )
  expect((await callTool(session, 'load_skill', { skill: 'x' })).isError).toBe(false)
})

it('[BY-32] the id of a skill that is gone is not another skill', async () => {
  const session = await start()
  for (const name of ['theirs/skills/slides', 'gone/slides']) {
    const { isError, text } = await callTool(session, 'load_skill', { skill: name })
    expect([isError, text]).toEqual([true, expect.stringContaining(`Skill "${name}" not found`)])
  }
})

it('[BY-32] arguments as models send them: numbers as text, null, other names, one for a list, JSON in JSON', async () => {
  const session = await start()
  const query = 'make slides of a report'
  const found = async (input: unknown) => {
    const { isError, text, data } = await callTool(session, 'search_skills', input)
    return isError ? text : (data as { skills: unknown[] }).skills.length
  }
  expect(await found({ query })).toBe(3)
  for (const input of [
    { query, limit: '1' },
    { query, limit: ' 1.0 ' },
    { query, limit: '"1"' },
    { Query: query, LIMIT: 1 },
    JSON.stringify({ query, limit: 1 }),
    { query, limit: '1', files: null, url: null },
    { query, limit: 1, files: 'a.key', url: '' },
    { query, limit: 1, files: '["a.key", null]' },
    { query, limit: 1, files: ['a.key', null], url: 'null' },
    { query, limit: 1, something: 'else' },
  ])
    expect([input, await found(input)]).toEqual([input, 1])
  for (const limit of [null, '', 'null', undefined])
    expect([limit, await found({ query, limit })]).toEqual([limit, 3])
  expect(await found({ query, limit: 'few' })).toMatch(/limit: Invalid input: expected number/)
  expect(await found({ query, limit: '50' })).toMatch(/limit: Too big/)
  expect(await found({ query: null })).toMatch(/query is missing/)
  expect(await found(null)).toMatch(/query is missing/)
  expect(await found('')).toMatch(/query is missing/)
})

it.each<[string, Dialect | undefined, tool: string, input: object]>([
  [
    'default',
    undefined,
    'read_skill_file',
    { skill: '/slides', path: '`references/a.md`', offset: '0', length: '20' },
  ],
  [
    'omniEmployee',
    dialects.omniEmployee,
    'load_skill_reference',
    { skill: 'plugin:slides', file: '"references/a.md"' },
  ],
  [
    'openseed',
    dialects.openseed,
    'load_skill_asset',
    { skillName: '/slides', relativePath: "'references/a.md'" },
  ],
  [
    'openseed',
    dialects.openseed,
    'get_skill_script_path',
    { skill_name: '/slides', script_name: '`a.py`' },
  ],
  ['openseed', dialects.openseed, 'list_skill_assets', { skill_name: 'slides/SKILL.md' }],
  ['openseed', dialects.openseed, 'search_skills', { query: 'slides', n: '2' }],
  [
    'tokenDance',
    dialects.tokenDance,
    'load_l3_resource',
    { skill_id: '/slides', resource_path: '`a.md`' },
  ],
  [
    'tokenDance',
    dialects.tokenDance,
    'get_resource_path',
    { skill_id: '/slides', resource_name: '"a.md"' },
  ],
  ['manusX', dialects.manusX, 'file_read', { file: '`references/a.md`' }],
  ['default', undefined, 'unload_skill', { skill: '/Slides' }],
])('[BY-32] %s: every tool reads them: %s', async (_, dialect, tool, input) => {
  const session = await start(dialect)
  await session.load('slides')
  const { isError, text } = await callTool(session, tool, input)
  expect([isError, text]).toEqual([false, text])
})

it.each<
  [string, Dialect | undefined, tool: string, input: Record<string, string>, paths: string[]]
>([
  [
    'default',
    undefined,
    'read_skill_file',
    { skill: 'slides', path: '' },
    [
      'references/a.md',
      '/references/a.md',
      './references/a.md',
      'slides/references/a.md',
      '/slides/references/a.md',
      'skills/slides/references/a.md',
      'skills\\slides\\references\\a.md',
      'mine/skills/slides/references/a.md',
      'skill://mine/skills/slides/references/a.md',
      'slides/SKILL.md',
    ],
  ],
  [
    'omniEmployee',
    dialects.omniEmployee,
    'load_skill_reference',
    { skill: 'slides', file: '' },
    ['a.md', '/references/a.md', 'slides/references/a.md'],
  ],
  [
    'openseed',
    dialects.openseed,
    'get_skill_script_path',
    { skill_name: 'slides', script_name: '' },
    ['a.py', 'scripts/a.py', 'slides/scripts/a.py'],
  ],
  [
    'tokenDance',
    dialects.tokenDance,
    'load_l3_resource',
    { skill_id: 'slides', resource_path: '' },
    ['a.md', 'resources/a.md', '/slides/resources/a.md'],
  ],
])('[BY-32] %s: paths that say more are read', async (_, dialect, tool, input, paths) => {
  const session = await start(dialect)
  await session.load('slides')
  const argument = Object.keys(input)[1] as string
  for (const path of paths) {
    const { isError, text } = await callTool(session, tool, { ...input, [argument]: path })
    expect([path, isError, text]).toEqual([path, false, text])
  }
  for (const path of [
    'no.md',
    '../notes/SKILL.md',
    '/etc/passwd',
    'skill://mine/office/notes/SKILL.md',
  ]) {
    const { isError, text } = await callTool(session, tool, { ...input, [argument]: path })
    expect([path, isError, text]).toEqual([path, true, text])
  }
})
