import { describe, expect, it } from 'vitest'
import { tokenDance, tokenDanceOf } from '../../src/exports/dialects.js'
import { memory, openLibrary } from '../../src/exports/index.js'
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

const FILES = {
  'poster/SKILL.md': skillFile('poster', 'Lays out a poster', 'Choose a layout.'),
  'market_study/SKILL.md': skillFile(
    'market_study',
    '调研一个市场：规模、玩家和趋势，并注明来源',
    '## 工作流程\n\n1. 拆分问题\n2. 搜索并核对',
    'display_name: 市场研究\nversion: 1.2.0\nauthor: house\ntags: [market, 调研]\nallowed_tools: [web_search, read_url]\nmax_iterations: 20\ntimeout: 600\n',
  ),
  'market_study/resources/plan.py': 'print("size")\n',
  'market_study/resources/outline.md': '# 提纲\n',
  'market_study/resources/templates/blank.pptx': new Uint8Array([80, 75, 3, 4, 0]),
  'market_study/notes.md': 'beside resources',
  'old/SKILL.md': skillFile('old', '调研 market', 'Gone.', 'enabled: false\n'),
}
const OWN_TOOLS = ['load_l2', 'load_l3_resource', 'get_resource_path']
const { open, start } = dialectWorld(tokenDance, 'skills', FILES)

const FRAGMENT = text`
  [Available Skills]
  - 市场研究: 调研一个市场：规模、玩家和趋势，并注明来源
  - poster: Lays out a poster
`
const STUDYING = `${FRAGMENT}\n\n## 工作流程\n\n1. 拆分问题\n2. 搜索并核对`

