import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** The guides in Chinese follow the English ones. */

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const PAGES = ['index', 'get-started', 'concepts', 'agents', 'authoring']
const textOf = (page: string): string => readFileSync(join(docs, `${page}.md`), 'utf8')
const blocksOf = (page: string): readonly string[] =>
  [...textOf(page).matchAll(/^```[\s\S]*?^```/gm)].map(([block]) => block)
/** The levels of the headings: `['#', '##', …]`. */
const headingsOf = (page: string): readonly string[] =>
  [
    ...textOf(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^(#+) /gm),
  ].map(([, level = '']) => level)

/** What each section has, without its words. */
const sectionsOf = (page: string) =>
  textOf(page)
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/^#+ .*$/m)
    .map(section => ({
      paragraphs: section.split('\n\n').filter(text => text.trim() !== '').length,
      points: section.match(/^- /gm)?.length ?? 0,
      rows: section.match(/^\|/gm)?.length ?? 0,
      pictures: section.match(/!\[/g)?.length ?? 0,
    }))

it('[CARD-5] the Chinese guides are those that the site lists', () => {
  const files = readdirSync(join(docs, 'zh')).map(file => file.replace(/\.md$/, ''))
  expect(files.sort()).toEqual([...PAGES].sort())
  const config = readFileSync(join(docs, '.vitepress/config.ts'), 'utf8')
  const listed = [...config.matchAll(/link: '\/zh\/([a-z-]+)'/g)].map(([, page = '']) => page)
  expect(new Set(['index', ...listed])).toEqual(new Set(PAGES))
})

describe.each(PAGES)('docs/zh/%s.md', page => {
  it('[CARD-5] has the code of the English page', () => {
    expect(blocksOf(page).length).toBeGreaterThan(0)
    expect(blocksOf(`zh/${page}`)).toEqual(blocksOf(page))
  })

  it('[CARD-5] has its sections', () => {
    expect(headingsOf(`zh/${page}`)).toEqual(headingsOf(page))
  })

  it('[CARD-5] has as many paragraphs, points, rows and pictures in each section', () => {
    expect(sectionsOf(`zh/${page}`)).toEqual(sectionsOf(page))
  })

  it('[CARD-5] shows pictures that exist', () => {
    const shown = [...textOf(`zh/${page}`).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)]
    for (const [, alt, path = ''] of shown) {
      expect(alt).not.toBe('')
      expect(existsSync(join(docs, 'zh', path)), path).toBe(true)
    }
  })
})
