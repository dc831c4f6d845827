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

const wish = (message: string, history: string[] = []): number => {
  const query = analyzeQuery({ message, history }, corpus)
  return wishOf(query, weighTerms(query, [], corpus), corpus)
}

const saidOf = (message: string, shared: readonly string[]): number => {
  const query = analyzeQuery({ message }, corpus)
  const terms = weighTerms(query, [], corpus)
  return saidEvidence(
    query,
    terms,
    terms.map(({ term }) => [shared.includes(term) ? 1 : 0]),
  )
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
    const said = (...shared: string[]): number => saidOf('run kubernetes', shared)
    expect(said('kubernetes')).toBeGreaterThan(said('run'))
    expect(said('run')).toBeLessThan(0)
    expect(said('run', 'kubernetes')).toBeGreaterThan(said('kubernetes'))
  })
  it('says nothing of words that are not counted', () => {
    expect(saidOf('Schreibe die Tests für das Modul', [])).toBe(0)
    expect(saidOf('写单元测试', [])).toBe(0)
  })
})