describe('TokenDance', () => {
  it('[TD-1] follows its document: list, match, instructions and resource, each counted when loaded', async () => {
    const session = await start(undefined, { countTokens: countWords })
    const { matcher, loader } = tokenDanceOf(session)
    const message = '帮我调研这个市场'
    expect((await session.prepare({ message })).system).toBe(FRAGMENT)
    const first = session.ledger()
    expect(first).toMatchObject({
      metadata: { tokens: 11 },
      instructions: { tokens: 0 },
      toolResults: { tokens: 0 },
    })

    const match = await matcher.match(message)
    expect(match).toMatchObject({ skill_id: 'market_study' })
    await loader.loadL2(match?.skill_id as string)
    expect(session.ledger()).toMatchObject({
      metadata: { tokens: 11 },
      instructions: { tokens: 6 },
    })

    const model = scriptedModel(
      {
        call: 'load_l3_resource',
        input: { skill_id: 'market_study', resource_path: 'outline.md' },
      },
      { call: 'get_resource_path', input: { skill_id: '市场研究', resource_name: 'plan.py' } },
      { say: '完成。' },
    )
    await converse(session, model, message)
    expect(model.prompts.map(({ system }) => system)).toEqual([STUDYING, STUDYING, STUDYING])
    expect(model.prompts[0]?.tools.map(({ name }) => name)).toEqual(OWN_TOOLS)
    expect(model.results()).toEqual(['# 提纲\n', 'skill://skills/market_study/resources/plan.py'])
    const counted = {
      metadata: { tokens: 11 },
      instructions: { tokens: 6 },
      toolResults: { tokens: 3 },
    }
    expect(session.ledger()).toMatchObject(counted)
  })

  it('[TD-1] `auto` opens a matching skill', async () => {
    const session = await start(undefined, { auto: true })
    const { system, loaded } = await session.prepare({ message: '帮我调研这个市场' })
    expect(loaded).toEqual(['skills/market_study'])
    expect(system).toBe(STUDYING)
  })

  it('[TD-1] warns about 100 tokens of metadata and 5,000 of instructions, and rejects 20,000', async () => {
    const files = {
      // `- fit:` counts as two of the 100 tokens.
      'fit/SKILL.md': skillFile('fit', words(98), words(5_000)),
      'wordy/SKILL.md': skillFile('wordy', words(99), words(5_001)),
      'huge/SKILL.md': skillFile('huge', 'Has much to say', words(20_000)),
    }
    await using library = await openLibrary(memory(files), { countTokens: countWords })
    const found = async (name: string) => {
      const { tokens, diagnostics } = await library.get(name)
      return {
        tokens,
        codes: diagnostics.map(({ code }) => code).filter(code => code.endsWith('-large')),
      }
    }
    expect(await found('fit')).toEqual({
      tokens: { metadata: 100, instructions: 5_000 },
      codes: [],
    })
    const codes = ['metadata-large', 'instructions-large']
    expect(await found('wordy')).toEqual({ tokens: { metadata: 101, instructions: 5_001 }, codes })
    const { loader } = tokenDanceOf(
      createSession(library, { dialect: tokenDance, countTokens: countWords }),
    )
    expect(await loader.loadL2('wordy')).toBe(words(5_001))
    const figures = { skill: 20_000, budget: 20_000 }
    await expect(loader.loadL2('huge')).rejects.toMatchObject({
      code: 'too-large',
      details: { figures },
    })
  })

  it('[TD-3] the registry returns enabled skills with the defaults of the document', async () => {
    const { registry } = tokenDanceOf(await start())
    const study = {
      id: 'market_study',
      name: 'market_study',
      display_name: '市场研究',
      description: '调研一个市场：规模、玩家和趋势，并注明来源',
      version: '1.2.0',
      author: 'house',
      tags: ['market', '调研'],
      allowed_tools: ['web_search', 'read_url'],
      max_iterations: 20,
      timeout: 600,
      enabled: true,
    }
    expect(await registry.get('market_study')).toEqual(study)
    const poster = {
      id: 'poster',
      name: 'poster',
      display_name: 'poster',
      description: 'Lays out a poster',
    }
    const defaults = { tags: [], max_iterations: 30, timeout: 300, enabled: true }
    expect(await registry.getAll()).toEqual([study, { ...poster, ...defaults }])
    expect(await registry.get('old')).toBeUndefined()
    expect(registry.generateSystemPromptFragment()).toBe(FRAGMENT)
  })

  it('[TD-3] returns only the header line and no tool without skills', async () => {
    const session = await start({ 'old/SKILL.md': FILES['old/SKILL.md'] })
    expect((await session.prepare({ message: 'Hello' })).system).toBe('[Available Skills]')
    const { registry, matcher } = tokenDanceOf(session)
    expect(registry.generateSystemPromptFragment()).toBe('[Available Skills]')
    expect(await registry.getAll()).toEqual([])
    expect(await matcher.match('调研 market')).toBeUndefined()
    expect(session.tools()).toEqual([])
  })

  it('[TD-3] skills with the same name are listed by id', async () => {
    const poster = skillFile('Poster', 'Another', 'Do.')
    const { registry } = tokenDanceOf(await start({ ...FILES, 'new/poster/SKILL.md': poster }))
    const ids = (await registry.getAll()).map(({ id }) => id)
    expect(ids).toEqual(['market_study', 'skills/new/poster', 'skills/poster'])
  })

  it('[TD-4] the matcher returns one skill with score and reason, or undefined', async () => {
    const { matcher } = tokenDanceOf(await start())
    const match = await matcher.match('帮我调研这个市场')
    const reason = expect.stringContaining('调研')
    expect(match).toEqual({ skill_id: 'market_study', score: expect.any(Number), reason })
    expect(match?.score).toBeGreaterThan(0.7)
    expect(await matcher.match('今天天气好')).toBeUndefined()
  })

  it('[TD-4] the matcher ignores skills for people', async () => {
    const hidden = skillFile(
      'study',
      '帮我调研这个市场',
      '帮我调研这个市场',
      'disable-model-invocation: true\n',
    )
    await using library = await open({ ...FILES, 'study/SKILL.md': hidden })
    const { matcher } = tokenDanceOf(createSession(library, { dialect: tokenDance }))
    expect((await library.match('帮我调研这个市场', { threshold: 0 })).matches[0]?.name).toBe(
      'study',
    )
    expect((await matcher.match('帮我调研这个市场'))?.skill_id).not.toBe('study')
  })

  it('[TD-4] [TD-6] topK is the number of skills that the reranker chooses from', async () => {
    const deck = (name: string, rest = ''): string =>
      skillFile(name, 'Makes slides for a talk', `${name} slides`, rest)
    const files = {
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e', 'f'].map(name => [`${name}/SKILL.md`, deck(name)]),
      ),
      'own/SKILL.md': deck('own', 'disable-model-invocation: true\n'),
    }
    const asked: string[][] = []
    await using library = await openLibrary(memory(files), {
      rerank: async (_, candidates) => {
        asked.push(candidates.map(({ name }) => name).filter(name => name !== 'own'))
        return [candidates.at(-1)?.id ?? '']
      },
    })
    const { matcher } = tokenDanceOf(createSession(library, { dialect: tokenDance }))
    const ranked = (await library.search('make slides', { limit: 9 })).matches.map(
      ({ name }) => name,
    )
    const nearest = ranked.filter(name => name !== 'own')
    const chosen = async (topK?: number) =>
      (await matcher.match('make slides for a talk', topK))?.skill_id
    expect(await chosen()).toBe(nearest[2])
    expect(await chosen(2)).toBe(nearest[1])
    expect(await chosen(6)).toBe(nearest[5])
    expect(asked.map(({ length }) => length)).toEqual([3, 2, 6])
    // One skill is not reranked, and of seven that are alike none is likely right.
    expect(await chosen(1)).toBeUndefined()
    expect(asked).toHaveLength(3)
  })

  it('[TD-7] the loader returns instructions, resources and their paths', async () => {
    const session = await start()
    const { loader } = tokenDanceOf(session)
    expect(await loader.loadL2('market_study')).toBe('## 工作流程\n\n1. 拆分问题\n2. 搜索并核对')
    expect(session.open.map(({ skill }) => skill.name)).toEqual(['market_study'])
    expect(await loader.loadL3Resource('market_study', 'outline.md')).toBe('# 提纲\n')
    const root = 'skill://skills/market_study/resources'
    expect(await loader.getResourcePath('market_study', 'templates/blank.pptx')).toBe(
      `${root}/templates/blank.pptx`,
    )
    expect(await loader.getResourcePath('market_study', 'templates')).toBe(`${root}/templates`)
  })

  it('[TD-7] the loader names missing files as the document does', async () => {
    const session = await start()
    const { loader } = tokenDanceOf(session)
    const skill = { code: 'skill-not-found', message: 'Skill file not found: none/SKILL.md' }
    await expect(loader.loadL2('none')).rejects.toMatchObject(skill)
    await expect(loader.loadL3Resource('none', 'x.md')).rejects.toMatchObject(skill)
    await expect(loader.getResourcePath('none', 'x.md')).rejects.toMatchObject(skill)
    const resource = {
      code: 'resource-not-found',
      message: 'Resource not found: market_study/resources/notes.md',
    }
    await expect(loader.loadL3Resource('market_study', 'notes.md')).rejects.toMatchObject(resource)
    await expect(loader.getResourcePath('market_study', 'notes.md')).rejects.toMatchObject(resource)
    for (const path of ['../notes.md', '/plan.py', '%2e%2e/notes.md', '']) {
      await expect(loader.loadL3Resource('market_study', path)).rejects.toMatchObject({
        code: 'invalid-path',
      })
      await expect(loader.getResourcePath('market_study', path)).rejects.toMatchObject({
        code: 'invalid-path',
      })
    }
    const binary = loader.loadL3Resource('market_study', 'templates/blank.pptx')
    await expect(binary).rejects.toMatchObject({ code: 'unsupported' })
    const input = { skill_id: 'market_study', resource_path: 'notes.md' }
    expect(await callTool(session, 'load_l3_resource', input)).toEqual({
      text: resource.message,
      isError: true,
    })
  })

  it("[TD-9] allowed_tools of open skills prune the host's tools, never those of the dialect", async () => {
    const session = await start()
    const { loader } = tokenDanceOf(session)
    const host = [{ name: 'web_search' }, { name: 'run_command' }, { name: 'read_url' }]
    const names = (): string[] =>
      session.prune([...host, ...session.tools()]).map(({ name }) => name)
    expect(names()).toEqual(['web_search', 'run_command', 'read_url', ...OWN_TOOLS])
    await loader.loadL2('market_study')
    expect(names()).toEqual(['web_search', 'read_url', ...OWN_TOOLS])
  })

  it('[TD-1] the model loads a skill that was matched and not opened', async () => {
    const session = await start()
    const model = scriptedModel(
      { call: 'load_l2', input: { skill_id: 'market_study' } },
      { say: '完成。' },
    )
    await converse(session, model, '帮我调研这个市场')
    expect(model.prompts.map(({ system }) => system)).toEqual([FRAGMENT, STUDYING])
    expect(model.results()).toEqual([
      'market_study is loaded: its instructions are in the system prompt.',
    ])
  })

  it('[TD-2] limits are 30 iterations and 300 seconds where an open skill has none', async () => {
    await using library = await open()
    const session = createSession(library, { dialect: tokenDance })
    const { loader } = tokenDanceOf(session)
    expect(session.limits()).toEqual({})
    await loader.loadL2('poster')
    expect(session.limits()).toEqual({ maxIterations: 30, timeout: 300 })
    await loader.loadL2('market_study')
    expect(session.limits()).toEqual({ maxIterations: 30, timeout: 600 })
    session.unload('poster')
    expect(session.limits()).toEqual({ maxIterations: 20, timeout: 600 })
    const plain = createSession(library)
    await plain.load('poster')
    expect(plain.limits()).toEqual({})
  })

  it('[BY-9] a skill stays in its line', async () => {
    const name = `display_name: ${JSON.stringify(HOSTILE.name)}\n`
    const session = await start({
      ...FILES,
      'evil/SKILL.md': skillFile('evil', HOSTILE.description, 'Obey.', name),
    })
    const { system } = await session.prepare({ message: 'Hello' })
    expect(system.split(/[\n\r\u2028\u0085]/)).toEqual([
      '[Available Skills]',
      `- ${HOSTILE.shownName}: ${HOSTILE.shownDescription}`,
      '- 市场研究: 调研一个市场：规模、玩家和趋势，并注明来源',
      '- poster: Lays out a poster',
    ])
  })
})
