import { describe, expect, it } from 'vitest'
import { createOutputRule, isJunk, isJunkName, isLocked } from '../../src/core/content.js'
import {
  agentCore,
  manusX,
  manusXOf,
  omniEmployee,
  openseed,
  tokenDance,
} from '../../src/exports/dialects.js'
import { memory, openLibrary } from '../../src/exports/index.js'
import { createSession } from '../../src/exports/session.js'
import { skillFile } from './dialect-world.js'

describe('what belongs to a skill', () => {
  it('[BY-5] is not what tools write', () => {
    const junk = [
      '.git',
      '.DS_Store',
      'THUMBS.DB',
      '._x',
      'a.pyc',
      'b.swp',
      'c~',
      '.Trash-0',
      '#d#',
    ]
    expect(junk.filter(name => !isJunkName(name))).toEqual([])
    const content = [
      '.gitignore',
      '.github',
      '.env',
      'git',
      'dist',
      'cache',
      'a.py',
      '.cachex',
      '#d',
    ]
    expect(content.filter(isJunkName)).toEqual([])
    expect(isJunk('a/.venv/b/c.py')).toBe(true)
    expect(isJunk('a/venv/c.py', new Set(['a/venv']))).toBe(false)
  })

  it('[BY-27] a lock covers what runs, also where it is not published', () => {
    expect(['.git', 'node_modules', 'a.py'].filter(name => !isLocked(name))).toEqual([])
    expect(['.venv', '__pycache__', 'a.pyc', '.DS_Store', '.vscode'].filter(isLocked)).toEqual([])
  })

  it('[BY-5] builds write beside the file of a project, and at the root', () => {
    const isOutput = createOutputRule([{ path: 'p/Cargo.toml' }])
    expect(['dist/a', 'out/b/c', 'p/target/x'].filter(path => !isOutput(path))).toEqual([])
    expect(['dist', 'build/a', 'q/target/x', 'p/target', ''].filter(isOutput)).toEqual([])
  })
})

describe('a skeleton among the resources of a skill', () => {
  const folders = ['assets', 'references', 'resources']
  const files = {
    'creator/SKILL.md': skillFile('creator', 'Creates skills', 'Copy the skeleton.'),
    ...Object.fromEntries(
      folders.map(at => [
        `creator/${at}/blank/SKILL.md`,
        skillFile(`${at}-blank`, 'Does a thing', 'TODO'),
      ]),
    ),
  }

  it.each([
    ['default', undefined, folders],
    ['agentCore', agentCore, []],
    ['manusX', manusX, ['assets', 'references']],
    ['omniEmployee', omniEmployee, folders],
    ['openseed', openseed, []],
    ['tokenDance', tokenDance, ['resources']],
  ] as const)('[MX-1] is listed as its file and not as a skill: %s', async (_, dialect, listed) => {
    await using library = await openLibrary(memory(files))
    expect(library.snapshot.skills.map(({ name }) => name)).toEqual(['creator'])
    const session = createSession(library, { dialect })
    const content = await session.load('creator')
    const { system } = await session.prepare('')
    const shown = `${JSON.stringify(content)}${system}`
    expect(listed.filter(at => !shown.includes(`${at}/blank/SKILL.md`))).toEqual([])
    expect(shown).not.toContain('assets-blank')
  })

  it('[MX-1] is in `resources` of ManusX, and can be read', async () => {
    await using library = await openLibrary(memory(files))
    const skills = manusXOf(createSession(library, { dialect: manusX }))
    expect((await skills.getSkill('creator'))?.resources).toEqual([
      'references/blank/SKILL.md',
      'assets/blank/SKILL.md',
    ])
    const { text } = await library.read('creator', 'assets/blank/SKILL.md')
    expect(text).toContain('TODO')
  })
})
