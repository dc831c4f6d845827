import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openLibrary } from '../../src/exports/index.js'
import * as session from '../../src/exports/session.js'
import { directory } from '../../src/source/directory/directory.js'
import { temporaryFolder } from '../folders.js'

const FILES = {
  'pdf tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDF files\n---\nRun the script.\n',
  'pdf tools/scripts/tables.py': 'print("tables")\n',
  'pdf tools/references/spec.md': '# Spec\n',
  'pdf tools/resources/plan.md': '# Plan\n',
  'tea/skill.md': '---\nname: tea\ndescription: Brews tea\n---\nBoil water.\n',
  'secret.txt': 'not of a skill',
}

const root = temporaryFolder(FILES)
const library = await openLibrary(directory(root))
afterAll(() => library.close())
const { agentCore, callTool, manusX, omniEmployee, openseed, tokenDance } = session
const start = (dialect: session.Dialect) => session.createSession(library, { dialect })

describe('dialects over a folder on disk', () => {
  it('[OS-5] openseed returns the absolute path of an existing script', async () => {
    const path = await session.openseedOf(start(openseed)).getSkillScriptPath('pdf-tools', 'tables.py')
    expect(path).toBe(join(root, 'pdf tools/scripts/tables.py'))
    expect(isAbsolute(path)).toBe(true)
    expect(await readFile(path, 'utf8')).toBe('print("tables")\n')
    const skills = session.openseedOf(start(openseed))
    const codes = {
      '../../secret.txt': 'invalid-path',
      [join(root, 'secret.txt')]: 'invalid-path',
      'none.py': 'resource-not-found',
    }
    for (const [script, code] of Object.entries(codes))
      await expect(skills.getSkillScriptPath('pdf-tools', script)).rejects.toMatchObject({ code })
  })

  it('[MX-1] [MX-3] ManusX prints the absolute folder', async () => {
    const skills = session.manusXOf(start(manusX))
    const place = { path: join(root, 'pdf tools/SKILL.md'), dir: join(root, 'pdf tools') }
    expect(await skills.getSkill('pdf-tools')).toMatchObject(place)
    expect((await skills.getSkill('tea'))?.path).toBe(join(root, 'tea/skill.md'))
    expect(await skills.getSkillContent('pdf-tools')).toBe(
      `Run the script.\n\n## Available Resources\nDirectory: ${join(root, 'pdf tools')}\n- scripts/tables.py\n- references/spec.md\n`,
    )
  })

  it('[MX-6] ManusX reads absolute paths, only inside skills', async () => {
    const one = start(manusX)
    const read = async (file: string) => callTool(one, 'file_read', { file })
    const content = 'print("tables")\n'
    // No skill was requested yet.
    expect((await read(join(root, 'pdf tools/scripts/tables.py'))).text).toBe(content)
    await callTool(one, 'skill_request', { skill_name: 'pdf-tools' })
    expect((await read(join(root, 'pdf tools/scripts/tables.py'))).text).toBe(content)
    expect((await read('scripts/tables.py')).text).toBe(content)
    for (const path of [
      join(root, 'secret.txt'),
      `${root}/pdf tools/../secret.txt`,
      `${root}/pdf tools/%2e%2e/secret.txt`,
      `${root}/pdf tools-of-another/scripts/tables.py`,
      '/etc/passwd',
    ])
      expect(await read(path)).toMatchObject({ isError: true, data: { success: false } })
  })

  it('[OE-3] OmniEmployee prints the absolute folder, and quotes paths in commands', async () => {
    const one = start(omniEmployee)
    await one.load('pdf-tools')
    const { system } = await one.prepare({ message: 'tables' })
    const script = join(root, 'pdf tools/scripts/tables.py')
    expect(system).toContain(`- **Skill Directory**: \`${join(root, 'pdf tools')}\`\n`)
    expect(system).toContain(`  - \`${script}\` (run with: \`uv run '${script}'\`)\n`)
  })

  it('[AC-2] agent-core returns the absolute path of the skill.md, in its spelling', async () => {
    const skills = await session.agentCoreOf(start(agentCore)).listSkills()
    const places = [
      ['pdf tools', join(root, 'pdf tools/SKILL.md')],
      ['tea', join(root, 'tea/skill.md')],
    ]
    expect(skills.map(({ id, path }) => [id, path])).toEqual(places)
  })

  it('[TD-7] TokenDance returns the absolute path of a resource', async () => {
    const { loader } = session.tokenDanceOf(start(tokenDance))
    const path = await loader.getResourcePath('pdf-tools', 'plan.md')
    expect(path).toBe(join(root, 'pdf tools/resources/plan.md'))
    expect(await readFile(path, 'utf8')).toBe(await loader.loadL3Resource('pdf-tools', 'plan.md'))
  })
})
