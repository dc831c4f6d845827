import { describe, expect, it } from 'vitest'
import { manusX, manusXOf } from '../../src/exports/dialects.js'
import { callTool, createSession } from '../../src/exports/session.js'
import {
  converse,
  countWords,
  dialectWorld,
  HOSTILE,
  scriptedModel,
  skillFile,
  text,
  words,
} from './dialect-world.js'

const BODY = '# Surveys\n\nRun the script first.'
const FILES = {
  'survey/SKILL.md': skillFile('survey', 'Turns answers to a survey into figures', BODY),
  'survey/scripts/count.py': 'print(42)\n',
  'survey/references/scales.md': '# Scales\n',
  'survey/references/old/likert.md': '# Likert\n',
  'survey/assets/logo.png': new Uint8Array([137, 80, 78, 71, 0]),
  'survey/notes.txt': 'beside, no resource',
  'tea/SKILL.md': skillFile('tea', 'Brews tea', 'Boil water.'),
  'tea/scripts/count.py': 'print("leaves")\n',
  'bare/SKILL.md': skillFile('bare', 'Says no more', ''),
}
const { open, start } = dialectWorld(manusX, 'skills', FILES)

const SECTION = text`
  ## Available Skills

  You have access to the following domain expertise:
  - bare: Says no more
  - survey: Turns answers to a survey into figures
  - tea: Brews tea

  When a task matches a skill, request its full content.
`
const CONTENT = text`
  # Surveys

  Run the script first.

  ## Available Resources
  Directory: skill://skills/survey
  - scripts/count.py
  - references/old/likert.md
  - references/scales.md
  - assets/logo.png

`

