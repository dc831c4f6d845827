import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { llmRerank, type Stages } from '../../src/exports/match.js'
import { bundled } from '../../src/search/model/bundled/package.js'

/**
 * The library of the TokenDance document, with its names, display names and tags and descriptions in our own words, plus
 * two skills with English descriptions.
 */
const skill = (fields: string, body: string): string => `---\n${fields}\n---\n\n${body}\n`
const FILES = {
  'skills/deep_research/SKILL.md': skill(
    `name: deep_research
display_name: 深度研究
description: 深入研究一个主题：从多个来源搜索，聚合信息，为结论回溯引用。可用于市场调研、竞品分析和学术研究。
tags: [research, search, analysis]`,
    '围绕一个主题搜索多个来源，互相印证，写成带引用的研究报告。先拆分问题，再搜索和阅读，最后汇总。',
  ),
  'skills/ppt/SKILL.md': skill(
    `name: ppt
display_name: PPT生成
description: 智能生成演示文稿：套用模板，自动排版，可单页重新生成。
tags: [ppt, slides, presentation]`,
    '从大纲到成品的演示文稿。先列大纲，再选模板，最后逐页生成。',
  ),
  'skills/pdf/SKILL.md': skill(
    `name: pdf
description: Reads PDF files, extracts text and tables from them, merges and splits documents, and fills in forms.`,
    'Find out first whether the file holds text or scanned pages.',
  ),
  'skills/book-flight/SKILL.md': skill(
    `name: book-flight
description: Searches flights between two cities, compares airline fares and departure times, and books a ticket.
tags: [travel, airline]`,
    'Ask for the cities, the day and the number of passengers.',
  ),
}

const open = (stages?: Stages): Promise<SkillLibrary> =>
  openLibrary(FILES, { embedder: bundled(), ...(stages ? { stages } : {}) })

describe('the library of the document', () => {
  let library: SkillLibrary
  beforeAll(async () => {
    library = await open()
  })
  afterAll(() => library.close())

  it.each([
    ['帮我调研AI市场', 'deep_research'],
    ['帮我调研AI Agent市场', 'deep_research'],
    ['帮我做一个PPT', 'ppt'],
  ])('[TD-5] %s finds %s, above 0.7', async (message, name) => {
    const { matches } = await library.match(message)
    expect(matches[0]?.name).toBe(name)
    expect(matches[0]?.score).toBeGreaterThan(0.7)
  })

  it.each([
    ['帮我提取 PDF 中的表格', 'pdf'],
    ['我想订一张去东京的机票', 'book-flight'],
  ])('[TD-5] %s finds %s first, by its English description', async (message, name) => {
    const { matches } = await library.search(message)
    expect(matches[0]?.name).toBe(name)
  })

  it('[TD-5] 给我讲个笑话 is under 0.7 everywhere', async () => {
    const message = '给我讲个笑话'
    for (const { score } of (await library.search(message, { limit: 4 })).matches)
      expect(score).toBeLessThan(0.7)
    expect((await library.match(message)).matches).toEqual([])
  })

  it('[TD-4] keywords alone do not find the test message of the document, the hybrid does', async () => {
    await using keyword = await open('keyword')
    expect((await keyword.match('帮我调研AI市场')).abstained).toBe('no-common-word')
    expect((await keyword.match('帮我做一个PPT')).matches[0]).toMatchObject({ name: 'ppt' })
    expect((await library.match('帮我调研AI市场')).matches[0]).toMatchObject({
      name: 'deep_research',
    })
  })

  it('[TD-4] embeddings alone match across languages', async () => {
    await using embedding = await open('embedding')
    const result = await embedding.search('我想订一张去东京的机票')
    expect(result.model).toMatch(/^embedding\/1 ./)
    expect(result.matches[0]?.name).toBe('book-flight')
    expect((await embedding.search('帮我调研AI市场')).matches[0]?.name).toBe('deep_research')
  })

  it('[TD-6] reranking sends the prompt of the document, and ranks the choice first', async () => {
    const prompts: string[] = []
    const scriptedModel = async (prompt: string): Promise<string> => {
      prompts.push(prompt)
      return prompt.match(/^(\d)\. 深度研究/m)?.[1] ?? ''
    }
    await using reranking = await openLibrary(FILES, {
      embedder: bundled(),
      rerank: llmRerank(scriptedModel),
    })
    const { matches } = await reranking.match('帮我做一个PPT')
    expect(matches[0]).toMatchObject({ name: 'deep_research' })
    expect(matches[0]?.score).toBeGreaterThan(0.7)
    expect(prompts[0]).toMatch(/^User message: "帮我做一个PPT"\n\nAvailable skills:\n1\. PPT生成: /)
  })
})
