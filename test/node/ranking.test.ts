import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type PoolSkill, readRows, type TriggerQuery } from '../../bench/rank/data.js'
import { matchers } from '../../bench/rank/matchers.js'
import { answerAll, type Figures, figuresByLanguage } from '../../bench/rank/measure.js'
import { openLibrary, type SkillLibrary } from '../../src/exports/index.js'
import { bundled } from '../../src/search/model/bundled/package.js'
import { directory } from '../../src/source/directory/directory.js'
import { EVERYTHING, isInShare, samples } from '../samples.js'

const data = new URL('../../../shared/data/', import.meta.url)
const queries = new URL('triggers-dev.jsonl.gz', data)
const pools = new URL('triggers-dev-pools.jsonl.gz', data)
const there = existsSync(queries) && existsSync(pools)

describe(`author-written messages${there ? '' : ' (../shared/data is missing)'}`, () => {
  let figures: Record<string, Figures>
  beforeAll(async () => {
    if (!there) return
    const { open } = matchers['lexical'] as (typeof matchers)[string]
    // Only the ranks are looked at.
    const openRanker = async (skills: readonly PoolSkill[]) => ({ rank: (await open(skills)).rank })
    const some = readRows<TriggerQuery>(queries).filter(({ origin }) => isInShare(origin, 3))
    figures = figuresByLanguage(await answerAll(some, readRows<PoolSkill>(pools), openRanker))
  })

  /** Bounds lie as far below what is measured for all messages as for those of a third of the libraries, which are harder in English. */
  const LEAST: [language: string, figure: keyof Figures, ofAll: number, ofShare: number][] = [
    ['en', 'n', 3_000, 1_200],
    ['en', 'r1', 0.685, 0.62],
    ['en', 'r5', 0.885, 0.838],
    ['en', 'macroR1', 0.66, 0.6],
    ['zh', 'n', 300, 130],
    ['zh', 'r1', 0.565, 0.675],
    ['zh', 'r5', 0.72, 0.78],
  ]
  const least = LEAST.map(
    ([language, figure, ofAll, ofShare]) =>
      [language, figure, EVERYTHING ? ofAll : ofShare] as const,
  )
  it.skipIf(!there).each(least)('[BY-1] %s: %s is at least %d', (language, figure, least) => {
    expect(figures[language]?.[figure]).toBeGreaterThanOrEqual(least)
  })
})

describe('the sample library', () => {
  let library: SkillLibrary
  let withModel: SkillLibrary
  beforeAll(async () => {
    library = await openLibrary(directory(samples))
    withModel = await openLibrary(directory(samples), { embedder: bundled() })
  })

  it.each([
    ['BY-1', 'make slides about our launch', 'ppt'],
    ['BY-1', 'merge two pdf files', 'pdf'],
    ['BY-1', 'book a flight to Tokyo', 'book-flight'],
    ['BY-1', 'Resize all pictures in this folder to 800 pixels', 'image-tools'],
    ['BY-4', '帮我调研AI市场', 'deep_research'],
    ['BY-4', '帮我调研AI Agent市场', 'deep_research'],
    ['BY-4', '幫我調研AI市場', 'deep_research'],
    ['BY-4', '帮我做一个PPT', 'ppt'],
    ['BY-4', '帮我提取 PDF 中的表格', 'pdf'],
  ])('[%s] [BY-2] "%s" matches %s above 0.7', async (_, message, name) => {
    expect((await library.match(message)).matches[0]).toMatchObject({ name })
  })

  it.each([
    ...['给我讲个笑话', 'tell me a joke', 'tell me how tall Mount Everest is', 'sing me a lullaby'],
    ...['今天天气怎么样', 'How tall is Mount Everest?'],
  ])('[TD-5] [BY-2] "%s" has no match above 0.7, by words and by meaning', async message => {
    expect((await library.match(message)).matches).toEqual([])
    expect((await withModel.match(message)).matches).toEqual([])
    const scores = (await library.search(message)).matches.map(({ score }) => score)
    expect(Math.max(0, ...scores)).toBeLessThan(0.7)
  })

  it('[BY-1] the history finds the skill when the message does not', async () => {
    const { matches } = await library.search({ message: '好的', history: ['帮我做一个PPT'] })
    expect(matches[0]?.name).toBe('ppt')
  })

  it.each([
    ['and as a handout?', true],
    ['et en anglais ?', true],
    ['fais-le plus court', true],
    ['weather and traffic in Oslo', false],
    ['quel est le cours du dollar', false],
    ['el clima y el tráfico', false],
  ])('[BY-1] [BY-23] "%s" leans on the message before it: %s', async (message, leans) => {
    const alone = await library.search(message)
    const after = await library.search({ message, history: ['帮我做一个PPT'] })
    expect(JSON.stringify(after.matches) !== JSON.stringify(alone.matches)).toBe(leans)
  })

  it('[BY-3] explain covers skills that match and skills that do not', async () => {
    const { matches } = await library.match('make slides about our launch')
    const explained = await library.explain('make slides about our launch', 'ppt')
    expect(explained).toEqual({ ...matches[0], rank: 1, matched: true })
    const other = await library.explain('zyzzyva', 'ppt')
    expect(other).toMatchObject({ rank: 0, matched: false, reason: 'no word in common' })
  })
})
