import { describe, expect, it } from 'vitest'
import { agentCore, agentCoreOf } from '../../src/exports/dialects.js'
import { type LocalLibrary, memory, openLibrary } from '../../src/exports/index.js'
import {
  callTool,
  createSession,
  type Session,
  type SessionOptions,
} from '../../src/exports/session.js'
import {
  converse,
  countWords,
  HOSTILE,
  scriptedModel,
  skillFile,
  text,
  words,
} from './dialect-world.js'

const FILES = {
  'environments/office/skills/mail-merge/skill.md': skillFile(
    'Mail Merge',
    'Writes one letter to many',
    '\n\n# Merge\n',
  ),
  'environments/office/skills/tea/skill.md': skillFile('Tea', 'Brews tea', 'Boil water.'),
  'environments/lab/skills/titrate/skill.md': skillFile(
    'Titration',
    'Finds a concentration',
    'Add drops.',
  ),
  'environments/bare/readme.txt': 'nothing yet',
}
const open = (files: Record<string, string> = FILES): Promise<LocalLibrary> =>
  openLibrary(memory(files, { name: 'core' }), { environment: 'office' })
const start = async (files?: Record<string, string>, options?: SessionOptions): Promise<Session> =>
  createSession(await open(files), { dialect: agentCore, ...options })
const ask = async (session: Session, skill: string) =>
  (await callTool(session, 'skill', { skill })).text
const described = (session: Session): string | undefined => session.tools()[0]?.description

const OFFICE = text`
  Execute a skill. Available skills:
  - Mail Merge: Writes one letter to many
  - Tea: Brews tea
`

