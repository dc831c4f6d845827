import { beforeAll, describe, expect, it } from 'vitest'
import {
  type CorpusStatistics,
  loadCorpusStatistics,
} from '../../src/search/match/corpus-statistics.js'
import { analyzeQuery } from '../../src/search/match/query.js'
import { weighTerms } from '../../src/search/match/query-terms.js'
import { saidEvidence, wishOf } from '../../src/search/match/said.js'

let corpus: CorpusStatistics
beforeAll(async () => {
  corpus = await loadCorpusStatistics()
})

const wish = (message: string, history?: string[]): number => {
  const query = analyzeQuery(message, history, corpus)
  return wishOf(query, weighTerms(query, [], corpus), corpus)
}

describe('[BY-23] what a message says', () => {
  it.each([
    'commit',
    'the tests',
    'code',
    'yet',
    'тесты',
    '测试',
    '報告',
    'テスト',
    '회의',
    'écrire',
    'prüfen',
  ])('%s is a subject: too little for one skill', message => {
    expect(wish(message)).toBeLessThan(0.7)
  })

  it.each([
    'slides',
    'commit and push',
    'send an email',
    '发邮件',
    'fix the failing tests',
    'Schreibe die Tests für das Modul',
    '写单元测试',
    '幻灯片',
    '会議の議事録を書いて',
    '회의 내용을 요약해 줘',
  ])('%s is a wish', message => {
    expect(wish(message)).toBeGreaterThan(0.75)
  })

  it('a message that leans on the one before says what that says', () => {
    expect(wish('and again?', ['make slides of our launch'])).toBe(1)
  })

  it('grows with the rarity of the words that a skill has', () => {
    const query = analyzeQuery('run kubernetes', undefined, corpus)
    const terms = weighTerms(query, [], corpus)
    const said = (...shared: string[]): number =>
      saidEvidence(
        terms,
        terms.map(({ term }) => [shared.includes(term) ? 1 : 0]),
      )
    expect(said('kubernetes')).toBeGreaterThan(said('run'))
    expect(said('run')).toBeLessThan(0)
    expect(said('run', 'kubernetes')).toBeGreaterThan(said('kubernetes'))
  })
})
