import { describe, expect, it } from 'vitest'
import type { SearchResult } from '../../src/exports/index.js'
import {
  type LibraryOptions,
  memory,
  openLibrary,
  type SkillLibrary,
} from '../../src/exports/index.js'
import { toy } from '../toy-model.js'

const skill = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n`

const RESEARCH = 'display_name: 深度研究\ntags: [research, 竞品]\n'
const FILES = {
  'deep_research/SKILL.md': skill('deep_research', '系统调研一个主题', RESEARCH),
  'ppt/SKILL.md': skill(
    'ppt',
    'Makes slides about a market',
    'display_name: PPT生成\ntags: [ppt, deck]\n',
  ),
  'travel/SKILL.md': skill('travel', 'Books an airline seat', 'tags: [art, flight]\n'),
  'hidden/SKILL.md': skill('hidden', 'Never found', 'tags: [deck]\nenabled: false\n'),
}

/** Skills of these letters, with a tag. */
const tagged = (letters: string): Record<string, string> =>
  Object.fromEntries(
    [...letters].map(name => [
      `${name}/SKILL.md`,
      skill(`skill-${name}`, 'Any', 'tags: [slides]\n'),
    ]),
  )

const names = ({ matches }: SearchResult): string[] => matches.map(({ name }) => name)
const open = (
  options: LibraryOptions,
  files: Record<string, string> = FILES,
): Promise<SkillLibrary> => openLibrary(files, options)

describe('stage keyword', () => {
  it.each<[message: string, found: string[]]>([
    ['a deck, please', ['ppt']],
    ['A DECK', ['ppt']],
    ['竞品有哪些', ['deep_research']],
    ['競品有哪些', ['deep_research']],
    ['给我深度研究', ['deep_research']],
    ['use deep_research', ['deep_research']],
    ['帮我做一个PPT', ['ppt']],
    ['a flight to do research', ['deep_research', 'travel']],
    // Words of descriptions are not looked at, and parts of words are no hit.
    ['about the market', []],
    ['帮我调研AI市场', []],
    ['start the party', []],
  ])('[TD-4] %s: %j', async (message, found) => {
    await using library = await open({ stages: 'keyword' })
    const result = await library.match(message)
    expect(names(result)).toEqual(found)
    expect(result.model).toBe('keyword/1')
  })

  it('[TD-4] every hit is above the threshold, and more hits score higher', async () => {
    await using library = await open({ stages: 'keyword' })
    const score = async (message: string): Promise<number> =>
      (await library.match(message)).matches[0]?.score ?? 0
    expect(await score('a flight')).toBe(0.75)
    expect(await score('a flight of art')).toBe(0.9375)
    expect(await score('travel')).toBe(0.9375)
    expect(await score('travel, a flight of art')).toBeCloseTo(1 - 0.25 ** 4)
  })

  it('[TD-4] gives id, score and reason', async () => {
    await using library = await open({ stages: 'keyword' })
    const travel = {
      id: 'memory/travel',
      score: 0.75,
      reason: 'its tag “flight” is in the message',
    }
    expect((await library.match('a flight')).matches).toMatchObject([travel])
    expect((await library.match('深度研究', { language: 'zh' })).matches[0]?.reason).toBe(
      '消息中有它的名称“深度研究”',
    )
  })

  it('[TD-4] returns five at most, by hits and then by id', async () => {
    const c = skill('skill-c', 'Any', 'tags: [slides, deck]\n')
    await using library = await open(
      { stages: 'keyword' },
      { ...tagged('gfedba'), 'c/SKILL.md': c },
    )
    const all = await library.search('slides for a deck', { limit: 20 })
    expect(names(all)).toEqual(['skill-c', 'skill-a', 'skill-b', 'skill-d', 'skill-e'])
    expect(names(await library.match('slides for a deck'))).toEqual([
      'skill-c',
      'skill-a',
      'skill-b',
    ])
    expect(all.matches.map(({ score }) => score)).toEqual([0.9375, 0.75, 0.75, 0.75, 0.75])
    expect(all.served).toBe(0.9375)
    expect((await library.explain('slides', 'skill-g')).rank).toBe(7)
  })

  it('[TD-4] abstains with a cause, respects filters and explains', async () => {
    await using library = await open({ stages: 'keyword' })
    expect((await library.match('')).abstained).toBe('empty-message')
    expect((await library.match('nothing of it')).abstained).toBe('no-common-word')
    expect((await library.match('deck and flight', { tags: ['art'] })).matches).toHaveLength(1)
    expect(await library.explain('a deck', 'ppt')).toMatchObject({
      rank: 1,
      matched: true,
      score: 0.75,
    })
    expect(await library.explain('a deck', 'travel')).toMatchObject({
      rank: 0,
      matched: false,
      score: 0,
    })
    await using none = await open({ stages: 'keyword' }, {})
    expect((await none.match('deck')).abstained).toBe('empty-library')
  })

  it('[TD-4] follows changes', async () => {
    const source = memory(FILES)
    await using library = await openLibrary(source, { stages: 'keyword' })
    await source.write({
      put: { 'fun/SKILL.md': skill('fun', 'x', 'tags: [joke]\n') },
      remove: ['ppt/SKILL.md'],
    })
    await library.refresh()
    const result = await library.match('a joke in a deck')
    expect(names(result)).toEqual(['fun'])
    expect(result.revision).toBe(library.snapshot.revision)
  })
})

describe('stage embedding', () => {
  it('[TD-4] finds by meaning alone and ignores words, names and tags', async () => {
    await using library = await open({ stages: 'embedding', embedder: toy() })
    const found = await library.match('a keynote')
    expect(found.model).toBe('embedding/1 toy')
    expect(found.matches).toMatchObject([
      { id: 'memory/ppt', name: 'ppt', reason: 'close in meaning' },
    ])
    expect(found.matches[0]?.score).toBeGreaterThan(0.7)
    expect(found.matches[0]?.signals).toMatchObject({ terms: [], rules: [] })
    expect((await library.match('a market with art')).abstained).toBe('no-common-word')
    expect((await library.match('')).abstained).toBe('empty-message')
  })

  it('[TD-4] ranks by cosine; the score falls with it', async () => {
    const files = {
      'both/SKILL.md': skill('both', 'slides flight'),
      'slides/SKILL.md': skill('a', 'slides'),
      'other/SKILL.md': skill('other', 'invoice'),
    }
    await using library = await open({ stages: 'embedding', embedder: toy() }, files)
    const [first, second, ...rest] = (await library.search('a keynote')).matches
    expect(rest).toEqual([])
    expect([first?.name, second?.name]).toEqual(['a', 'both'])
    expect(first?.signals.similarity).toBeCloseTo(1, 2)
    expect(second?.score).toBeLessThan(0.2)
    expect(await library.explain('a keynote', 'both')).toMatchObject({ rank: 2 })
    expect(await library.explain('a keynote', 'other')).toMatchObject({ rank: 0 })
  })

  it('[TD-4] does not find disabled, removed or filtered skills', async () => {
    const source = memory(FILES)
    await using library = await openLibrary(source, { stages: 'embedding', embedder: toy() })
    expect((await library.search('a seat', { tags: ['deck'] })).matches).toEqual([])
    await source.write({ remove: ['travel/SKILL.md'] })
    await library.refresh()
    expect((await library.search('a seat')).matches).toEqual([])
  })

  it('[TD-4] explains a skill beyond the nearest fifty as worse', async () => {
    const files: Record<string, string> = {}
    for (let at = 0; at < 60; at++)
      files[`s${at}/SKILL.md`] = skill(`s${at}`, `${'slides '.repeat(100 - at)}flight`)
    await using library = await open({ stages: 'embedding', embedder: toy() }, files)
    const all = await library.search('slides', { limit: 60 })
    expect(all.matches).toHaveLength(50)
    const past = await library.explain('slides', 's59')
    expect(past).toMatchObject({ rank: 51, matched: false })
    expect(past.score).toBeLessThanOrEqual(all.matches.at(-1)?.score ?? 0)
  })

  it('[TD-4] requires an embedder', async () => {
    const details = { hint: expect.stringContaining('bundled()') }
    await expect(open({ stages: 'embedding' })).rejects.toMatchObject({
      code: 'invalid-input',
      details,
    })
  })
})

describe('stages', () => {
  it('[TD-4] hybrid is the default, and keywords never gate it: a description is enough', async () => {
    for (const options of [{}, { stages: 'hybrid' as const }]) {
      await using library = await open(options)
      const result = await library.match('about the market: slides', { threshold: 0 })
      expect(names(result)).toEqual(['ppt'])
      expect(result.model).toBe('lexical/1')
    }
    await using both = await open({ stages: 'hybrid', embedder: toy() })
    expect(names(await both.search('keynote'))).toEqual(['ppt'])
    expect((await both.search('keynote')).model).toBe('hybrid/1 toy')
  })

  it('[TD-4] three matches by default, strictly above the default threshold 0.7', async () => {
    await using library = await open({ stages: 'keyword' }, tagged('abcd'))
    expect((await library.match('slides')).matches).toHaveLength(3)
    expect((await library.match('slides', { limit: 4 })).matches).toHaveLength(4)
    expect((await library.match('slides', { threshold: 0.7499 })).matches).toHaveLength(3)
    const none = await library.match('slides', { threshold: 0.75 })
    expect(none).toMatchObject({ matches: [], abstained: 'below-threshold' })
  })

  it('[BY-23] if no skill is likely right but one of them serves, up to five are given as maybe', async () => {
    await using library = await open({ stages: 'keyword' }, tagged('abcd'))
    const { status, matches, maybe } = await library.match('slides', { threshold: 0.75, limit: 1 })
    expect([status, matches]).toEqual(['maybe', []])
    expect(maybe).toEqual((await library.search('slides', { limit: 5 })).matches)
    expect(await library.match('slides')).toMatchObject({ status: 'match', maybe: [] })
    expect(await library.match('tell me a joke')).toMatchObject({ status: 'none', maybe: [] })
  })

  it('[BY-23] nothing is given as maybe if probably no skill serves the message', async () => {
    await using library = await open(
      {},
      { 'code/SKILL.md': skill('code', 'Works with files and code of the user') },
    )
    const message = 'work on my garden roses'
    expect((await library.search(message)).served).toBeLessThan(0.5)
    const result = await library.match(message)
    expect(result).toMatchObject({ matches: [], abstained: 'below-threshold' })
    expect(result).toMatchObject({ status: 'none', matches: [], maybe: [] })
  })

  it('[TD-4] refuses an unknown stage', async () => {
    await expect(open({ stages: 'llm' as never })).rejects.toMatchObject({ code: 'invalid-input' })
  })

  it('[TD-4] a closed library rejects searches', async () => {
    for (const options of [
      { stages: 'keyword' as const },
      { stages: 'embedding' as const, embedder: toy() },
    ]) {
      const library = await open(options)
      await library.close()
      await expect(library.match('deck')).rejects.toMatchObject({ code: 'closed' })
    }
  })
})