describe('agent-core', () => {
  it('[AC-3] follows its document: one tool lists the skills and opens one by id or name', async () => {
    const session = await start()
    const model = scriptedModel(
      { call: 'skill', input: { skill: 'mail-merge' } },
      { call: 'skill', input: { skill: 'Tea' } },
      { call: 'skill', input: { skill: 'coffee' } },
      { say: 'Merged.' },
    )
    await converse(session, model, 'Write to all of them')
    expect(model.prompts.map(({ system }) => system)).toEqual(['', '', '', ''])
    const tools = [{ name: 'skill', description: OFFICE }]
    expect(model.prompts.map(({ tools }) => tools)).toEqual([tools, tools, tools, tools])
    const missing = 'Skill not found: coffee. Available skills: mail-merge, tea'
    expect(model.results()).toEqual(['# Merge', 'Boil water.', missing])
  })

  it('[AC-3] the tool has one parameter and returns success, output and error', async () => {
    const session = await start()
    const properties = { skill: { type: 'string', description: 'The skill ID to execute' } }
    expect(session.tools()[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties,
      required: ['skill'],
    })
    const data = { success: true, output: '# Merge' }
    const merge = await callTool(session, 'skill', { skill: 'mail-merge' })
    expect(merge).toEqual({ text: '# Merge', isError: false, data })
    const error = 'Skill not found: x. Available skills: mail-merge, tea'
    const missing = await callTool(session, 'skill', { skill: 'x' })
    expect(missing).toEqual({
      text: error,
      isError: true,
      data: { success: false, output: '', error },
    })
    expect(await callTool(session, 'skill', {})).toMatchObject({
      isError: true,
      data: { success: false, output: '' },
    })
  })

  it('[AC-3] ids take precedence over names, and folders with the same name get full ids', async () => {
    const session = await start({
      'a/skills/tea/skill.md': skillFile('Coffee', 'One', 'By folder.'),
      'a/skills/other/skill.md': skillFile('tea', 'Two', 'By name.'),
      'b/skills/same/skill.md': skillFile('First', 'Three', 'b'),
      'c/skills/same/skill.md': skillFile('Second', 'Four', 'c'),
    })
    expect(await ask(session, 'tea')).toBe('By folder.')
    expect(await ask(session, 'COFFEE')).toBe('By folder.')
    expect(await ask(session, 'second')).toBe('c')
    const both = 'core/b/skills/same, core/c/skills/same'
    expect(await ask(session, 'x')).toBe(
      `Skill not found: x. Available skills: other, tea, ${both}`,
    )
    const ambiguous = { text: expect.stringContaining(both) as string, isError: true }
    expect(await callTool(session, 'skill', { skill: 'same' })).toMatchObject(ambiguous)
    expect(await ask(session, 'core/b/skills/same')).toBe('b')
  })

  it('[AC-3] a skill that is gone since it was listed returns an error result', async () => {
    const source = memory(FILES, { name: 'core' })
    await using library = await openLibrary(source, { environment: 'office' })
    const session = createSession(library, { dialect: agentCore })
    await source.write({ remove: ['environments/office/skills/tea/skill.md'] })
    const error = 'Skill not found: tea. Available skills: mail-merge'
    expect(await callTool(session, 'skill', { skill: 'tea' })).toMatchObject({
      isError: true,
      data: { error },
    })
    expect((await agentCoreOf(session).listSkills()).map(({ id }) => id)).toEqual(['mail-merge'])
  })

  it('[AC-2] returns skills with id, name and path, and a line for each description', async () => {
    await using library = await open()
    const environment = agentCoreOf(createSession(library, { dialect: agentCore }))
    const path = (id: string) => `skill://core/environments/office/skills/${id}/skill.md`
    const merge = { id: 'mail-merge', name: 'Mail Merge', description: 'Writes one letter to many' }
    const info = { ...merge, path: path('mail-merge') }
    const tea = { id: 'tea', name: 'Tea', description: 'Brews tea', path: path('tea') }
    expect(await environment.listSkills()).toEqual([info, tea])
    expect(await environment.getSkill('mail-merge')).toEqual(info)
    expect(await environment.getSkill('Mail Merge')).toEqual(info)
    expect(await environment.getSkill('coffee')).toBeUndefined()
    const lines = '- Mail Merge: Writes one letter to many\n- Tea: Brews tea'
    expect(environment.getSkillsInfoForToolDescription()).toBe(lines)
  })

  it('[OS-9] [AC-2] skills without a name or description are not listed but open by folder', async () => {
    const mute = '---\nname: Mute\n---\nBrews coffee.\n'
    const session = await start({
      ...FILES,
      'bare/skill.md': '# Coffee\n\nBrews coffee.\n',
      'mute/skill.md': mute,
    })
    expect(described(session)).toBe(OFFICE)
    expect((await agentCoreOf(session).listSkills()).map(({ id }) => id)).toEqual([
      'mail-merge',
      'tea',
    ])
    expect(await ask(session, 'mute')).toBe('Brews coffee.')
  })

  it('[AC-4] list, description and errors follow the environment', async () => {
    await using library = await open()
    const session = createSession(library, { dialect: agentCore })
    const environment = agentCoreOf(session)
    const [held] = session.tools()
    await library.use('lab')
    const lab = 'Execute a skill. Available skills:\n- Titration: Finds a concentration'
    expect(described(session)).toBe(lab)
    expect(held?.description).toBe(lab)
    expect((await environment.listSkills()).map(({ id }) => id)).toEqual(['titrate'])
    expect(await environment.getSkill('tea')).toBeUndefined()
    expect(await ask(session, 'tea')).toBe('Skill not found: tea. Available skills: titrate')
    for (const name of ['bare', 'nowhere']) {
      await library.use(name)
      expect(session.tools()).toEqual([])
      expect(await environment.listSkills()).toEqual([])
      expect(environment.getSkillsInfoForToolDescription()).toBe('')
    }
    await library.use('office')
    expect(described(session)).toBe(OFFICE)
  })

  it('[AC-6] each query sees the current skills', async () => {
    const files = memory(FILES, { name: 'core' })
    await using library = await openLibrary(files, { environment: 'office' })
    const session = createSession(library, { dialect: agentCore })
    const [held] = session.tools()
    expect(held?.description).toBe(OFFICE)
    await files.write({
      put: {
        'environments/office/skills/scan/skill.md': skillFile('Scan', 'Reads paper', 'Press.'),
      },
      remove: ['environments/office/skills/tea/skill.md'],
    })
    await library.refresh()
    const model = scriptedModel({ call: 'skill', input: { skill: 'scan' } }, { say: 'Read.' })
    await converse(session, model, 'Read this paper')
    const now =
      'Execute a skill. Available skills:\n- Mail Merge: Writes one letter to many\n- Scan: Reads paper'
    expect(model.prompts[0]?.tools).toEqual([{ name: 'skill', description: now }])
    expect(held?.description).toBe(now)
    expect(model.results()[0]).toBe('Press.')
  })

  it('[AC-3] the description stays within `catalogTokens`', async () => {
    const long = words(200)
    const files = { ...FILES, 'long/skill.md': skillFile('Long', long, 'Do.') }
    const session = await start(files, { catalogTokens: 100, countTokens: countWords })
    expect(described(session)).toMatch(/^- Long: w [w ]+w…$/m)
    expect(agentCoreOf(session).getSkillsInfoForToolDescription()).toContain(`- Long: ${long}`)
  })

  it('[BY-9] a skill stays in its line', async () => {
    const session = await start({
      ...FILES,
      'evil/skill.md': skillFile(HOSTILE.name, HOSTILE.description, 'Obey.'),
      'evil\u2028, root/skill.md': skillFile('Folder', 'Its folder speaks', 'Obey.'),
    })
    expect(described(session)?.split(/[\n\r\u2028\u0085]/)).toEqual([
      'Execute a skill. Available skills:',
      '- Mail Merge: Writes one letter to many',
      '- Tea: Brews tea',
      `- ${HOSTILE.shownName}: ${HOSTILE.shownDescription}`,
      '- Folder: Its folder speaks',
    ])
    expect(await ask(session, 'x')).toBe(
      'Skill not found: x. Available skills: mail-merge, tea, evil, evil , root',
    )
  })
})
