import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundled } from '../../src/embed/bundled/node.js'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { directory } from '../../src/source/directory/directory.js'

const samples = fileURLToPath(new URL('../../demo/skills', import.meta.url))

describe('the bundled model', () => {
  let library: SkillLibrary
  beforeAll(async () => {
    library = await openLibrary(directory(samples), { embedder: bundled() })
  })
  afterAll(() => library.close())

  it.each([
    ['帮我调研AI市场', 'deep_research'],
    ['帮我调研AI Agent市场', 'deep_research'],
    ['帮我做一个PPT', 'ppt'],
  ])('[TD-5] [BY-1] %s finds %s, above 0.7', async (message, name) => {
    const { matches } = await library.match(message)
    expect(matches[0]?.name).toBe(name)
  })

  it.each([
    ['帮我提取 PDF 中的表格', 'pdf'],
    ['我想订一张去东京的机票', 'book-flight'],
  ])('[TD-5] [BY-1] "%s" ranks %s first, which is described in English', async (message, name) => {
    const { matches } = await library.search(message)
    expect(matches[0]?.name).toBe(name)
  })

  it.each(['给我讲个笑话', 'tell me a joke', '今天天气怎么样', 'How tall is Mount Everest?'])(
    '[TD-5] [BY-2] %s is under 0.7',
    async message => {
      const { matches } = await library.match(message)
      expect(matches).toEqual([])
    },
  )
})