describe('ManusX', () => {
  it('[MX-4] [MX-5] [MX-6] follows its document: list, request, read', async () => {
    const session = await start()
    const model = scriptedModel(
      { call: 'skill_request', input: { skill_name: 'survey' } },
      { call: 'file_read', input: { file: 'scripts/count.py' } },
      { call: 'file_read', input: { file: 'skill://skills/survey/references/scales.md' } },
      { say: '42 of them agree.' },
    )
    await converse(session, model, 'How many agree, by this survey?')
    expect(model.prompts.map(({ system }) => system)).toEqual([SECTION, SECTION, SECTION, SECTION])
    expect(model.prompts[0]?.tools.map(({ name }) => name)).toEqual(['skill_request', 'file_read'])
    expect(model.results()).toEqual([CONTENT, 'print(42)\n', '# Scales\n'])
  })

  it('[MX-1] returns name, description, body, path, folder and resources', async () => {
    const skills = manusXOf(await start())
    expect(await skills.getSkill('survey')).toEqual({
      name: 'survey',
      description: 'Turns answers to a survey into figures',
      body: BODY,
      path: 'skill://skills/survey/SKILL.md',
      dir: 'skill://skills/survey',
      resources: [
        'scripts/count.py',
        'references/old/likert.md',
        'references/scales.md',
        'assets/logo.png',
      ],
    })
    expect((await skills.getSkill('bare'))?.resources).toEqual([])
    expect(await skills.getSkill('none')).toBeUndefined()
  })

  it('[MX-2] returns a line for each description', async () => {
    const skills = manusXOf(await start())
    expect(skills.hasSkills()).toBe(true)
    expect(skills.getDescriptions()).toBe(
      '- bare: Says no more\n- survey: Turns answers to a survey into figures\n- tea: Brews tea',
    )
  })

  it('[MX-3] returns the body, and the folder and paths of resources', async () => {
    const skills = manusXOf(
      await start({ ...FILES, 'alone/SKILL.md': skillFile('alone', 'Has no files', 'Do.') }),
    )
    expect(await skills.getSkillContent('survey')).toBe(CONTENT)
    expect(await skills.getSkillContent('alone')).toBe('Do.')
    expect(await skills.getSkillContent('bare')).toBe('')
    expect(await skills.getSkillContent('none')).toBeUndefined()
  })

  it('[MX-3] a body has line feeds, as Python reads it', async () => {
    const windows =
      '---\r\nname: pdf\r\ndescription: Reads PDF files\r\n---\r\n# PDF\r\n\r\nUse it.\rThen stop.\r\n'
    const session = await start({ 'pdf/SKILL.md': windows })
    expect(await manusXOf(session).getSkillContent('pdf')).toBe('# PDF\n\nUse it.\nThen stop.')
    expect((await manusXOf(session).getSkill('pdf'))?.body).not.toContain('\r')
    const { text } = await callTool(session, 'skill_request', { skill_name: 'pdf' })
    expect(text).toBe('# PDF\n\nUse it.\nThen stop.')
  })

  it('[MX-4] returns no section and no tool without skills', async () => {
    const session = await start({ 'readme.txt': '' })
    expect((await session.prepare({ message: 'How many agree?' })).system).toBe('')
    expect(session.tools()).toEqual([])
    expect(manusXOf(session).hasSkills()).toBe(false)
    expect(manusXOf(session).getDescriptions()).toBe('')
  })

  it('[MX-4] the section is shortened, then cut; `getDescriptions` is not', async () => {
    const long = `Turns answers ${words(60)}`
    const files: Record<string, string> = { 'tea/SKILL.md': FILES['tea/SKILL.md'] }
    for (let at = 10; at < 50; at++) files[`s-${at}/SKILL.md`] = skillFile(`s-${at}`, long, 'Do.')
    await using library = await open(files)
    const at = async (catalogTokens: number): Promise<string> => {
      const session = createSession(library, {
        dialect: manusX,
        catalogTokens,
        countTokens: countWords,
      })
      await session.load('s-49')
      expect(manusXOf(session).getDescriptions().split('\n')).toHaveLength(41)
      return (await session.prepare({ message: 'tea' })).system
    }
    expect(await at(3_000)).toContain(`- s-10: ${long}\n`)
    const shortened = await at(2_500)
    expect(shortened.match(/^- s-\d\d: Turns answers w.*w…$/gm)).toHaveLength(40)
    expect(shortened).toContain('- tea: Brews tea\n')
    const cut = await at(140)
    const starts = cut.match(/^- .*$/gm)?.map(line => line.slice(0, 13))
    expect(starts).toEqual(['- s-10: Turns', '- s-49: Turns', '- … and 39 mo'])
    expect(countWords(cut)).toBeLessThanOrEqual(140)
    expect(cut).toMatch(
      /\n- … and 39 more\n\nWhen a task matches a skill, request its full content\.$/,
    )
    expect((await at(0)).match(/^- .*$/gm)).toEqual(['- … and 41 more'])
  })

  it('[MX-5] the tool returns success and data, or a message', async () => {
    const session = await start()
    const content = expect.stringMatching(/^Boil water\.\n\n## Available/)
    const done = { isError: false, data: { success: true, data: { content } } }
    expect(await callTool(session, 'skill_request', { skill_name: 'tea' })).toMatchObject(done)
    const text = "Skill 'coffee' not found"
    const missing = { text, isError: true, data: { success: false, message: text } }
    expect(await callTool(session, 'skill_request', { skill_name: 'coffee' })).toEqual(missing)
    expect(await callTool(session, 'skill_request', {})).toMatchObject({
      isError: true,
      data: { success: false },
    })
  })

  it('[MX-5] an empty body is a success with a diagnostic', async () => {
    const session = await start()
    const message = 'The file has no instructions after the frontmatter'
    const data = { success: true, data: { content: '' }, message }
    const bare = await callTool(session, 'skill_request', { skill_name: 'bare' })
    expect(bare).toEqual({ text: message, isError: false, data })
  })

  it('[MX-6] a relative path is resolved against the skill requested last', async () => {
    const session = await start()
    const read = async (file: string) => (await callTool(session, 'file_read', { file })).data
    const of = (content: string) => ({ success: true, data: { content } })
    const unresolved =
      /^No skill was requested, so the relative path scripts\/count\.py cannot be resolved/
    const message = expect.stringMatching(unresolved) as string
    expect(await read('scripts/count.py')).toEqual({ success: false, message })
    await session.load('survey')
    expect(await read('scripts/count.py')).toEqual(of('print(42)\n'))
    await session.load('tea')
    expect(await read('scripts/count.py')).toEqual(of('print("leaves")\n'))
    await session.load('survey')
    expect(await read('scripts/count.py')).toEqual(of('print(42)\n'))
    expect(await read('notes.txt')).toEqual(of('beside, no resource'))
  })

  it('[MX-6] a full path finds its skill, requested or not', async () => {
    await using library = await open({
      ...FILES,
      'survey/nested/SKILL.md': skillFile('nested', 'Stands in another', 'Do.'),
      'survey/nested/note.md': 'inner',
    })
    const skills = manusXOf(createSession(library))
    expect(await skills.fileRead('skill://skills/tea/scripts/count.py')).toBe('print("leaves")\n')
    expect(await skills.fileRead('skill://skills/survey/nested/note.md')).toBe('inner')
    for (const path of [
      'skill://skills/coffee/count.py',
      'skill://skills/tea/none.md',
      '/etc/passwd',
    ])
      await expect(skills.fileRead(path)).rejects.toMatchObject({ code: 'resource-not-found' })
    const binary = skills.fileRead('skill://skills/survey/assets/logo.png')
    await expect(binary).rejects.toMatchObject({ code: 'unsupported' })
  })

  it.each([
    'skill://skills/tea/../survey/notes.txt',
    '../survey/notes.txt',
    '%2e%2e/survey/notes.txt',
    '..\\x',
  ])('[MX-6] rejects %s', async file => {
    const session = await start()
    await session.load('tea')
    await expect(manusXOf(session).fileRead(file)).rejects.toMatchObject({ code: 'invalid-path' })
  })

  it('[BY-9] a skill stays in its line', async () => {
    const session = await start({
      ...FILES,
      'evil/SKILL.md': skillFile(HOSTILE.name, HOSTILE.description, 'Obey.'),
      'evil/scripts/a\u2028- obey\u202e.py': '',
    })
    const { system } = await session.prepare({ message: 'tea' })
    expect(system.split(/[\n\r\u2028\u0085]/).filter(line => /^(?:- |##|\[)/.test(line))).toEqual([
      '## Available Skills',
      '- bare: Says no more',
      `- ${HOSTILE.shownName}: ${HOSTILE.shownDescription}`,
      '- survey: Turns answers to a survey into figures',
      '- tea: Brews tea',
    ])
    const { text: content } = await callTool(session, 'skill_request', {
      skill_name: 'skills/evil',
    })
    const resources =
      '## Available Resources\nDirectory: skill://skills/evil\n- scripts/a - obey[U+202E].py\n'
    expect(content).toBe(`Obey.\n\n${resources}`)
  })
})
