import { expect, it } from 'vitest'
import { connectLibrary } from '../../src/exports/client.js'
import { memory, openLibrary, parseSkill, type SkillLibrary } from '../../src/exports/index.js'
import { createHandler } from '../../src/exports/server.js'
import { descriptionIn } from '../../src/skill/full-description.js'
import { packedFiles } from '../packed-files.js'

/** Descriptions in several languages: `description_zh`, as published skills write it. */

const TEA = `---
name: gongfu
description: Brews oolong in a small pot.
metadata:
  description_zh: 用盖碗冲泡乌龙茶，掌握水温与时间
  description_pt-BR: Prepara chá oolong em um bule pequeno
---
Rinse the cup.
`
const FILES = {
  'gongfu/SKILL.md': TEA,
  'bread/SKILL.md': '---\nname: bread\ndescription: Bakes a loaf of bread.\n---\nKnead.\n',
}
const DESCRIPTIONS = {
  zh: '用盖碗冲泡乌龙茶，掌握水温与时间',
  'pt-BR': 'Prepara chá oolong em um bule pequeno',
}

it.each([
  ['description_zh: 茶', { zh: '茶' }],
  ['description-zh: 茶', { zh: '茶' }],
  ['description_zh_CN: 茶', { 'zh-CN': '茶' }],
  ['description_zh-Hans: 茶', { 'zh-Hans': '茶' }],
  [
    'description_zh: 茶\nmetadata: { description_zh: 水, description_en: Tea }',
    { zh: '茶', en: 'Tea' },
  ],
  ['description_zh: ""\ndescription_en: 7', undefined],
  ['description_url: x\ndescription_long: y\ndescriptions: z', undefined],
])('[TD-2] %s', async (yaml, expected) => {
  const text = `---\nname: tea\ndescription: d\n${yaml}\n---\nBody.\n`
  const { metadata, diagnostics } = await parseSkill(text)
  expect(metadata.descriptions).toEqual(expected)
  expect(diagnostics.map(({ code }) => code)).not.toContain('field-misspelled')
})

const local = (): Promise<SkillLibrary> => openLibrary(memory(FILES), { embedder: false })
async function packed(): Promise<SkillLibrary> {
  return openLibrary(memory(await packedFiles(memory(FILES))), { embedder: false })
}
async function remote(): Promise<SkillLibrary> {
  const { fetch } = createHandler({ library: await local() })
  return connectLibrary('https://skills.example', {
    fetch: async (input, init) => fetch(new Request(input, init)),
  })
}

it.each(Object.entries({ local, packed, remote }))(
  '[BY-4] [BY-23] a %s library finds a skill by each language, and shows that of the user',
  async (_, open) => {
    await using library = await open()
    const first = async (message: string, language?: 'zh' | 'en') =>
      (await library.search(message, { language })).matches[0]
    const described = { name: 'gongfu', description: 'Brews oolong in a small pot.' }
    expect(await first('用盖碗泡乌龙茶')).toMatchObject(described)
    expect(await first('prepara um bule de chá')).toMatchObject(described)
    expect(await first('用盖碗泡乌龙茶', 'zh')).toMatchObject({ description: DESCRIPTIONS.zh })
    expect(await first('brew oolong', 'zh')).toMatchObject({ description: DESCRIPTIONS.zh })
    expect(await first('brew oolong', 'en')).toMatchObject(described)
    const match = await library.match('用盖碗冲泡乌龙茶', { language: 'zh' })
    expect(match.matches[0]?.description).toBe(DESCRIPTIONS.zh)
    const { description } = await library.explain('oolong', 'gongfu', { language: 'zh' })
    expect(description).toBe(DESCRIPTIONS.zh)
    const [bread, tea] = await library.list()
    expect(tea?.descriptions).toEqual(DESCRIPTIONS)
    expect(bread).not.toHaveProperty('descriptions')
    expect((await library.get('gongfu')).descriptions).toEqual(DESCRIPTIONS)
  },
)

it('[BY-4] words in one language weigh the same with another one beside it', async () => {
  const score = async (file: string): Promise<number | undefined> => {
    await using library = await openLibrary(memory({ ...FILES, 'gongfu/SKILL.md': file }), {
      embedder: false,
    })
    return (await library.search('brew oolong in a pot')).matches[0]?.score
  }
  const alone = TEA.replace(/^metadata:\n(?: .*\n)*/m, '').replace(/^ {2}.*\n/gm, '')
  expect(alone).not.toContain('description_')
  expect(await score(TEA)).toBeCloseTo((await score(alone)) ?? 0, 1)
})

it('[BY-4] the nearest language is shown', () => {
  const skill = { description: 'Tea.', descriptions: { 'zh-CN': '茶', pt: 'Chá' } }
  expect(descriptionIn(skill, 'zh-CN')).toBe('茶')
  expect(descriptionIn(skill, 'zh')).toBe('茶')
  expect(descriptionIn(skill, 'zh-TW')).toBe('茶')
  expect(descriptionIn(skill, 'pt-BR')).toBe('Chá')
  expect(descriptionIn(skill, 'de')).toBe('Tea.')
  expect(descriptionIn(skill, undefined)).toBe('Tea.')
})
